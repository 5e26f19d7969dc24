//! When to be called again (rules W). Takes what the decision found; gives seconds, or nothing when only an event can change
//! the answer.

use super::queue;
use super::sight::Sight;
use super::times;
use super::words::Judgement;
use crate::api::v1::CrawlJobStatus;
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::Wake;
use crate::observed::time::seconds_between;

const SOON_SECONDS: u32 = 3;
const FINALIZING_SECONDS: u32 = 30;
const QUEUED_SECONDS: u32 = 60;
const MOST_SECONDS: u64 = 3600;

/// The store or an expected object is missing.
pub(super) fn soon() -> Wake {
    Wake::After(SOON_SECONDS)
}

/// A finalize call.
pub(super) fn finalizing() -> Wake {
    Wake::After(FINALIZING_SECONDS)
}

/// Only an event changes the answer.
pub(super) fn on_event() -> Wake {
    Wake::OnEvent
}

/// A job that is not over.
pub(super) fn live(sight: &Sight<'_>, judgement: &Judgement, status: &CrawlJobStatus) -> Wake {
    let by_state = match status.state {
        CrawlState::Paused => None,
        CrawlState::WaitingOrgLimit => Some(QUEUED_SECONDS),
        CrawlState::Starting
        | CrawlState::WaitingCapacity
        | CrawlState::Running
        | CrawlState::PendingWait
        | CrawlState::GenerateWacz
        | CrawlState::UploadingWacz
        | CrawlState::RateLimited
        | CrawlState::Pausing
        | CrawlState::Complete
        | CrawlState::StoppedByUser
        | CrawlState::StoppedPauseExpired
        | CrawlState::Canceled
        | CrawlState::Failed
        | CrawlState::FailedNotLoggedIn => Some(sight.policy.resync_seconds),
    };
    let soon = is_soon(sight, judgement, status).then_some(SOON_SECONDS);
    let moment = moment(sight).and_then(|seconds| u32::try_from(seconds.clamp(1, MOST_SECONDS)).ok());
    let earliest = [by_state, soon, moment].into_iter().flatten().min();
    earliest.map_or(Wake::OnEvent, Wake::After)
}

/// W1: the store, an expected object, the ticket's word, or the register's echo of a verdict is missing.
fn is_soon(sight: &Sight<'_>, judgement: &Judgement, status: &CrawlJobStatus) -> bool {
    let verdict = match judgement {
        Judgement::Final(_) => true,
        Judgement::Open | Judgement::RateLimited => false,
    };
    let working = match status.state {
        CrawlState::Paused | CrawlState::WaitingOrgLimit => false,
        state => !state.is_final(),
    };
    let store_missing = sight.usable().is_none() && sight.observed.redis.is_some();
    let redis_missing = sight.state().started && sight.observed.redis.is_none() && !sight.hold();
    verdict || queue::awaits_ticket(sight) || (working && (store_missing || redis_missing))
}

/// The moment at which time alone changes the answer: pause expiry, Redis' grace, the start wait, the time limit. One that
/// has passed wakes nobody: what it waits for is an event or the next resync.
fn moment(sight: &Sight<'_>) -> Option<u64> {
    let policy = sight.policy;
    let since = |from| seconds_between(from, sight.now);
    let pause = sight
        .spec
        .paused_at
        .map(|from| (policy.paused_expiry_seconds, since(from)));
    let idle_since = sight.answered().and_then(|view| view.idle_since);
    let idle = idle_since.map(|from| (u64::from(policy.redis_idle_seconds), since(from)));
    let somebody_runs = sight.observed.crawlers.values().any(|crawler| crawler.pod.runs_now());
    let waits_to_start = !somebody_runs && !sight.hold();
    let start = waits_to_start.then_some((u64::from(policy.starting_seconds), sight.age()));
    let timeout = sight.spec.timeout.filter(|_| somebody_runs);
    let limit = timeout.map(|limit| (limit.saturating_add(1), times::running(sight).elapsed));
    [pause, idle, start, limit].into_iter().flatten().filter_map(left).min()
}

/// Seconds left until a limit; nothing when it has passed.
fn left((limit, passed): (u64, u64)) -> Option<u64> {
    limit.checked_sub(passed).filter(|seconds| *seconds > 0)
}
