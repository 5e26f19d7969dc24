//! Is the crawl over? Stop wishes and limits, then rules E4, E1, E2, E3, early ends and P4, in that order (steps 9 to 11).
//!
//! Takes the facts; gives one [`Judgement`]. It writes stop reasons into the next register and nothing else: a final
//! judgement is proposed, observed and only then acted on (E5).

use super::super::register::State;
use super::instance::{Instance, Instances};
use super::ledger::Ledger;
use super::ledger::exits::{CRASHES_MAX, CRASHES_WITHOUT_WORK, EARLY_ENDS_MAX, is_crash};
use super::sight::{Sight, StoreSight, found, idle_queue, pages_handled};
use super::size;
use super::times;
use super::words::{Judgement, Verdict};
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::observed::time::seconds_between;

/// Steps 9 to 11.
pub(super) fn judge(sight: &Sight<'_>, instances: &Instances<'_>, ledger: &mut Ledger) -> Judgement {
    let rate_limited = all_crashed_with(sight, instances, |code| code == 18);
    if let Some(reason) = stop_reason(sight, rate_limited) {
        ledger.note_stop(reason);
    }
    let reason = ledger.next.state.stop_reason;
    let verdict = stopped_before_start(sight)
        .or_else(|| all_finished(sight, instances, &ledger.next.state))
        .or_else(|| given_up(sight, instances, &ledger.next.state))
        .or_else(|| ends_too_early(sight, instances))
        .or_else(|| pause_ends(sight, reason));
    match verdict {
        Some(verdict) => Judgement::Final(verdict),
        None if rate_limited && sight.usable().is_some() => Judgement::RateLimited,
        None => Judgement::Open,
    }
}

/// The user's stop, or a limit of E6. The first one stays.
fn stop_reason(sight: &Sight<'_>, rate_limited: bool) -> Option<StopReason> {
    if sight.spec.stopping {
        return Some(StopReason::StoppedByUser);
    }
    if sight
        .spec
        .timeout
        .is_some_and(|limit| times::running(sight).elapsed > limit)
    {
        return Some(StopReason::TimeLimit);
    }
    let view = sight.usable()?;
    let size = size::size(sight, &sight.register.state.files);
    if sight.spec.max_size.is_some_and(|limit| size.total > limit) {
        return Some(StopReason::SizeLimit);
    }
    let limit = view.rate_limit?;
    let too_long =
        limit.done == view.done && seconds_between(limit.since, sight.now) > sight.policy.rate_limited_seconds;
    (rate_limited && too_long).then_some(StopReason::RateLimited)
}

/// E4: `stopping` and never `started`.
fn stopped_before_start(sight: &Sight<'_>) -> Option<Verdict> {
    let redis_exists = sight.observed.redis.is_some() || sight.observed.redis_volume.is_some();
    if !sight.spec.stopping || sight.state().started || redis_exists {
        return None;
    }
    let verdict = Verdict::new(CrawlState::Canceled, "E4", "the crawl was stopped before it started");
    Some(Verdict {
        sets_started: false,
        ..verdict
    })
}

/// E1 and E2: every wanted or known instance is finished, or never ran and holds nothing up.
fn all_finished(sight: &Sight<'_>, instances: &Instances<'_>, next: &State) -> Option<Verdict> {
    if sight.spec.scale == 0 || !instances.any_known() {
        return None;
    }
    let all_ended = instances
        .iter()
        .all(|instance| instance.line.is_some_and(|line| line.ended.is_some()));
    let judged = match sight.store {
        StoreSight::Usable(_) => true,
        StoreSight::Blank(_) => false,
        StoreSight::Unreachable => all_ended,
    };
    let over = instances
        .iter()
        .all(|instance| instance.over() || never_needed(sight, instance));
    if !judged || !over {
        return None;
    }
    Some(if instances.iter().any(Instance::did_its_work) {
        finished_with_work(sight, next)
    } else {
        finished_without_work(sight)
    })
}

/// E1: an instance that never ran does not hold up the end when stopping, or when nothing is left and some page was handled.
pub(super) fn never_needed(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let nothing_left = sight
        .usable()
        .is_some_and(|view| idle_queue(view) && pages_handled(view) > 0);
    instance.never_ran && (sight.stop_wished() || nothing_left)
}

/// E1, with the single-page rule.
fn finished_with_work(sight: &Sight<'_>, next: &State) -> Verdict {
    let single_page = sight.usable().is_some_and(|view| found(view) == 1);
    if sight.saves() && single_page && next.files.count == 0 && !sight.stop_wished() {
        return Verdict::new(CrawlState::Failed, "E1", "the only page gave no file");
    }
    let state = match next.stop_reason {
        Some(StopReason::StoppedByUser) => CrawlState::StoppedByUser,
        Some(StopReason::PauseExpired) => CrawlState::StoppedPauseExpired,
        Some(StopReason::TimeLimit | StopReason::SizeLimit | StopReason::RateLimited) | None => CrawlState::Complete,
    };
    Verdict::new(state, "E1", "every instance is finished")
}

