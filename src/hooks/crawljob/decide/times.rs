//! Running time (E7): per container run, in the store, only ever rising. Takes a [`Sight`]; gives the sums, the runs to
//! write, and when the first crawler ran. Waiting and paused time is free because no container runs then; so is time in
//! which nobody knows whether one runs, until its end is seen.

use std::collections::BTreeMap;

use super::super::observed::{Crawler, Observed};
use super::sight::Sight;
use crate::observed::Timestamp;
use crate::observed::time::seconds_between;
use crate::outside::store::StoreWrite;

/// Running seconds of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Running {
    /// Sum over all runs of all pods.
    pub(super) exec: u64,
    /// Largest sum of one instance.
    pub(super) elapsed: u64,
}

/// The sums of the store's runs and of the runs seen now. With the store out of reach: what was last recorded.
pub(super) fn running(sight: &Sight<'_>) -> Running {
    let recorded = sight.state().counters;
    let recorded = Running {
        exec: recorded.map_or(0, |counters| counters.exec_seconds),
        elapsed: recorded.map_or(0, |counters| counters.elapsed_seconds),
    };
    let Some(view) = sight.usable() else { return recorded };
    let mut runs = view.exec_seconds.clone();
    for (run, seconds) in seen_runs(sight) {
        let known = runs.entry(run).or_insert(0);
        *known = (*known).max(seconds);
    }
    let mut by_instance: BTreeMap<&str, u64> = BTreeMap::new();
    for (run, seconds) in &runs {
        let instance = run.split('/').next().unwrap_or_default();
        let sum = by_instance.entry(instance).or_insert(0);
        *sum = sum.saturating_add(*seconds);
    }
    Running {
        exec: runs
            .values()
            .fold(0, |sum: u64, seconds| sum.saturating_add(*seconds))
            .max(recorded.exec),
        elapsed: by_instance.values().copied().max().unwrap_or(0).max(recorded.elapsed),
    }
}

/// The runs whose seconds rose since the store was written.
pub(super) fn writes(sight: &Sight<'_>) -> Vec<StoreWrite> {
    let Some(view) = sight.usable() else { return Vec::new() };
    seen_runs(sight)
        .into_iter()
        .filter(|(run, seconds)| view.exec_seconds.get(run).is_none_or(|known| known < seconds))
        .map(|(run, seconds)| StoreWrite::SetExecSeconds(run, seconds))
        .collect()
}

/// The earliest container start that any pod shows.
pub(super) fn first_start(observed: &Observed) -> Option<Timestamp> {
    observed.crawlers.values().flat_map(starts).min()
}

fn starts(crawler: &Crawler) -> impl Iterator<Item = Timestamp> {
    let ended = crawler.pod.last_exit.as_ref().and_then(|exit| exit.started);
    crawler.pod.running_since.into_iter().chain(ended)
}

/// Runs visible in the pods: the running one and the last that ended. The field names instance, pod and restart, so that
/// sums per instance survive the pods. A pod that is leaving, or whose node is not heard of, may do so for hours (O4, O5).
fn seen_runs(sight: &Sight<'_>) -> Vec<(String, u64)> {
    let mut runs = Vec::new();
    for (index, crawler) in &sight.observed.crawlers {
        let pod = &crawler.pod;
        let name = |restart: u32| format!("{index}/{}/{restart}", pod.uid);
        if let Some(since) = pod.running_since.filter(|_| pod.runs_now()) {
            runs.push((name(pod.restarts), seconds_between(since, sight.now)));
        }
        let ended_run = if pod.container_runs {
            pod.restarts.checked_sub(1)
        } else {
            Some(pod.restarts)
        };
        if let (Some(exit), Some(restart)) = (&pod.last_exit, ended_run)
            && let (Some(from), Some(to)) = (exit.started, exit.finished)
        {
            runs.push((name(restart), seconds_between(from, to)));
        }
    }
    runs
}
