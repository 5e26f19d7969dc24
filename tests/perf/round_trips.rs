//! A call asks the store at most twice, however large the job: counted by a go-between in front of a real Redis, and by
//! Redis itself.

use crate::counting::counting;
use crate::stand::{SIZES, Stand, alone, report};

/// One to read, one to write the running seconds.
const EACH: usize = 2;
const CALLS: usize = 10;
/// Up to this size a whole question fits into one piece. Of a larger one Redis acknowledges the first commands while the
/// rest is still on its way, which looks like an answer from outside; there only the transactions are held to be two.
const ONE_PIECE: u32 = 100;

#[test]
fn a_call_takes_at_most_two_round_trips_to_the_store() {
    let _alone = alone();
    report("  pods  round trips, at most  transactions, at most  connections");
    for pods in SIZES {
        let Some(mut stand) = Stand::new(pods) else { return };
        let (port, count) = counting(stand.server.port);
        stand.through(port);
        let mut store = stand.server.connect();
        let (mut trips, mut transactions) = (0, 0);
        for _ in 0..CALLS {
            Stand::let_time_pass(&mut store);
            let before = (count.lock().unwrap().round_trips, executed(&mut store));
            stand.call();
            trips = trips.max(count.lock().unwrap().round_trips - before.0);
            transactions = transactions.max(executed(&mut store) - before.1);
        }
        let connections = count.lock().unwrap().connections;
        report(&format!("{pods:>6} {trips:>21} {transactions:>22} {connections:>12}"));
        assert_eq!(transactions, EACH, "{pods} pods");
        assert!(trips == EACH || pods > ONE_PIECE, "{pods} pods: {trips} round trips");
        assert_eq!(connections, 1, "{pods} pods: the connection is kept");
    }
}

/// Transactions that Redis has run.
fn executed(store: &mut redis::Connection) -> usize {
    let info: String = redis::cmd("INFO")
        .arg("commandstats")
        .query(store)
        .expect("the store answers");
    let calls = info.lines().find_map(|line| line.strip_prefix("cmdstat_exec:calls="));
    calls.and_then(|rest| rest.split(',').next()?.parse().ok()).unwrap_or(0)
}
