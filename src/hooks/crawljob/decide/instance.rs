//! One instance and what can be said of it (rules I, D1, P1 and the words of the rules).
//!
//! Takes a [`Sight`]; gives every known or wanted instance with its facts, by index. Facts only: what follows from them
//! is decided by the steps.

use std::collections::{BTreeMap, BTreeSet};

use super::super::observed::Crawler;
use super::super::register::{FinalEntry, InstanceLine};
use super::sight::{Sight, StoreSight, idle_queue};
use crate::observed::{PodState, Volume};
use crate::outside::store::{Entry, StoreView};

/// An empty archive folder may still measure this much.
pub(super) const EMPTY_BYTES: u64 = 4096;

/// All instances of a job.
#[derive(Debug)]
pub(super) struct Instances<'a> {
    /// By index; every known and every wanted one.
    pub(super) all: BTreeMap<u32, Instance<'a>>,
}

/// One instance.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent fact of the rules")]
pub(super) struct Instance<'a> {
    /// Its number.
    pub(super) index: u32,
    /// Its pod.
    pub(super) crawler: Option<&'a Crawler>,
    /// Its volume.
    pub(super) volume: Option<&'a Volume>,
    /// Its register line.
    pub(super) line: Option<&'a InstanceLine>,
    /// What the store, or the register in its place, says of it.
    pub(super) entry: EntrySight,
    /// It has a pod, a volume, an entry or a line.
    pub(super) known: bool,
    /// Below the wanted number, or known, unfinished and below the scale (D1).
    pub(super) wanted: bool,
    /// Known and at or above a scale that is not 0 (C2).
    pub(super) surplus: bool,
    /// I1.
    pub(super) finished: bool,
    /// C4: it ended because it was scaled away, and its work is still in the queue.
    pub(super) handed_back: bool,
    /// I2.
    pub(super) never_ran: bool,
    /// Bytes that exist nowhere but on its volume, if known.
    pub(super) unsaved: Option<u64>,
    /// P1.
    pub(super) flushed: bool,
}

/// What is known of `<id>:status` of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntrySight {
    /// It has this entry.
    Is(Entry),
    /// The store was read and believed, and has none.
    None,
    /// The store can't be asked, lost its data, or lost it once: nothing is known.
    Unknown,
}

impl Instance<'_> {
    /// The container runs now.
    pub(super) fn runs(&self) -> bool {
        self.crawler.is_some_and(|crawler| crawler.pod.container_runs)
    }

    /// Its entry is `done`.
    pub(super) fn done(&self) -> bool {
        self.entry == EntrySight::Is(Entry::Done)
    }

    /// C4: its end is no end of the crawl: it is wanted again, and there is work for it.
    pub(super) fn comes_back(&self) -> bool {
        self.handed_back && self.wanted
    }

    /// It has nothing more to do in this crawl (E1, I3).
    pub(super) fn over(&self) -> bool {
        self.finished && !self.comes_back()
    }

    /// Its entry is `done`, and not because it handed its work back (E1, E3).
    pub(super) fn did_its_work(&self) -> bool {
        self.done() && !self.handed_back
    }

    /// Its entry is final: `done` or `failed`; `canceled` counts as interrupted in sync (I1).
    pub(super) fn final_entry(&self) -> bool {
        matches!(self.entry, EntrySight::Is(Entry::Done | Entry::Failed))
    }

    /// It has an entry that is not final: work that must be finished (C2).
    pub(super) fn unfinished_entry(&self) -> bool {
        match self.entry {
            EntrySight::Is(_) => !self.final_entry(),
            EntrySight::None | EntrySight::Unknown => false,
        }
    }

    /// T6: may its volume go once nothing needs it any more?
    pub(super) fn volume_may_go(&self, has_storage: bool) -> bool {
        (self.done() && has_storage) || self.unsaved.is_some_and(|bytes| bytes <= EMPTY_BYTES)
    }

    /// I3: not terminating, not disrupted (O8), and backing off or ended non-zero in this request; the code of that exit.
    pub(super) fn crashed(&self) -> Option<i32> {
        let pod = &self.crawler?.pod;
        let code = pod.last_exit.as_ref()?.code;
        let crashed = match pod.state {
            PodState::BackingOff | PodState::Ended => code != 0,
            PodState::Unplaced(_)
            | PodState::Starting
            | PodState::Stuck(_)
            | PodState::Running
            | PodState::Succeeded
            | PodState::Lost(_)
            | PodState::Unknown => false,
        };
        (crashed && !pod.terminating && !pod.disrupted).then_some(code)
    }
}

