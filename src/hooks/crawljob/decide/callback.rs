//! Who is called back (D5, step 15): a pod is left out, so that it is deleted, in every call in which a reason of the closed
//! list holds for its UID. The first reason wins; terminating pods are skipped.
//!
//! Takes the facts and the surplus step; keeps or calls back every crawler pod. Each reason is one that the replacement can
//! not inherit.

use super::super::observed::Crawler;
use super::instance::{Instance, Instances};
use super::roll::Roll;
use super::sight::{Sight, StoreSight, made_with};
use super::words::{Drop, Reason, Stay};
use crate::observed::PodState;
use crate::observed::time::seconds_between;

/// A pod that was refused before it started is called back no sooner than this after its creation (D5).
const REFUSED_SECONDS: u64 = 10;

/// Step 15 for every crawler pod.
pub(super) fn crawlers(sight: &Sight<'_>, instances: &Instances<'_>, drop: Option<Drop>, roll: &mut Roll<'_>) {
    for instance in instances.iter() {
        let Some(crawler) = instance.crawler else { continue };
        let reason = if crawler.pod.terminating {
            None
        } else {
            reason(sight, instance, crawler, drop)
        };
        match reason {
            Some(reason) => roll.call_back(&crawler.pod.name, reason),
            None => roll.keep_crawler(instance.index, crawler, stay(sight, instance)),
        }
    }
}

/// Why it stays, when nothing calls it back.
fn stay(sight: &Sight<'_>, instance: &Instance<'_>) -> Stay {
    if sight.hold() {
        Stay::Unsaved
    } else if instance.surplus {
        Stay::ScaledAway
    } else if instance.over() {
        Stay::Finished
    } else {
        Stay::Wanted
    }
}

/// The first reason that holds.
fn reason(sight: &Sight<'_>, instance: &Instance<'_>, crawler: &Crawler, drop: Option<Drop>) -> Option<Reason> {
    let unfinished = !instance.finished;
    let may_interrupt = unfinished && !sight.spec.ephemeral;
    let candidates = [
        (is_lost(sight, crawler), Reason::Lost),
        (left_by_a_blank_store(sight, crawler), Reason::Blank),
        (flushed_for_a_pause(sight, instance), Reason::Flushed),
        (drop == Some(Drop::Pod(instance.index)), Reason::ScaledAway),
        (ended_early(sight, instance, crawler), Reason::EndedEarly),
        (
            may_interrupt && !sight.hold() && restart_due(sight, crawler),
            Reason::Restart,
        ),
        (may_interrupt && grown(sight, instance, crawler), Reason::Grown),
        (may_interrupt && other_workers(sight, crawler), Reason::Workers),
    ];
    candidates
        .into_iter()
        .find_map(|(holds, reason)| holds.then_some(reason))
}

/// O5, held back for a pod that was refused a moment ago: a node that refuses at once must not be asked in a hot loop.
fn is_lost(sight: &Sight<'_>, crawler: &Crawler) -> bool {
    let lost = matches!(crawler.pod.state, PodState::Lost(_));
    let refused = !crawler.pod.ever_started;
    let young = crawler
        .pod
        .created
        .is_some_and(|created| seconds_between(created, sight.now) < REFUSED_SECONDS);
    lost && !(refused && young)
}

/// S2: while blank and `renewed` is observed every pod; before that only Succeeded ones, so that somebody works again. An
/// ephemeral pod holds the only copy of its data and is left to end by itself.
fn left_by_a_blank_store(sight: &Sight<'_>, crawler: &Crawler) -> bool {
    let may_go = sight.state().renewed && !(sight.spec.ephemeral && crawler.pod.container_runs);
    sight.blank() && (may_go || crawler.pod.state == PodState::Succeeded)
}

/// P1: with the store unreachable pods stay; before `started` no store is needed to know that nothing ran.
fn flushed_for_a_pause(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let known = sight.usable().is_some() || (!sight.state().started && !sight.any_placed());
    sight.hold() && known && instance.flushed
}

/// I1: Succeeded without a final entry, as far as the store can say so.
fn ended_early(sight: &Sight<'_>, instance: &Instance<'_>, crawler: &Crawler) -> bool {
    let known = match sight.store {
        StoreSight::Usable(_) => true,
        StoreSight::Blank(_) | StoreSight::Unreachable => false,
    };
    known && crawler.pod.state == PodState::Succeeded && !instance.final_entry()
}

/// R1: created before the instant and not made for it. An instant in the future restarts nothing (O10).
fn restart_due(sight: &Sight<'_>, crawler: &Crawler) -> bool {
    let Some(instant) = sight.due_restart() else {
        return false;
    };
    let older = crawler.pod.created.is_some_and(|created| created < instant);
    older && crawler.restart_time != Some(instant)
}

/// D5 and Z1: the observed register asks for more than the pod was made with; never because defaults changed.
fn grown(sight: &Sight<'_>, instance: &Instance<'_>, crawler: &Crawler) -> bool {
    let asked = sight
        .state()
        .instances
        .get(&instance.index)
        .and_then(|line| line.memory);
    matches!((asked, made_with(crawler)), (Some(asked), Some(has)) if asked > has)
}

/// Z3: counts only when set in the spec, and an unknown previous value is not a change.
fn other_workers(sight: &Sight<'_>, crawler: &Crawler) -> bool {
    matches!((sight.spec.workers_set, crawler.workers), (Some(asked), Some(has)) if asked != has)
}
