//! What one decision looks at, with the store's answer put in its place (rules S1 and S2).
//!
//! Takes an observation with a readable register and a usable spec; gives one borrowed view that every step reads.
//! It decides nothing about children.

use super::super::observed::{Crawler, Observed};
use super::super::register::{Register, State};
use super::super::spec::Spec;
use crate::api::v1::crawljob_names as names;
use crate::observed::Timestamp;
use crate::observed::time::seconds_between;
use crate::outside::store::{Mark, StoreReading, StoreView};
use crate::policy::CrawlPolicy;

/// One decision's inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    /// The roll call.
    pub(super) observed: &'a Observed,
    /// The register as this request shows it: what counts is what is observed.
    pub(super) register: &'a Register,
    /// The user's wish.
    pub(super) spec: &'a Spec,
    /// The instant of this call.
    pub(super) now: Timestamp,
    /// The configuration.
    pub(super) policy: &'a CrawlPolicy,
    /// The store, judged.
    pub(super) store: StoreSight<'a>,
}

/// How far the store can be believed.
#[derive(Debug, Clone, Copy)]
pub(super) enum StoreSight<'a> {
    /// It answered, and it is the store that this register knows.
    Usable(&'a StoreView),
    /// It answered, but it lost its data (S2): it concludes nothing.
    Blank(&'a StoreView),
    /// It could not be asked (S1): nothing is concluded.
    Unreachable,
}

impl<'a> Sight<'a> {
    pub(super) fn new(
        observed: &'a Observed,
        register: &'a Register,
        spec: &'a Spec,
        now: Timestamp,
        policy: &'a CrawlPolicy,
    ) -> Self {
        let store = StoreSight::of(&observed.store, &register.state);
        Self {
            observed,
            register,
            spec,
            now,
            policy,
            store,
        }
    }

    /// `state.json` as observed.
    pub(super) fn state(&self) -> &'a State {
        &self.register.state
    }

    /// The store's view when it can be believed.
    pub(super) fn usable(&self) -> Option<&'a StoreView> {
        match self.store {
            StoreSight::Usable(view) => Some(view),
            StoreSight::Blank(_) | StoreSight::Unreachable => None,
        }
    }

    /// The store's view whenever it answered, also when blank: flags are set in both.
    pub(super) fn answered(&self) -> Option<&'a StoreView> {
        match self.store {
            StoreSight::Usable(view) | StoreSight::Blank(view) => Some(view),
            StoreSight::Unreachable => None,
        }
    }

    /// The store lost its data.
    pub(super) fn blank(&self) -> bool {
        match self.store {
            StoreSight::Blank(_) => true,
            StoreSight::Usable(_) | StoreSight::Unreachable => false,
        }
    }

    /// The store lost its data once: from then on a missing entry proves nothing (S2).
    pub(super) fn renewed(&self) -> bool {
        self.state().renewed || self.answered().is_some_and(|view| view.mark == Some(Mark::Renewed))
    }

    /// Pause is wished: `pausedAt`, or scale 0 which holds like a pause that never expires (C5).
    pub(super) fn hold(&self) -> bool {
        self.spec.paused_at.is_some() || self.spec.scale == 0
    }

    /// The end is wished: by the user now, or by a reason that was written down (S4).
    /// T6: what an instance that is done had is in the storage. A crawler keeps the storage it was made with, so a wish for it
    /// that came later saves nothing of what was crawled before.
    pub(super) fn saves(&self) -> bool {
        self.spec.storage.is_some() && !self.state().keeps_volumes
    }

    pub(super) fn stop_wished(&self) -> bool {
        self.spec.stopping || self.state().stop_reason.is_some()
    }

    /// R1 and O10: the restart that is asked for; an instant in the future restarts nothing yet.
    pub(super) fn due_restart(&self) -> Option<Timestamp> {
        self.spec.restart_time.filter(|instant| *instant <= self.now)
    }

    /// A crawler pod that the scheduler has placed ("placed" in the words of the rules).
    pub(super) fn any_placed(&self) -> bool {
        self.observed.crawlers.values().any(|crawler| crawler.pod.placed)
    }

    /// Pages found as the store says now, if it can be believed.
    pub(super) fn store_found(&self) -> Option<u64> {
        self.usable().map(found)
    }

    /// Pages done: the store's, else the last recorded.
    pub(super) fn pages_done(&self) -> u64 {
        let recorded = self.state().counters.map_or(0, |counters| counters.done);
        self.usable().map_or(recorded, |view| view.done)
    }

    /// Whole seconds since the job was created.
    pub(super) fn age(&self) -> u64 {
        self.observed
            .job
            .created
            .map_or(0, |created| seconds_between(created, self.now))
    }

    /// Name of instance `index`.
    pub(super) fn crawler_name(&self, index: u32) -> String {
        names::crawler(&self.observed.job.name, index)
    }

    /// Memory that instance `index` should be made with: what it grew to, else the spec's start value (Z1).
    pub(super) fn memory(&self, index: u32) -> u64 {
        self.state()
            .instances
            .get(&index)
            .and_then(|line| line.memory)
            .unwrap_or(self.spec.memory)
    }
}

impl<'a> StoreSight<'a> {
    fn of(reading: &'a StoreReading, state: &State) -> Self {
        match reading {
            StoreReading::Unreachable(_) => Self::Unreachable,
            StoreReading::Reachable(view) if lost_its_data(view, state) => Self::Blank(view),
            StoreReading::Reachable(view) => Self::Usable(view),
        }
    }
}

/// S2: no mark although the register says `marked`, or empty although the register knows of pages. The previous status is
/// left out on purpose, so that a wiped status changes no child (M3).
fn lost_its_data(view: &StoreView, state: &State) -> bool {
    let knows_pages = state.counters.is_some_and(|counters| counters.found > 0);
    let empty = view.entries.is_empty() && view.seen == 0;
    view.mark.is_none() && (state.marked || (empty && knows_pages))
}

/// M4: seen, less the extra seeds and what was excluded.
pub(super) fn found(view: &StoreView) -> u64 {
    view.seen.saturating_sub(view.extra_seeds).saturating_sub(view.excluded)
}

/// Memory a crawler pod was made with: its annotation, else its request (Z1).
pub(super) fn made_with(crawler: &Crawler) -> Option<u64> {
    crawler.memory.or(crawler.pod.memory_request)
}

/// Pages that were done, failed or excluded: some work happened (E1).
pub(super) fn pages_handled(view: &StoreView) -> u64 {
    view.done.saturating_add(view.failed).saturating_add(view.excluded)
}

/// Nothing is queued and nothing is in progress.
pub(super) fn idle_queue(view: &StoreView) -> bool {
    view.queued == 0 && view.in_progress == 0
}