impl<'a> Instances<'a> {
    /// Looks at every instance that is known or wanted.
    pub(super) fn survey(sight: &Sight<'a>) -> Self {
        let known = known_indices(sight);
        let number = wanted_number(sight, &known);
        let all = known
            .iter()
            .copied()
            .chain(0..number)
            .map(|index| (index, look_at(sight, index, known.contains(&index), index < number)))
            .collect();
        Self { all }
    }

    /// Instances that count for an end: every wanted or known one.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Instance<'a>> {
        self.all.values()
    }

    /// At least one is known (C5).
    pub(super) fn any_known(&self) -> bool {
        self.iter().any(|instance| instance.known)
    }

    /// P2: every known instance is flushed.
    pub(super) fn all_flushed(&self) -> bool {
        self.iter()
            .filter(|instance| instance.known)
            .all(|instance| instance.flushed)
    }
}

/// Instances with a pod, a volume, an entry or a line. Entries beyond every scale that was wished are ignored (S6).
fn known_indices(sight: &Sight<'_>) -> BTreeSet<u32> {
    let mut known: BTreeSet<u32> = sight.observed.crawlers.keys().copied().collect();
    known.extend(sight.observed.volumes.keys());
    known.extend(sight.state().instances.keys());
    if let Some(view) = sight.usable() {
        let most = sight
            .state()
            .most_scale
            .max(sight.spec.scale)
            .min(sight.policy.max_scale);
        known.extend(view.entries.keys().filter(|index| **index < most));
    }
    known
}

/// D1: min(scale, max(1, pages found)); with nothing known of pages, what exists and at least one.
fn wanted_number(sight: &Sight<'_>, known: &BTreeSet<u32>) -> u32 {
    let recorded = if sight.blank() {
        None
    } else {
        sight.state().counters.map(|counters| counters.found)
    };
    let pages = sight.store_found().max(recorded);
    let existing = known.last().map_or(1, |last| u64::from(*last) + 1);
    let number = pages.unwrap_or(existing).max(1);
    u32::try_from(number).unwrap_or(u32::MAX).min(sight.spec.scale)
}

fn look_at<'a>(sight: &Sight<'a>, index: u32, known: bool, below_number: bool) -> Instance<'a> {
    let crawler = sight.observed.crawlers.get(&index);
    let line = sight.state().instances.get(&index);
    let entry = entry_of(sight, index, crawler, line);
    let mut instance = Instance {
        index,
        crawler,
        volume: sight.observed.volumes.get(&index),
        line,
        entry,
        known,
        wanted: false,
        surplus: known && sight.spec.scale > 0 && index >= sight.spec.scale,
        finished: false,
        handed_back: false,
        never_ran: false,
        unsaved: None,
        flushed: false,
    };
    instance.finished = instance.final_entry() && !may_still_run(crawler);
    instance.never_ran = !instance.runs() && (!sight.state().started || entry == EntrySight::None);
    instance.handed_back = instance.finished && handed_back(sight, &instance);
    instance.wanted = below_number || (known && !instance.finished && index < sight.spec.scale);
    instance.unsaved = unsaved_bytes(sight, &instance);
    instance.flushed = is_flushed(sight, &instance);
    instance
}

