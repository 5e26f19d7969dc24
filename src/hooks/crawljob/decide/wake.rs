//! When to be called again (rules W). Takes what the decision found; gives seconds, or nothing when only an event can change
//! the answer.

use super::end::Judgement;
use super::sight::Sight;
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

/// W1: the store, an expected object, or the register's echo of a verdict is missing.
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
    verdict || (working && (store_missing || redis_missing))
}

/// The moment at which time alone changes the answer: pause expiry, Redis' grace, the start wait, the time limit.
fn moment(sight: &Sight<'_>) -> Option<u64> {
    let policy = sight.policy;
    let pause = sight.spec.paused_at.map(|since| {
        policy
            .paused_expiry_seconds
            .saturating_sub(seconds_between(since, sight.now))
    });
    let idle = sight
        .answered()
        .and_then(|view| view.idle_since)
        .map(|since| u64::from(policy.redis_idle_seconds).saturating_sub(seconds_between(since, sight.now)));
    let nobody_runs = !sight
        .observed
        .crawlers
        .values()
        .any(|crawler| crawler.pod.container_runs);
    let start = u64::from(policy.starting_seconds)
        .checked_sub(sight.age())
        .filter(|_| nobody_runs && !sight.hold());
    // A moment that has passed was decided on in this call: waiting for it again would be a call a second.
    [pause, idle, start]
        .into_iter()
        .flatten()
        .filter(|seconds| *seconds > 0)
        .min()
}
