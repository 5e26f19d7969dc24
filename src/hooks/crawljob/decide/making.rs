//! Who is made (steps 16 and 17): missing instances that are wanted, and, while pausing, unflushed ones that must still save
//! what they have.
//!
//! Takes the facts; makes pods in the roll and writes `flushed`. It never makes a pod beside a terminating volume (D2), nor,
//! once `started` is observed, without having read a store without the pause flag (P3).

use super::end::never_needed;
use super::instance::{EntrySight, Instance, Instances};
use super::ledger::Ledger;
use super::roll::Roll;
use super::sight::{Sight, StoreSight};

/// P2 and P3: `flushed` once every known instance is flushed and no crawler pod is left; cleared once the pause is over and
/// the flag was read as gone.
pub(super) fn flush(sight: &Sight<'_>, instances: &Instances<'_>, ledger: &mut Ledger) {
    let Some(view) = sight.usable() else { return };
    if sight.hold() && view.flags.paused && sight.observed.crawlers.is_empty() && instances.all_flushed() {
        if !sight.state().flushed && sight.state().started {
            ledger.record_ends(sight, instances);
            ledger.state().flushed = true;
        }
    } else if !sight.hold() && !view.flags.paused {
        ledger.state().flushed = false;
    }
}

/// Makes what is missing, all at once (C1); gives the indices that were made.
pub(super) fn crawlers(sight: &Sight<'_>, instances: &Instances<'_>, roll: &mut Roll<'_>) -> Vec<u32> {
    let made: Vec<u32> = instances
        .iter()
        .filter(|instance| is_made(sight, instance))
        .map(|instance| instance.index)
        .collect();
    for index in &made {
        roll.make_crawler(sight, *index);
    }
    made
}

fn is_made(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let room = instance.crawler.is_none() && instance.volume.is_none_or(|volume| !volume.terminating);
    room && !sight.observed.job.terminating && is_missing(sight, instance) && store_allows(sight, instance)
}

/// D1 and C2: wanted and unfinished, or surplus with work left, or unflushed while pausing. One that is not needed any more
/// is not made only to end at once.
fn is_missing(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    if sight.hold() {
        return sight.state().started && instance.known && !instance.flushed;
    }
    let wanted = instance.wanted && !instance.finished && !never_needed(sight, instance);
    // S2: after a loss a missing entry proves nothing, so a known surplus instance must end by itself as well.
    let may_have_work = instance.unfinished_entry() || instance.entry == EntrySight::Unknown;
    wanted || (instance.surplus && may_have_work)
}

/// P3 and S2: before `started` the store is not needed; after it, it must be read without the flag, or the pod is made to
/// flush. None is made beside a store that lost its data.
fn store_allows(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let state = sight.state();
    if !state.started {
        return !sight.hold();
    }
    match sight.store {
        StoreSight::Usable(view) if sight.hold() => view.flags.paused || !instance.flushed,
        StoreSight::Usable(view) => !view.flags.paused && !state.flushed,
        StoreSight::Blank(_) | StoreSight::Unreachable => false,
    }
}