/// The entry as the rules count it: the store's when it is believed, `ended` in its place when it can't be asked (S5).
fn entry_of(sight: &Sight<'_>, index: u32, crawler: Option<&Crawler>, line: Option<&InstanceLine>) -> EntrySight {
    match sight.store {
        StoreSight::Usable(view) => match view.entries.get(&index) {
            Some(Entry::Canceled) => EntrySight::Is(Entry::Interrupted),
            Some(Entry::Failed) if failed_by_the_flag(sight, view, crawler) => EntrySight::Is(Entry::Interrupted),
            Some(entry) => EntrySight::Is(*entry),
            None if sight.renewed() => EntrySight::Unknown,
            None => EntrySight::None,
        },
        StoreSight::Unreachable => match line.and_then(|line| line.ended) {
            Some(FinalEntry::Done) => EntrySight::Is(Entry::Done),
            Some(FinalEntry::Failed) => EntrySight::Is(Entry::Failed),
            Some(FinalEntry::Canceled) => EntrySight::Is(Entry::Interrupted),
            None => EntrySight::Unknown,
        },
        StoreSight::Blank(_) => EntrySight::Unknown,
    }
}

/// P1: a crawler that starts with the pause flag set and has no page writes `failed`; that judges nothing. Beside a stop it
/// does: the crawl ends either way, and a crawler made again would say the same for ever.
pub(super) fn failed_by_the_flag(sight: &Sight<'_>, view: &StoreView, crawler: Option<&Crawler>) -> bool {
    let flagged = crawler.is_some_and(|crawler| view.flagged.contains(&crawler.pod.uid));
    view.done == 0 && !sight.stop_wished() && (sight.hold() || view.flags.paused || flagged)
}

/// I1: the container runs, or could run in the next moment. Succeeded, ended, backing off, lost, never placed or absent
/// does not.
fn may_still_run(crawler: Option<&Crawler>) -> bool {
    let Some(crawler) = crawler else { return false };
    match crawler.pod.state {
        PodState::Running | PodState::Starting | PodState::Stuck(_) | PodState::Unknown => true,
        PodState::Unplaced(_) | PodState::BackingOff | PodState::Ended | PodState::Succeeded | PodState::Lost(_) => {
            crawler.pod.container_runs
        }
    }
}

/// C4: `stopone` is read as set, nobody wished the end of the crawl, and the queue, which all instances share, is not empty.
/// While the store can't be asked: what was written down of it (S5).
fn handed_back(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let left_work = match sight.store {
        StoreSight::Usable(view) => view.flags.stop_one.contains(&instance.index) && !idle_queue(view),
        StoreSight::Unreachable => sight.state().handed_back.contains(&instance.index),
        StoreSight::Blank(_) => false,
    };
    left_work && !sight.stop_wished() && sight.state().result.is_none()
}

/// The words: the store's size of it if no pod, or a Succeeded one, is seen; 0 if it never ran; else unknown.
fn unsaved_bytes(sight: &Sight<'_>, instance: &Instance<'_>) -> Option<u64> {
    if instance.never_ran {
        return Some(0);
    }
    let quiet = instance
        .crawler
        .is_none_or(|crawler| crawler.pod.state == PodState::Succeeded);
    match sight.store {
        StoreSight::Usable(view) if quiet => view.sizes.get(&instance.index).copied(),
        StoreSight::Unreachable if quiet => instance.line.and_then(|line| line.size),
        StoreSight::Usable(_) | StoreSight::Unreachable | StoreSight::Blank(_) => None,
    }
}

/// P1: nothing of it would be lost if its pod went away now.
fn is_flushed(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let interrupted = instance.entry == EntrySight::Is(Entry::Interrupted);
    let absent = instance.entry == EntrySight::None && !instance.runs();
    let saved = instance.unsaved.is_some_and(|bytes| bytes <= EMPTY_BYTES);
    let rests = !instance.runs() && !may_still_run(instance.crawler);
    instance.final_entry()
        || instance.never_ran
        || ((interrupted || absent) && saved)
        || (!sight.saves() && interrupted && rests)
        || (rests && failed_under_the_flag(sight, instance))
}

/// P1: made again under the flag it would only fail again, so it rests until the flag is gone; its volume stays.
fn failed_under_the_flag(sight: &Sight<'_>, instance: &Instance<'_>) -> bool {
    let Some(view) = sight.usable() else { return false };
    view.entries.get(&instance.index) == Some(&Entry::Failed) && failed_by_the_flag(sight, view, instance.crawler)
}
