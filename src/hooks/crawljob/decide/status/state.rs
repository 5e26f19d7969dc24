//! The state word (rules S1, I4, P2, Q1 and "which waits").
//!
//! Takes the facts and the judgement; gives one [`CrawlState`] of the closed list. A final state comes from the register alone.

use super::super::super::observed::Observed;
use super::super::queue;
use super::super::sight::{Sight, StoreSight};
use super::super::words::Judgement;
use crate::api::v1::crawljob_status::CrawlState;
use crate::outside::store::{Entry, StoreView};

/// The state of a job that is not over.
pub(super) fn live(sight: &Sight<'_>, judgement: &Judgement) -> CrawlState {
    // E5: a proposed result is no result; the state stays until it is observed in the register.
    if let Judgement::Final(_) = judgement
        && let Some(shown) = sight.observed.previous.state
    {
        return shown;
    }
    if sight.hold() {
        return held(sight);
    }
    if queue::place(sight).is_some() {
        return CrawlState::WaitingOrgLimit;
    }
    match (sight.store, judgement) {
        (StoreSight::Usable(_), Judgement::RateLimited) => CrawlState::RateLimited,
        (StoreSight::Usable(view), Judgement::Open | Judgement::Final(_)) => {
            earliest_stage(sight, view).unwrap_or_else(|| waiting(sight))
        }
        (StoreSight::Blank(_) | StoreSight::Unreachable, _) => waiting(sight),
    }
}

/// P2: paused once `flushed` is observed and no crawler pod is left; a job that never started is paused at once.
fn held(sight: &Sight<'_>) -> CrawlState {
    let flushed = sight.state().flushed || !sight.state().started;
    if flushed && sight.observed.crawlers.is_empty() {
        CrawlState::Paused
    } else {
        CrawlState::Pausing
    }
}

/// No crawler running: starting until the start window is over, then waiting for capacity.
fn waiting(sight: &Sight<'_>) -> CrawlState {
    if sight.age() < u64::from(sight.policy.starting_seconds) {
        CrawlState::Starting
    } else {
        CrawlState::WaitingCapacity
    }
}

/// I4: the earliest stage of any running instance; nothing when none runs. A lost node runs nothing (O5).
fn earliest_stage(sight: &Sight<'_>, view: &StoreView) -> Option<CrawlState> {
    let running = sight
        .observed
        .crawlers
        .iter()
        .filter(|(_, crawler)| crawler.pod.runs_now());
    running.map(|(index, _)| stage(view.entries.get(index).copied())).min()
}

/// The stage that an entry shows; the order of [`CrawlState`] is the order of the stages.
fn stage(entry: Option<Entry>) -> CrawlState {
    match entry {
        Some(Entry::PendingWait) => CrawlState::PendingWait,
        Some(Entry::GenerateWacz) => CrawlState::GenerateWacz,
        Some(Entry::UploadingWacz | Entry::Done | Entry::Canceled | Entry::Failed) => CrawlState::UploadingWacz,
        Some(Entry::Running | Entry::Interrupted | Entry::Other) | None => CrawlState::Running,
    }
}

/// The state when nothing is judged: what was shown, else what the pods alone say.
pub(super) fn unchanged(observed: &Observed) -> CrawlState {
    let runs = observed.crawlers.values().any(|crawler| crawler.pod.runs_now());
    let by_pods = if runs {
        CrawlState::Running
    } else {
        CrawlState::Starting
    };
    observed.previous.state.unwrap_or(by_pods)
}
