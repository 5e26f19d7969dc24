//! The Redis pod (D4, step 18): wanted once `started` is observed, until teardown, except while it idles.
//!
//! Takes the facts; keeps, makes or calls back the Redis pod, and keeps the idle mark. What only the store knows goes into
//! the register first and is observed there before the pod goes (S5).

use super::instance::{Instance, Instances};
use super::ledger::{Ledger, lines_complete};
use super::roll::Roll;
use super::sight::Sight;
use super::words::{Judgement, Reason, Stay};
use crate::observed::time::seconds_between;
use crate::observed::{PodState, Timestamp};
use crate::outside::store::StoreWrite;

use super::super::observed::RedisPod;

/// Step 18.
pub(super) fn pod(
    sight: &Sight<'_>,
    instances: &Instances<'_>,
    judgement: &Judgement,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
    roll: &mut Roll<'_>,
) {
    let idle = is_idle(sight, instances, judgement);
    let rests = rests(sight, instances, ledger, effects, idle);
    let Some(redis) = &sight.observed.redis else {
        if sight.state().started && !idle && !sight.observed.job.terminating && no_volume_is_leaving(sight) {
            roll.make_redis(sight);
        }
        return;
    };
    match call_back(sight, redis, rests) {
        Some(reason) => roll.call_back(&redis.pod.name, reason),
        None => roll.keep_redis(redis, Stay::RedisWanted),
    }
}

/// A lost pod goes so that a new one is made; a grown one as well; an idle one rests.
fn call_back(sight: &Sight<'_>, redis: &RedisPod, rests: bool) -> Option<Reason> {
    if redis.pod.terminating {
        return None;
    }
    if matches!(redis.pod.state, PodState::Lost(_)) {
        return Some(Reason::Lost);
    }
    let has = redis.memory.or(redis.pod.memory_request);
    if matches!((sight.state().redis_memory, has), (Some(asked), Some(has)) if asked > has) {
        return Some(Reason::Grown);
    }
    rests.then_some(Reason::RedisIdle)
}

/// D4: no placed crawler, and nothing waits for it. Not while no crawler pod exists, unless `flushed` is observed while
/// paused.
fn is_idle(sight: &Sight<'_>, instances: &Instances<'_>, judgement: &Judgement) -> bool {
    let paused_for_good = sight.hold() && sight.state().flushed;
    let nobody = sight.observed.crawlers.is_empty();
    !sight.any_placed() && (!nobody || paused_for_good) && !somebody_waits(sight, instances, judgement)
}

/// Pause, stop, scale-down, an instance that comes back, verdict and resume need the store.
fn somebody_waits(sight: &Sight<'_>, instances: &Instances<'_>, judgement: &Judgement) -> bool {
    let verdict = match judgement {
        Judgement::Final(_) => true,
        Judgement::Open | Judgement::RateLimited => false,
    };
    if sight.hold() {
        return verdict || !sight.state().flushed;
    }
    let flag_is_set = sight.answered().is_some_and(|view| view.flags.paused);
    let resumes = flag_is_set || sight.state().flushed;
    let waits = |instance: &Instance<'_>| instance.comes_back() || waits_to_be_dropped(sight, instance);
    verdict || resumes || sight.stop_wished() || instances.iter().any(waits)
}

/// D4: a surplus whose volume T6 keeps waits for nothing.
fn waits_to_be_dropped(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let kept = instance.crawler.is_none()
        && instance.volume.is_some()
        && instance.finished
        && !instance.volume_may_go(sight.saves());
    instance.surplus && !kept
}

/// Keeps the idle mark; true once the idle time is over and everything the store knows is observed in the register.
fn rests(
    sight: &Sight<'_>,
    instances: &Instances<'_>,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
    idle: bool,
) -> bool {
    let Some(view) = sight.answered() else { return false };
    if !idle {
        if view.idle_since.is_some() {
            effects.push(StoreWrite::DeleteIdle);
        }
        return false;
    }
    let Some(since) = view.idle_since else {
        effects.push(StoreWrite::SetIdleSince(sight.now));
        return false;
    };
    if !idle_long_enough(sight, since) || sight.blank() {
        return false;
    }
    ledger.record_ends(sight, instances);
    ledger.is_observed(sight) && lines_complete(sight)
}

fn idle_long_enough(sight: &Sight<'_>, since: Timestamp) -> bool {
    seconds_between(since, sight.now) >= u64::from(sight.policy.redis_idle_seconds)
}

/// The words: a terminating volume holds back Redis as it does a crawler.
fn no_volume_is_leaving(sight: &Sight<'_>) -> bool {
    sight
        .observed
        .redis_volume
        .as_ref()
        .is_none_or(|volume| !volume.terminating)
}
