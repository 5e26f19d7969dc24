//! What happens once per exit (O7): memory grows after out of memory (Z1), volumes grow after a full disk (Z2), crashes
//! and early ends are counted (D5, E3).
//!
//! Takes the facts of each instance; changes the next register's lines. An exit is known by its id; the id of the last
//! handled one is kept, so that the same exit seen again does nothing.

use super::super::super::register::{InstanceLine, State};
use super::super::instance::{EntrySight, Instance, Instances};
use super::super::sight::{Sight, made_with, pages_handled};
use super::change_line;
use crate::observed::{Exit, PodState, VolumePhase};
use crate::outside::store::Entry;

/// Early ends in a row that fail a crawl (D5).
pub(in super::super) const EARLY_ENDS_MAX: u32 = 5;
/// Crashes in a row that fail a crawl whose queue is not empty (E3).
pub(in super::super) const CRASHES_MAX: u32 = 20;
/// Crashes in a row that fail a crawl with nothing left to do (E3).
pub(in super::super) const CRASHES_WITHOUT_WORK: u32 = 5;
/// Memory after out of memory, in percent of before (Z1).
const MEMORY_GROWTH_PERCENT: u64 = 120;
/// Exit code of a crawler whose disk is full (Z2).
const EXIT_DISK_FULL: i32 = 3;

/// Handles every exit that the observed register has not handled, and every volume that is too small.
pub(super) fn handle(sight: &Sight<'_>, instances: &Instances<'_>, next: &mut State) {
    for instance in instances.iter() {
        if let Some(exit) = new_exit(instance) {
            handle_exit(sight, instance, exit, next);
        }
        grow_volume_for_unsaved(sight, instance, next);
    }
    handle_redis_exit(sight, next);
}

fn new_exit<'a>(instance: &Instance<'a>) -> Option<&'a Exit> {
    let exit = instance.crawler?.pod.last_exit.as_ref()?;
    let handled = instance.line.and_then(|line| line.exit.as_deref());
    (handled != Some(exit.id.as_str())).then_some(exit)
}

/// One exit, once. A counter at its limit is not written again, nor its exit id, so that the register rests.
fn handle_exit(sight: &Sight<'_>, instance: &Instance<'_>, exit: &Exit, next: &mut State) {
    let below = |count: fn(&InstanceLine) -> u32, limit| instance.line.is_none_or(|line| count(line) < limit);
    let counts_early = ends_early(sight, instance) && below(|line| line.early_ends, EARLY_ENDS_MAX);
    let crashed = is_crash(exit) && instance.crashed().is_some();
    let counts_crash = crashed && below(|line| line.crashes, CRASHES_MAX);
    let disk_full = exit.code == EXIT_DISK_FULL;
    if !(counts_early || counts_crash || exit.out_of_memory || disk_full) {
        return;
    }
    change_line(next, instance.index, |line| {
        line.exit = Some(exit.id.clone());
        forget_if_pages_rose(sight, line);
        line.early_ends = (line.early_ends + u32::from(counts_early)).min(EARLY_ENDS_MAX);
        line.crashes = (line.crashes + u32::from(counts_crash)).min(CRASHES_MAX);
        if exit.out_of_memory {
            grow_memory(sight, instance, line);
        }
        if disk_full {
            let full = instance.volume.and_then(|volume| volume.capacity_bytes);
            grow_volume(sight, instance, line, full);
        }
    });
}

/// D5 and E3: counts start again when pages were done since the last handled exit. The store must say so.
fn forget_if_pages_rose(sight: &Sight<'_>, line: &mut InstanceLine) {
    let Some(view) = sight.usable() else { return };
    if view.done > line.pages_done {
        line.early_ends = 0;
        line.crashes = 0;
    }
    line.pages_done = view.done;
}

