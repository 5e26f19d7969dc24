//! Taking a job down: after a result that is observed in the register (T1, T6), and in finalize (T2 to T4).
//!
//! Takes the observation; gives what is left to keep, in the order crawlers, Redis, volumes, ConfigMaps. Nothing is made here,
//! and in finalize nothing waits for the register: in a namespace that goes away it could never come.

use super::super::build::Role;
use super::super::observed::Observed;
use super::super::register::Register;
use super::super::register::RegisterSeen;
use super::Decision;
use super::instance::Instances;
use super::keep::{known_result, register_as_it_is};
use super::ledger::{Ledger, lines_complete};
use super::roll::Roll;
use super::sight::{Sight, StoreSight};
use super::words::{Reason, Stay};
use super::{status, wake};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::Finalized;
use crate::observed::time::{self, seconds_between, whole_seconds};
use crate::observed::{PodState, Timestamp};
use crate::outside::store::{StoreReading, StoreWrite, Unreachable};
use crate::policy::CrawlPolicy;

/// T1: the result is observed in the register.
pub(super) fn after_result(
    observed: &Observed,
    register: &Register,
    result: CrawlState,
    now: Timestamp,
    policy: &CrawlPolicy,
) -> Decision {
    let mut roll = Roll::new(observed, policy);
    let mut next = register.clone();
    let store_is_needed = match &observed.spec {
        Ok(spec) => store_is_needed(&Sight::new(observed, register, spec, now, policy), &mut next),
        // Without a spec nobody knows what storage means: the recorded lines and sizes stand as they are.
        Err(_) => false,
    };
    next.state
        .finished_at
        .get_or_insert_with(|| whole_seconds(observed.previous.finished_at.unwrap_or(now)));
    let unsaved = pods_and_volumes(observed, register, &mut roll, store_is_needed);
    roll.register_text(&next);
    let status = status::after_result(observed, &next, result, &unsaved, now);
    let wake = if roll_is_waiting(observed) {
        wake::soon()
    } else {
        wake::on_event()
    };
    roll.answer(status, wake, Vec::new())
}

/// Something still has to go.
fn roll_is_waiting(observed: &Observed) -> bool {
    !observed.crawlers.is_empty() || observed.redis.is_some()
}

/// T1: before Redis goes, every line, entry and size must be in the observed register, if the store can be asked. They are
/// written once no crawler can change them.
fn store_is_needed(sight: &Sight<'_>, next: &mut Register) -> bool {
    match sight.store {
        StoreSight::Usable(_) if sight.observed.crawlers.is_empty() => {
            let instances = Instances::survey(sight);
            let mut ledger = Ledger::open(sight, &instances);
            ledger.record_ends(sight, &instances);
            let observed_already = ledger.is_observed(sight) && lines_complete(sight);
            *next = ledger.next;
            !observed_already
        }
        StoreSight::Usable(_) => true,
        StoreSight::Blank(_) => false,
        StoreSight::Unreachable => may_answer_yet(sight),
    }
}

/// T1: a Redis that lives and did not answer this call is waited for, as long as the crawlers may take to go and the idle
/// time after that. It is counted from the result, so that a wait needs no memory.
fn may_answer_yet(sight: &Sight<'_>) -> bool {
    let lives = sight.observed.redis.as_ref().is_some_and(|redis| {
        redis.pod.state == PodState::Running && redis.pod.container_runs && !redis.pod.terminating
    });
    let asked = sight.observed.store != StoreReading::Unreachable(Unreachable::Disabled);
    let patience = u64::from(sight.policy.grace_seconds) + u64::from(sight.policy.redis_idle_seconds);
    let since = sight.state().finished_at.as_deref().and_then(time::read);
    lives && asked && since.is_some_and(|since| seconds_between(since, sight.now) < patience)
}

/// T1 and T6: crawlers, then Redis, then volumes that hold nothing unsaved. Gives the instances whose volume stays.
fn pods_and_volumes(observed: &Observed, register: &Register, roll: &mut Roll<'_>, store_is_needed: bool) -> Vec<u32> {
    let pods_left = take_down_pods(observed, roll, store_is_needed);
    if pods_left {
        keep_volumes(observed, roll);
        keep_config(observed, roll);
        return Vec::new();
    }
    let mut unsaved = Vec::new();
    for (index, volume) in &observed.volumes {
        if volume_may_go(observed, register, *index) {
            roll.drop_volume(volume, "T6", "everything on it is saved");
        } else {
            roll.keep_volume(Some(*index), volume, None, Stay::VolumeUnsaved);
            unsaved.push(*index);
        }
    }
    if let Some(volume) = &observed.redis_volume {
        roll.drop_volume(volume, "T1", "the crawl is over");
    }
    for map in observed.config.iter().chain(&observed.ticket) {
        roll.drop_config_map(map, "T1", "the crawl is over");
    }
    unsaved
}

