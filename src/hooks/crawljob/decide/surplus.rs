//! Scaling down (rules C2 to C4, step 17): one step at a time, from the top, without gaps; then those that were scaled away
//! and are wanted again.
//!
//! Takes the facts; gives the one thing that may go now: a pod, a volume, or the traces of an instance. Nothing goes while the
//! store can't be believed or while paused (D4).

use super::instance::{Instance, Instances};
use super::ledger::Ledger;
use super::sight::Sight;
use super::words::Drop;
use crate::outside::store::{StoreView, StoreWrite};

/// The next step from the top. Traces (entry, size, line, `stopone`) are removed here.
pub(super) fn next_step(
    sight: &Sight<'_>,
    instances: &Instances<'_>,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
) -> Option<Drop> {
    let view = sight.usable()?;
    if sight.hold() {
        return None;
    }
    from_the_top(sight, view, instances, ledger, effects)
        .or_else(|| those_that_come_back(sight, view, instances, ledger, effects))
}

/// C2 and C3: an instance that still has work holds back those below it.
fn from_the_top(
    sight: &Sight<'_>,
    view: &StoreView,
    instances: &Instances<'_>,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
) -> Option<Drop> {
    let has_storage = sight.saves();
    for instance in instances.all.values().rev().filter(|instance| instance.surplus) {
        if !instance.finished && !instance.never_ran {
            return None;
        }
        if let Some(crawler) = instance.crawler {
            return (!crawler.pod.terminating).then_some(Drop::Pod(instance.index));
        }
        match instance.volume {
            // C3: its traces are what says so, and a volume with unsaved data stays (T6) without blocking lower ones.
            Some(_) if !instance.volume_may_go(has_storage) => {}
            Some(volume) => return (!volume.terminating).then_some(Drop::Volume(instance.index)),
            None => {
                if instance.never_ran || instance.volume_may_go(has_storage) {
                    forget(view, instance.index, ledger, effects);
                }
            }
        }
    }
    None
}

/// C4: they are dropped as C3 says and then made anew. One whose volume may not go is told to go on, on that volume.
fn those_that_come_back(
    sight: &Sight<'_>,
    view: &StoreView,
    instances: &Instances<'_>,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
) -> Option<Drop> {
    let all = instances.iter().filter(|instance| instance.comes_back());
    let steps = all.map(|instance| one_that_comes_back(sight, view, instance, ledger, effects));
    // Every one is looked at: traces go for all of them in one call.
    steps.fold(None, Option::or)
}

fn one_that_comes_back(
    sight: &Sight<'_>,
    view: &StoreView,
    instance: &Instance<'_>,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
) -> Option<Drop> {
    let index = instance.index;
    if let Some(crawler) = instance.crawler {
        return (!crawler.pod.terminating).then_some(Drop::Pod(index));
    }
    match instance.volume {
        _ if !instance.volume_may_go(sight.saves()) => {
            effects.push(StoreWrite::SetInterrupted(index));
            effects.push(StoreWrite::DeleteStopOne(index));
            None
        }
        Some(volume) => (!volume.terminating).then_some(Drop::Volume(index)),
        None => {
            forget(view, index, ledger, effects);
            None
        }
    }
}

/// C3: entry, size, the whole register line and `stopone` last.
fn forget(view: &StoreView, index: u32, ledger: &mut Ledger, effects: &mut Vec<StoreWrite>) {
    ledger.drop_line(index);
    if view.entries.contains_key(&index) {
        effects.push(StoreWrite::DeleteEntry(index));
    }
    if view.sizes.contains_key(&index) {
        effects.push(StoreWrite::DeleteSize(index));
    }
    if view.flags.stop_one.contains(&index) {
        effects.push(StoreWrite::DeleteStopOne(index));
    }
}