/// D5: Succeeded without a final entry, counted when the store is believed, the entry is not `interrupted` and the pod was
/// not disrupted (O8).
fn ends_early(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let succeeded = instance
        .crawler
        .is_some_and(|crawler| crawler.pod.state == PodState::Succeeded && !crawler.pod.disrupted);
    let interrupted = instance.entry == EntrySight::Is(Entry::Interrupted);
    sight.usable().is_some() && succeeded && !instance.final_entry() && !interrupted
}

/// E3: which exits count as a crash. Not the orderly ones of O8; not 4 and 17, which end the crawl at once; not 18, which
/// has its own state; and not those that wait for something outside (full disk 3, Redis 8, proxy 21, upload 22).
pub(in super::super) fn is_crash(exit: &Exit) -> bool {
    !matches!(exit.code, 0 | 3 | 4 | 8 | 11 | 13..=18 | 21 | 22)
}

/// Z1: memory x 1.2, at most the maximum; never less than before.
fn grow_memory(sight: &Sight<'_>, instance: &Instance<'_>, line: &mut InstanceLine) {
    let made_with = instance.crawler.and_then(made_with);
    let before = line.memory.or(made_with).unwrap_or(sight.spec.memory);
    line.memory = Some(grown_memory(before, sight.policy.memory_max));
}

fn grown_memory(before: u64, max: u64) -> u64 {
    (before.saturating_mul(MEMORY_GROWTH_PERCENT) / 100)
        .min(max)
        .max(before)
}

/// Z2: unsaved bytes times the ratio no longer fit the capacity.
fn grow_volume_for_unsaved(sight: &Sight<'_>, instance: &Instance<'_>, next: &mut State) {
    let pages = sight.usable().map_or(0, pages_handled);
    let size = sight.usable().and_then(|view| view.sizes.get(&instance.index).copied());
    let capacity = instance.volume.and_then(|volume| volume.capacity_bytes);
    let (Some(size), Some(capacity)) = (size, capacity) else {
        return;
    };
    if pages > 0 && !instance.final_entry() && times_ratio(sight, size) > capacity {
        change_line(next, instance.index, |line| {
            grow_volume(sight, instance, line, Some(size));
        });
    }
}

/// Z2: bytes times the ratio, in whole Gi, never below request or capacity, at most the maximum; only for a Bound volume of
/// a class that the configuration says can grow; without a configured class it speaks of the cluster's default.
fn grow_volume(sight: &Sight<'_>, instance: &Instance<'_>, line: &mut InstanceLine, bytes: Option<u64>) {
    const GIB: u64 = 1 << 30;
    let (Some(volume), Some(bytes)) = (instance.volume, bytes) else {
        return;
    };
    let expandable = sight.policy.storage_expandable
        && sight.policy.growth_percent > 0
        && volume.phase == VolumePhase::Bound
        && (sight.policy.storage_class.is_none() || volume.class == sight.policy.storage_class);
    if !expandable {
        return;
    }
    let wanted = times_ratio(sight, bytes)
        .div_ceil(GIB)
        .saturating_mul(GIB)
        .min(sight.policy.storage_max);
    let floor = volume.request_bytes.max(volume.capacity_bytes).unwrap_or(0);
    if wanted > floor {
        line.storage = Some(wanted.max(line.storage.unwrap_or(0)));
    }
}

fn times_ratio(sight: &Sight<'_>, bytes: u64) -> u64 {
    bytes.saturating_mul(u64::from(sight.policy.growth_percent)) / 100
}

/// Z1 for Redis, which has a maximum of its own.
fn handle_redis_exit(sight: &Sight<'_>, next: &mut State) {
    let Some(redis) = &sight.observed.redis else { return };
    let Some(exit) = redis.pod.last_exit.as_ref().filter(|exit| exit.out_of_memory) else {
        return;
    };
    if next.redis_exit.as_deref() == Some(exit.id.as_str()) {
        return;
    }
    let before = next.redis_memory.or(redis.memory).or(redis.pod.memory_request);
    let before = before.unwrap_or(sight.policy.redis.memory);
    next.redis_exit = Some(exit.id.clone());
    next.redis_memory = Some(grown_memory(before, sight.policy.redis.memory_max));
}
