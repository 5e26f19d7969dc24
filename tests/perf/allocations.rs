//! How often a call allocates and how much it holds at its peak: counted, so that every change shows. Everything the one
//! thread does counts, from the request to the read answer, with the Redis client in between; the body that comes in is
//! counted once it is read.

use allocation_counter::measure;

use crate::stand::{SIZES, Stand, alone, report};

/// What one call takes: pods, allocations, bytes at the peak. A change is no fault: paste the new table, and say in the
/// commit why it changed. Other versions of Rust or of a library change it too, and a fixture recorded anew.
const TABLE: [(u32, u64, u64); SIZES.len()] = [
    (1, 660, 94_289),
    (10, 1_524, 284_075),
    (100, 10_105, 2_356_165),
    (1000, 90_970, 22_008_060),
];
/// What may differ between runs, in percent and at least: Redis' answer comes in one piece or in several, and the client
/// keeps each apart.
const SLACK_PERCENT: u64 = 2;
const SLACK_LEAST: (u64, u64) = (32, 65_536);

/// Calls before the measured ones: connections are open then and lazy values made.
const BEFORE: usize = 3;
/// Measured calls; the fewest allocations and the lowest peak count.
const CALLS: usize = 10;

#[test]
fn a_call_allocates_as_much_as_it_did() {
    let _alone = alone();
    report("  pods  allocations  bytes at the peak  of the body");
    let mut seen = Vec::new();
    for pods in SIZES {
        let Some(stand) = Stand::new(pods) else { return };
        let (count, peak) = least(&stand);
        let percent = peak * 100 / u64::try_from(stand.body.len()).expect("a length");
        report(&format!("{pods:>6} {count:>12} {peak:>18} {percent:>13} %"));
        seen.push((pods, count, peak));
    }
    let near = |(seen, known): (&(u32, u64, u64), &(u32, u64, u64))| {
        let within = |seen: u64, known: u64, least: u64| seen.abs_diff(known) <= least.max(known * SLACK_PERCENT / 100);
        within(seen.1, known.1, SLACK_LEAST.0) && within(seen.2, known.2, SLACK_LEAST.1)
    };
    assert!(
        seen.iter().zip(&TABLE).all(near),
        "a call allocates differently now; if that is wanted, the table is {seen:?}"
    );
}

fn least(stand: &Stand) -> (u64, u64) {
    let mut store = stand.server.connect();
    let mut call = || {
        Stand::let_time_pass(&mut store);
        let info = measure(|| drop(stand.call()));
        (info.count_total, info.bytes_max)
    };
    for _ in 0..BEFORE {
        call();
    }
    (0..CALLS).map(|_| call()).fold((u64::MAX, u64::MAX), |least, one| {
        (least.0.min(one.0), least.1.min(one.1))
    })
}
