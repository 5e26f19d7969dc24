//! CPU of a call: in this process by the clock of the one thread that does everything, and of the served binary by
//! what the system says all its threads ran. Medians, of the quietest of three rounds, because a busy neighbour only ever
//! makes CPU time longer; the store is a real Redis and its CPU is its own.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::served::{Connection, Served};
use crate::stand::{PATH, SIZES, Stand, alone, report};

/// The goal for a job of 100 pods. Reported, never asserted: a time says as much of the machine as of the code.
const GOAL: Duration = Duration::from_millis(5);
const GOAL_PODS: u32 = 100;
/// What ten times the pods may cost: twice the goal of 11, so that noise passes and a square does not.
const GROWTH: f64 = 22.0;
/// Calls of the served binary between two looks at its threads: a thread that still winds up after its answer is
/// counted with the next call, which a look after each call would take for noise.
const BATCH: u32 = 10;

/// Each is long enough for a median.
const ROUNDS: u32 = 3;

/// How many calls a round has.
fn calls(pods: u32) -> u32 {
    match pods {
        ..=10 => 200,
        11..=100 => 100,
        _ => 30,
    }
}

#[test]
fn the_cpu_of_a_call_grows_no_faster_than_the_job() {
    let _alone = alone();
    report("  pods   bytes in  bytes out   in process  grown       served  grown");
    let mut before: Option<Cost> = None;
    let mut steep = Vec::new();
    for pods in SIZES {
        let Some(stand) = Stand::new(pods) else { return };
        let cost = Cost::of(&stand, pods);
        let grown = before.map_or([None, None], |before| cost.grown(before).map(Some));
        let [one, other] = grown.map(|ratio| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}")));
        report(&format!(
            "{pods:>6} {:>10} {:>10} {:>9} us {one:>6} {:>9} us {other:>6}",
            stand.body.len(),
            stand.call().len(),
            cost.in_process.as_micros(),
            cost.served.as_micros(),
        ));
        if pods == GOAL_PODS {
            let word = if cost.in_process <= GOAL { "within" } else { "over" };
            report(&format!(
                "       {pods} pods in process: {word} the goal of {} us",
                GOAL.as_micros()
            ));
        }
        steep.extend(
            grown
                .into_iter()
                .flatten()
                .filter(|ratio| *ratio > GROWTH)
                .map(|ratio| (pods, ratio)),
        );
        before = Some(cost);
    }
    assert!(
        steep.is_empty(),
        "ten times the pods cost more than {GROWTH} times the CPU (pods, times): {steep:?}; run it again if the machine was busy"
    );
}

/// Medians.
#[derive(Debug, Clone, Copy)]
struct Cost {
    in_process: Duration,
    served: Duration,
}

impl Cost {
    fn of(stand: &Stand, pods: u32) -> Self {
        Self {
            in_process: in_process(stand, calls(pods)),
            served: served(stand, calls(pods)),
        }
    }

    fn grown(self, from: Self) -> [f64; 2] {
        [
            self.in_process.as_secs_f64() / from.in_process.as_secs_f64(),
            self.served.as_secs_f64() / from.served.as_secs_f64(),
        ]
    }
}

fn in_process(stand: &Stand, calls: u32) -> Duration {
    let mut store = stand.server.connect();
    let mut one = || {
        Stand::let_time_pass(&mut store);
        let start = thread_cpu();
        let answer = stand.call();
        let cpu = thread_cpu().saturating_sub(start);
        drop(answer);
        cpu
    };
    one();
    quietest(|| (0..calls).map(|_| one()).collect())
}

fn thread_cpu() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime)
        .try_into()
        .expect("CPU time is never negative")
}

fn served(stand: &Stand, calls: u32) -> Duration {
    let port = stand.server.port.to_string();
    let served = Served::start_with_store("observed", &[("ROLLCALL_CRAWL__STORE_PORT", port.as_str())]);
    let mut caller = served.connect();
    let mut store = stand.server.connect();
    let process = served.process.id();
    batch(stand, &mut caller, &mut store);
    let mut one = || {
        let start = process_cpu(process);
        batch(stand, &mut caller, &mut store);
        process_cpu(process).saturating_sub(start) / BATCH
    };
    quietest(|| (0..calls / BATCH).map(|_| one()).collect())
}

fn batch(stand: &Stand, caller: &mut Connection, store: &mut redis::Connection) {
    for _ in 0..BATCH {
        Stand::let_time_pass(store);
        let answer = caller.post(PATH, &stand.body);
        assert_eq!(answer.status, 200);
    }
}

/// What all threads of a process ran.
fn process_cpu(process: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("the process lives");
    let nanoseconds = threads.map(|thread| {
        let text = std::fs::read_to_string(thread.expect("a listed thread").path().join("schedstat"));
        // A thread may end between being listed and being read.
        let text = text.unwrap_or_default();
        text.split(' ')
            .next()
            .and_then(|number| number.parse::<u64>().ok())
            .unwrap_or(0)
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// The lowest median of the rounds.
fn quietest(mut round: impl FnMut() -> Vec<Duration>) -> Duration {
    (0..ROUNDS).map(|_| median(round())).min().expect("there is a round")
}

fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort_unstable();
    samples[samples.len() / 2]
}