/// E2.
fn finished_without_work(sight: &Sight<'_>) -> Verdict {
    if sight.usable().is_some_and(|view| view.not_logged_in) {
        return Verdict::new(CrawlState::FailedNotLoggedIn, "E2", "the profile is not logged in");
    }
    if sight.stop_wished() && sight.pages_done() == 0 {
        return Verdict::new(
            CrawlState::Canceled,
            "E2",
            "the crawl was stopped before a page was done",
        );
    }
    Verdict::new(
        CrawlState::Failed,
        "E2",
        "every instance ended and none of them is done",
    )
}

/// E3: all crashed with exits that no restart can mend, or too often.
fn given_up(sight: &Sight<'_>, instances: &Instances<'_>, next: &State) -> Option<Verdict> {
    let view = sight.usable()?;
    if all_crashed_with(sight, instances, is_hopeless) {
        return Some(if instances.iter().any(Instance::did_its_work) {
            Verdict::new(
                CrawlState::Complete,
                "E3",
                "the other instances could not start (exit 4 or 17)",
            )
        } else {
            Verdict::new(
                CrawlState::Failed,
                "E3",
                "the crawler refuses its configuration (exit 4 or 17)",
            )
        });
    }
    let needed = if idle_queue(view) {
        CRASHES_WITHOUT_WORK
    } else {
        CRASHES_MAX
    };
    let hopeless = |instance: &Instance<'_>| instance.crashed().is_some_and(is_hopeless);
    if !all_crashed(sight, instances, |instance| {
        hopeless(instance) || crashes_in_a_row(instance) >= needed
    }) {
        return None;
    }
    let saved_something = view.done > 0 && next.files.count > 0;
    let state = if saved_something {
        CrawlState::Complete
    } else {
        CrawlState::Failed
    };
    Some(Verdict::new(
        state,
        "E3",
        "every unfinished instance crashed again and again",
    ))
}

/// Crashes of an instance that backs off from one now; other exits are no crash.
fn crashes_in_a_row(instance: &Instance<'_>) -> u32 {
    let last = instance.crawler.and_then(|crawler| crawler.pod.last_exit.as_ref());
    let counted = last.is_some_and(is_crash);
    if counted {
        instance.line.map_or(0, |line| line.crashes)
    } else {
        0
    }
}

/// I3 with a condition on the exit code.
fn all_crashed_with(sight: &Sight<'_>, instances: &Instances<'_>, matches: impl Fn(i32) -> bool) -> bool {
    all_crashed(sight, instances, |instance| instance.crashed().is_some_and(&matches))
}

/// I3: at least one instance is unfinished, and each unfinished wanted or known one crashed in this request. While pausing,
/// flushed instances count as finished.
fn all_crashed(sight: &Sight<'_>, instances: &Instances<'_>, and: impl Fn(&Instance<'_>) -> bool) -> bool {
    let over = |instance: &Instance<'_>| instance.over() || (sight.hold() && instance.flushed);
    let mut unfinished = instances.iter().filter(|instance| !over(instance)).peekable();
    unfinished.peek().is_some() && unfinished.all(|instance| instance.crashed().is_some() && and(instance))
}

/// Exits that no restart can mend: the crawler refuses its arguments, or died before it could say anything.
fn is_hopeless(code: i32) -> bool {
    code == 4 || code == 17
}

/// D5: five early ends of an instance fail the crawl.
fn ends_too_early(sight: &Sight<'_>, instances: &Instances<'_>) -> Option<Verdict> {
    sight.usable()?;
    let too_often = |instance: &Instance<'_>| {
        !instance.finished && instance.line.is_some_and(|line| line.early_ends >= EARLY_ENDS_MAX)
    };
    let verdict = Verdict::new(CrawlState::Failed, "D5", "an instance ended too early again and again");
    instances.iter().any(too_often).then_some(verdict)
}

/// P4: the pause expired, or the crawl is stopped while paused. Both need `flushed` observed, or not `started`.
fn pause_ends(sight: &Sight<'_>, reason: Option<StopReason>) -> Option<Verdict> {
    if !sight.hold() || (sight.state().started && !sight.state().flushed) {
        return None;
    }
    let paused_at = sight.spec.paused_at;
    let expired =
        paused_at.is_some_and(|since| seconds_between(since, sight.now) >= sight.policy.paused_expiry_seconds);
    if expired {
        let verdict = Verdict::new(
            CrawlState::StoppedPauseExpired,
            "P4",
            "the pause lasted longer than allowed",
        );
        return Some(Verdict {
            stop_reason: Some(StopReason::PauseExpired),
            ..verdict
        });
    }
    (reason == Some(StopReason::StoppedByUser) || sight.spec.stopping).then(|| {
        Verdict::new(
            CrawlState::StoppedByUser,
            "P4",
            "the crawl was stopped while it was paused",
        )
    })
}
