//! Answers that change nothing: everything observed is listed again (steps 1, 3, 4, 5 and 13). A shorter list would delete.
//!
//! Takes the observation; gives full answers for an orphaned parent, an unusable spec, a register that is not there, and a
//! result that only the status knows.

use super::super::build::Role;
use super::super::observed::Observed;
use super::super::register::RegisterSeen;
use super::super::register::{Dropped, Register, State};
use super::super::spec::Config;
use super::Decision;
use super::roll::Roll;
use super::words::Stay;
use super::{status, times, wake};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::Finalized;
use crate::observed::time::whole_seconds;
use crate::observed::{ConfigMap, Timestamp};
use crate::policy::CrawlPolicy;

/// E5: a final state in the observed register or in the status is final; the register's wins.
pub(super) fn known_result(observed: &Observed) -> Option<CrawlState> {
    let written = match &observed.register {
        RegisterSeen::Readable(register, _) => register.state.result,
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => None,
    };
    written.or(observed.previous.state.filter(|state| state.is_final()))
}

/// Lists every observed child except the register, which each caller answers on purpose.
pub(super) fn everything(roll: &mut Roll<'_>, observed: &Observed, stay: Stay) {
    everything_but_ticket(roll, observed, stay);
    if let Some(map) = &observed.ticket {
        roll.keep_config_map(ticket_role(map), map);
    }
}

fn everything_but_ticket(roll: &mut Roll<'_>, observed: &Observed, stay: Stay) {
    for (index, crawler) in &observed.crawlers {
        roll.keep_crawler(*index, crawler, stay);
    }
    if let Some(redis) = &observed.redis {
        roll.keep_redis(redis, stay);
    }
    for (index, volume) in &observed.volumes {
        roll.keep_volume(Some(*index), volume, None, stay);
    }
    if let Some(volume) = &observed.redis_volume {
        roll.keep_volume(None, volume, None, stay);
    }
    if let Some(map) = &observed.config {
        roll.keep_config_map(Role::Config, map);
    }
}

/// The observed register, unchanged.
pub(super) fn register_as_it_is(roll: &mut Roll<'_>, observed: &Observed) {
    match &observed.register {
        RegisterSeen::Readable(_, map) | RegisterSeen::Unreadable(map) => roll.keep_config_map(Role::Register, map),
        RegisterSeen::Missing => {}
    }
}

fn ticket_role(map: &ConfigMap) -> Role {
    Role::Ticket {
        org: map.data.get("org").cloned().unwrap_or_default(),
    }
}

/// T5: the finalizer `orphan` is there: every child kept, and the parent may go.
pub(super) fn orphaned(observed: &Observed, now: Timestamp, policy: &CrawlPolicy) -> Decision {
    let mut roll = Roll::new(observed, policy);
    everything(&mut roll, observed, Stay::Orphaned);
    register_as_it_is(&mut roll, observed);
    let finalized = if observed.finalizing {
        Finalized::Yes
    } else {
        Finalized::NotAsked
    };
    let status = status::unchanged(observed, now);
    roll.finish(status, wake::finalizing(), Vec::new(), finalized)
}

/// Step 3: a spec we can't use deletes nothing.
pub(super) fn unusable_spec(observed: &Observed, now: Timestamp, policy: &CrawlPolicy) -> Decision {
    let mut roll = Roll::new(observed, policy);
    let waits_for_nothing = !observed.has_pods_or_volumes();
    everything_but_ticket(&mut roll, observed, Stay::SpecUnusable);
    match &observed.ticket {
        // Q2: it would hold its place in the queue for a job that can't run.
        Some(map) if waits_for_nothing => roll.drop_config_map(map, "Q2", "the spec can't be used and nothing exists"),
        Some(map) => roll.keep_config_map(ticket_role(map), map),
        None => {}
    }
    register_as_it_is(&mut roll, observed);
    let status = status::unchanged(observed, now);
    roll.answer(status, wake::on_event(), Vec::new())
}

/// E5: only the status knows the result: it is written into the register again, and nothing is taken down before it is
/// observed there.
pub(super) fn write_result_again(
    observed: &Observed,
    register: &Register,
    result: CrawlState,
    now: Timestamp,
    policy: &CrawlPolicy,
) -> Decision {
    let mut roll = Roll::new(observed, policy);
    everything(&mut roll, observed, Stay::ResultProposed);
    let mut next = register.clone();
    next.state.result = Some(result);
    next.state.finished_at = Some(whole_seconds(observed.previous.finished_at.unwrap_or(now)));
    roll.register_text(&next);
    let status = status::waiting_for_register(observed, Some(register), now);
    roll.answer(status, wake::soon(), Vec::new())
}

/// D8: no register. Beside anything that exists it is asked for with `started` and `marked`, everything is kept and nothing
/// is concluded until it is seen. A new job gets its register and its configuration first, and pods once it is observed.
pub(super) fn without_register(observed: &Observed, now: Timestamp, policy: &CrawlPolicy) -> Decision {
    let mut roll = Roll::new(observed, policy);
    everything(&mut roll, observed, Stay::NoRegister);
    match &observed.register {
        RegisterSeen::Unreadable(map) => roll.keep_config_map(Role::Register, map),
        RegisterSeen::Readable(..) | RegisterSeen::Missing => {
            if !observed.job.terminating {
                roll.register_text(&first_register(observed));
            }
        }
    }
    // A job that is over starts nobody who could read it.
    if observed.config.is_none()
        && known_result(observed).is_none()
        && !observed.job.terminating
        && let Ok(spec) = &observed.spec
        && let Config::Inline(text) = &spec.config
    {
        roll.config_text(text);
    }
    let status = status::waiting_for_register(observed, None, now);
    roll.answer(status, wake::soon(), Vec::new())
}

fn first_register(observed: &Observed) -> Register {
    let beside = exists_already(observed);
    let result = known_result(observed);
    let state = State {
        started: beside,
        marked: beside,
        most_scale: observed.spec.as_ref().map_or(1, |spec| spec.scale.max(1)),
        keeps_volumes: observed.spec.as_ref().is_ok_and(|spec| spec.storage.is_none()),
        result,
        finished_at: result.and(observed.previous.finished_at).map(whole_seconds),
        started_at: times::first_start(observed).map(whole_seconds),
        ..State::blank_page()
    };
    Register {
        state,
        files: Vec::new(),
        dropped: Dropped::nothing(),
    }
}

/// D8: pods, volumes, a start or an end in the status.
fn exists_already(observed: &Observed) -> bool {
    observed.has_pods_or_volumes() || observed.previous.started_at.is_some() || known_result(observed).is_some()
}
