//! Volumes (D2, D3, step 19): all observed ones, plus those of pods that are made or Pending, minus the one that a scale-down
//! drops.
//!
//! Takes the facts and what the earlier steps made; lists claims. A claim that exists is answered with what was observed of
//! it; only Z2 changes the request.

use super::instance::{Instance, Instances};
use super::roll::Roll;
use super::sight::Sight;
use super::words::{Drop, Stay};
use crate::observed::{Phase, Pod};

/// Step 19.
pub(super) fn all(sight: &Sight<'_>, instances: &Instances<'_>, drop: Option<Drop>, made: &[u32], roll: &mut Roll<'_>) {
    for instance in instances.iter() {
        let index = instance.index;
        match instance.volume {
            Some(volume) if drop == Some(Drop::Volume(index)) => roll.drop_volume(volume, "C3", "scaled away"),
            Some(volume) => {
                let grown_to = sight.state().instances.get(&index).and_then(|line| line.storage);
                let stay = if rests_unsaved(sight, instance) {
                    Stay::VolumeUnsaved
                } else {
                    Stay::VolumeListed
                };
                roll.keep_volume(Some(index), volume, grown_to, stay);
            }
            None => {
                let pending = is_pending(instance.crawler.map(|crawler| &crawler.pod));
                if !sight.spec.ephemeral && (pending || made.contains(&index)) {
                    roll.make_volume(sight, index);
                }
            }
        }
    }
    match &sight.observed.redis_volume {
        Some(volume) => roll.keep_volume(None, volume, None, Stay::VolumeListed),
        None if is_pending(sight.observed.redis.as_ref().map(|redis| &redis.pod)) => roll.make_redis_volume(sight),
        None => {}
    }
}

/// The pod waits for its volume, which may have failed to be made beside it.
fn is_pending(pod: Option<&Pod>) -> bool {
    pod.is_some_and(|pod| pod.phase == Phase::Pending && !pod.terminating)
}

/// T6: instances that are scaled away and finished, and whose volume may not go.
pub(super) fn kept_unsaved(sight: &Sight<'_>, instances: &Instances<'_>) -> Vec<u32> {
    let kept = instances.iter().filter(|instance| rests_unsaved(sight, instance));
    kept.map(|instance| instance.index).collect()
}

fn rests_unsaved(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let rests = instance.surplus && instance.finished && instance.crawler.is_none();
    rests && instance.volume.is_some() && !instance.volume_may_go(sight.saves())
}
