//! The status (rules M, step 20): what was observed, in full in every answer. It never sees what was decided about children.
//!
//! Takes the facts; gives a [`CrawlJobStatus`]. Every field comes from children, store or register; the previous status only
//! fills in what nothing else knows now, and never lowers a page count.

mod pods;
mod state;

use super::super::observed::Observed;
use super::super::register::Register;
use super::super::register::RegisterSeen;
use super::conditions::Conditions;
use super::instance::Instances;
use super::ledger::Ledger;
use super::sight::{Sight, found};
use super::size::size;
use super::words::Judgement;
use super::{queue, times};
use crate::api::v1::CrawlJobStatus;
use crate::api::v1::crawljob_status::CrawlState;
use crate::observed::Timestamp;
use crate::observed::time::whole_seconds;
use crate::quantity::human_bytes;

/// A job that is not over.
pub(super) fn live(
    sight: &Sight<'_>,
    instances: &Instances<'_>,
    ledger: &Ledger,
    judgement: &Judgement,
) -> CrawlJobStatus {
    let state = state::live(sight, judgement);
    let mut status = base(sight.observed, Some(&ledger.next), state);
    let size = size(sight, &ledger.next.state.files);
    status.size = size.total;
    status.size_pending = size.pending;
    status.size_human = human_bytes(size.total);
    if let Some(view) = sight.usable() {
        status.pages_found = status.pages_found.max(found(view));
        status.pages_done = view.done;
        status.pages_failed = view.failed;
    }
    let running = times::running(sight);
    status.crawl_exec_seconds = whole_minutes(running.exec.max(status.crawl_exec_seconds));
    status.elapsed_seconds = whole_minutes(running.elapsed.max(status.elapsed_seconds));
    status.scale = instances
        .iter()
        .filter(|instance| instance.crawler.is_some() || instance.unfinished_entry())
        .count()
        .try_into()
        .unwrap_or(u32::MAX);
    status.queue = queue::place(sight);
    status.conditions = Conditions::live(sight, instances, judgement, status.state);
    status
}

/// The result is observed in the register: final for good.
pub(super) fn after_result(
    observed: &Observed,
    next: &Register,
    result: CrawlState,
    unsaved: &[u32],
    now: Timestamp,
) -> CrawlJobStatus {
    let mut status = base(observed, Some(next), result);
    status.size_pending = 0;
    status.size = next.state.files.bytes;
    status.size_human = human_bytes(status.size);
    if let Some(counters) = next.state.counters {
        status.pages_done = counters.done;
        status.pages_failed = counters.failed;
        status.crawl_exec_seconds = counters.exec_seconds;
        status.elapsed_seconds = counters.elapsed_seconds;
    }
    status.finished_at = next.state.finished_at.clone().or(status.finished_at);
    status.conditions = Conditions::after_result(observed, result, unsaved, now);
    status
}

/// Finalize: the state stands, the rest is what it was.
pub(super) fn finalizing(observed: &Observed, result: CrawlState, now: Timestamp) -> CrawlJobStatus {
    let mut status = base(observed, readable(observed), result);
    status.finished_at = readable(observed)
        .and_then(|register| register.state.finished_at.clone())
        .or(status.finished_at)
        .or_else(|| Some(whole_seconds(now)));
    status.conditions = Conditions::finalizing(observed, result, now);
    status
}

/// Nothing is judged (steps 1 and 3): the state stays what the status said, or starting.
pub(super) fn unchanged(observed: &Observed, now: Timestamp) -> CrawlJobStatus {
    let mut status = base(observed, readable(observed), state::unchanged(observed));
    status.conditions = Conditions::unchanged(observed, status.state, now);
    status
}

/// D8 and E5: the register must be seen first.
pub(super) fn waiting_for_register(observed: &Observed, register: Option<&Register>, now: Timestamp) -> CrawlJobStatus {
    let mut status = base(observed, register, state::unchanged(observed));
    status.conditions = Conditions::waiting_for_register(observed, status.state, now);
    status
}

fn readable(observed: &Observed) -> Option<&Register> {
    match &observed.register {
        RegisterSeen::Readable(register, _) => Some(register),
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => None,
    }
}

/// What every status says, from children and register, with the previous status where nothing else knows.
fn base(observed: &Observed, register: Option<&Register>, state: CrawlState) -> CrawlJobStatus {
    let previous = &observed.previous;
    let recorded = register.map(|register| &register.state);
    let counters = recorded.and_then(|state| state.counters);
    let (files, bytes) = recorded.map_or((0, 0), |state| (state.files.count, state.files.bytes));
    let size = bytes.saturating_add(previous.size_pending);
    let started = recorded.and_then(|state| state.started_at.clone());
    let shown = pods::shown(observed);
    CrawlJobStatus {
        state,
        stop_reason: recorded.and_then(|state| state.stop_reason).or(previous.stop_reason),
        pages_found: counters.map_or(0, |counters| counters.found).max(previous.pages_found),
        pages_done: counters.map_or(0, |counters| counters.done).max(previous.pages_done),
        pages_failed: counters
            .map_or(0, |counters| counters.failed)
            .max(previous.pages_failed),
        size,
        size_pending: previous.size_pending,
        size_human: human_bytes(size),
        scale: u32::try_from(observed.crawlers.len()).unwrap_or(u32::MAX),
        desired_scale: observed.spec.as_ref().map_or(0, |spec| spec.scale),
        files_added: files,
        files_added_size: bytes,
        started_at: started.or_else(|| shown_start(observed)),
        finished_at: previous.finished_at.map(whole_seconds).filter(|_| state.is_final()),
        crawl_exec_seconds: whole_minutes(
            counters
                .map_or(0, |counters| counters.exec_seconds)
                .max(previous.crawl_exec_seconds),
        ),
        elapsed_seconds: whole_minutes(
            counters
                .map_or(0, |counters| counters.elapsed_seconds)
                .max(previous.elapsed_seconds),
        ),
        pods: shown.pods,
        pod_counts: shown.counts,
        redis: pods::redis(observed),
        queue: None,
        conditions: Vec::new(),
        observed_generation: None,
    }
}

/// E7: whole minutes while running, so that the status rests between calls (M2).
fn whole_minutes(seconds: u64) -> u64 {
    seconds - seconds % 60
}

/// Without a register: what the status said, else the first start that the pods show.
fn shown_start(observed: &Observed) -> Option<String> {
    let start = observed.previous.started_at.or_else(|| times::first_start(observed));
    start.map(whole_seconds)
}