/// T6 without a store: `ended` says done and there is storage, or the recorded size is known to be nothing.
fn volume_may_go(observed: &Observed, register: &Register, index: u32) -> bool {
    let has_storage = observed.spec.as_ref().is_ok_and(|spec| spec.storage.is_some()) && !register.state.keeps_volumes;
    let line = register.state.instances.get(&index);
    let done = line.is_some_and(|line| line.ended == Some(super::super::register::FinalEntry::Done));
    let empty = line
        .and_then(|line| line.size)
        .is_some_and(|bytes| bytes <= super::instance::EMPTY_BYTES);
    (done && has_storage) || empty || !register.state.started
}

/// Crawlers at once, Redis once no crawler pod object exists. Gives whether any pod exists.
fn take_down_pods(observed: &Observed, roll: &mut Roll<'_>, store_is_needed: bool) -> bool {
    for (index, crawler) in &observed.crawlers {
        if crawler.pod.terminating {
            roll.keep_crawler(*index, crawler, Stay::Leaving);
        } else {
            roll.call_back(&crawler.pod.name, Reason::Teardown);
        }
    }
    if let Some(redis) = &observed.redis {
        let needed = !observed.crawlers.is_empty() || store_is_needed;
        if redis.pod.terminating || needed {
            roll.keep_redis(redis, Stay::NotItsTurn);
        } else {
            roll.call_back(&redis.pod.name, Reason::Teardown);
        }
    }
    !observed.crawlers.is_empty() || observed.redis.is_some()
}

fn keep_volumes(observed: &Observed, roll: &mut Roll<'_>) {
    for (index, volume) in &observed.volumes {
        roll.keep_volume(Some(*index), volume, None, Stay::NotItsTurn);
    }
    if let Some(volume) = &observed.redis_volume {
        roll.keep_volume(None, volume, None, Stay::NotItsTurn);
    }
}

fn keep_config(observed: &Observed, roll: &mut Roll<'_>) {
    if let Some(map) = &observed.config {
        roll.keep_config_map(Role::Config, map);
    }
}

/// T2 to T4: the parent is being deleted, whatever its spec looks like, with or without a store.
pub(super) fn finalize(observed: &Observed, now: Timestamp, policy: &CrawlPolicy) -> Decision {
    let mut roll = Roll::new(observed, policy);
    let result = final_state(observed);
    let pods_left = take_down_pods(observed, &mut roll, false);
    let volumes_left = !observed.volumes.is_empty() || observed.redis_volume.is_some();
    if pods_left {
        keep_volumes(observed, &mut roll);
    } else {
        drop_volumes(observed, &mut roll);
    }
    if pods_left || volumes_left {
        keep_config(observed, &mut roll);
        register_as_it_is(&mut roll, observed);
    } else {
        drop_config_maps(observed, &mut roll);
    }
    let gone = !pods_left && !volumes_left && no_config_map(observed) && roll.is_empty();
    let finalized = if gone { Finalized::Yes } else { Finalized::No };
    let effects = cancel(observed, result);
    let status = status::finalizing(observed, result, now);
    let wake = if gone { wake::on_event() } else { wake::finalizing() };
    roll.finish(status, wake, effects, finalized)
}

/// T3: a final status stands, else the register's result, else canceled.
fn final_state(observed: &Observed) -> CrawlState {
    let shown = observed.previous.state.filter(|state| state.is_final());
    shown.or_else(|| known_result(observed)).unwrap_or(CrawlState::Canceled)
}

/// T3: the crawlers are told when the store can be reached.
fn cancel(observed: &Observed, result: CrawlState) -> Vec<StoreWrite> {
    match &observed.store {
        StoreReading::Reachable(view) if result == CrawlState::Canceled && !view.flags.canceled => {
            vec![StoreWrite::SetCanceled]
        }
        StoreReading::Reachable(_) | StoreReading::Unreachable(_) => Vec::new(),
    }
}

fn drop_volumes(observed: &Observed, roll: &mut Roll<'_>) {
    for volume in observed.volumes.values().chain(&observed.redis_volume) {
        roll.drop_volume(volume, "T1", "the job is deleted");
    }
}

fn drop_config_maps(observed: &Observed, roll: &mut Roll<'_>) {
    for map in config_maps(observed) {
        roll.drop_config_map(map, "T1", "the crawl is over");
    }
}

fn no_config_map(observed: &Observed) -> bool {
    config_maps(observed).next().is_none()
}

fn config_maps(observed: &Observed) -> impl Iterator<Item = &crate::observed::ConfigMap> {
    let register = match &observed.register {
        RegisterSeen::Readable(_, map) | RegisterSeen::Unreadable(map) => Some(map),
        RegisterSeen::Missing => None,
    };
    observed.config.iter().chain(&observed.ticket).chain(register)
}
