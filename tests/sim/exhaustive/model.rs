//! The search: which steps a world has, and what becomes of it. Takes the [`Bounds`] of one model; stateright walks through
//! every world that can be reached within them.

use std::sync::Arc;

use stateright::{Model, Property};

use super::apply::apply;
use super::call::{Decider, View, no_status};
use super::deeds::{self, Deed};
use super::laws::Law;
use super::nature::{self, Step};
use super::seen::{seen_pods, seen_volumes};
use super::settle::Settled;
use super::state::{
    Aged, Left, Maps, N, Objects, Parent, Past, Pending, Pods, RedisPhase, Shown, Store, Volumes, Wish, World,
};

/// What one model may do.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    pub(super) name: &'static str,
    pub(super) pages: u8,
    pub(super) wish: Wish,
    /// What users and nature may do, from the budgets.
    pub(super) deeds: &'static [Deed],
    pub(super) left: Left,
    /// How many calls old a cache may be.
    pub(super) age: u8,
    /// The cluster moves between a decision and its effects.
    pub(super) slow: bool,
    /// Laws that have no case within these bounds.
    pub(super) silent: &'static [Law],
}

impl Bounds {
    /// Something may go wrong that leaves nobody sure of what a volume holds (T6).
    pub(super) fn unsure(&self) -> bool {
        self.left.faults > 0 || self.left.actions > 0
    }
}

/// One step of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// A call is made; these kinds are shown as they were before (one bit each), and the effects come after this many
    /// were done, all of them, or later.
    Call {
        stale: u8,
        effects: Effects,
    },
    /// The effects of the decision that was made; a crash ends them after so many.
    Act(Option<usize>),
    Nature(Step),
    Deed(Deed),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effects {
    All,
    CutAfter(usize),
    Later,
}

/// Kinds of caches, as bits.
const PARENT: u8 = 1;
const PODS: u8 = 2;
const VOLUMES: u8 = 4;
const MAPS: u8 = 8;

#[derive(Debug)]
pub(super) struct Search {
    pub(super) bounds: Bounds,
    pub(super) decider: Decider,
    pub(super) settled: Settled,
}

impl Search {
    pub(super) fn first_world(&self) -> World {
        World {
            objects: Objects {
                parent: Some(Parent {
                    spec: self.bounds.wish,
                    deleting: false,
                    status: Arc::new(no_status()),
                }),
                pods: Pods {
                    crawlers: [None; N],
                    redis: None,
                },
                volumes: Volumes {
                    crawlers: [None; N],
                    redis: None,
                },
                maps: Maps {
                    config: false,
                    register: None,
                },
            },
            store: Store::empty(0),
            shown: Shown::NOTHING,
            pending: None,
            left: self.bounds.left,
            past: Past {
                store_lost: false,
                register_lost: false,
                stopped: self.bounds.wish.stopping,
                announced: 0,
            },
            broken: 0,
        }
    }

    /// What a call shows; nothing when a kind can't be as old as asked, or is no older than the truth.
    pub(super) fn view(world: &World, stale: u8) -> Option<View> {
        let fresh = Self::fresh_view(world)?;
        let mut view = fresh.clone();
        if stale & PARENT != 0 {
            view.parent = Arc::clone(&world.shown.parent.as_ref()?.value);
        }
        if stale & PODS != 0 {
            view.pods = world.shown.pods?.value;
        }
        if stale & VOLUMES != 0 {
            view.volumes = world.shown.volumes?.value;
        }
        if stale & MAPS != 0 {
            view.maps = Arc::clone(&world.shown.maps.as_ref()?.value);
        }
        let older = [
            (PARENT, view.parent != fresh.parent),
            (PODS, view.pods != fresh.pods),
            (VOLUMES, view.volumes != fresh.volumes),
            (MAPS, view.maps != fresh.maps),
        ];
        let real = older.iter().all(|(kind, differs)| stale & kind == 0 || *differs);
        view.store = Self::reading(world, &view);
        real.then_some(view)
    }

    fn fresh_view(world: &World) -> Option<View> {
        Some(View {
            parent: Arc::new(world.objects.parent.clone()?),
            pods: seen_pods(world.objects.pods),
            volumes: seen_volumes(world.objects.volumes),
            maps: Arc::new(world.objects.maps.clone()),
            store: None,
        })
    }

    /// S1: the hook asks the address that the request shows; it is answered if that pod still runs.
    fn reading(world: &World, view: &View) -> Option<Store> {
        let shown = view
            .pods
            .redis
            .filter(|redis| redis.phase == RedisPhase::Runs && !redis.leaving)?;
        let there = world
            .objects
            .pods
            .redis
            .filter(|redis| redis.phase == RedisPhase::Runs)?;
        (shown.uid == there.uid).then(|| world.store.clone())
    }

    /// The caches after a call that showed this.
    pub(super) fn remember(&self, world: &mut World, view: &View, stale: u8) {
        let most = if world.left.lags > 0 { self.bounds.age } else { 0 };
        let age = |kind, last: Option<u8>| {
            let age = if stale & kind == 0 { 0 } else { last.unwrap_or(0) + 1 };
            (age < most).then_some(age)
        };
        let shown = &mut world.shown;
        let aged = |age, value| Aged { value, age };
        let last = shown.parent.as_ref().map(|one| one.age);
        shown.parent = age(PARENT, last).map(|age| Aged {
            value: Arc::clone(&view.parent),
            age,
        });
        shown.pods = age(PODS, shown.pods.map(|one| one.age)).map(|age| aged(age, view.pods));
        shown.volumes = age(VOLUMES, shown.volumes.map(|one| one.age)).map(|age| Aged {
            value: view.volumes,
            age,
        });
        let last = shown.maps.as_ref().map(|one| one.age);
        shown.maps = age(MAPS, last).map(|age| Aged {
            value: Arc::clone(&view.maps),
            age,
        });
    }

    /// A call, from its request to its last effect.
    pub(super) fn call(&self, world: &World, stale: u8, effects: Effects) -> Option<World> {
        let lags = u8::try_from(stale.count_ones()).unwrap();
        let view = Self::view(world, stale)?;
        let outcome = self.decider.outcome(&view);
        let mut next = world.clone();
        next.left.lags = next.left.lags.checked_sub(lags)?;
        self.remember(&mut next, &view, stale);
        match effects {
            Effects::All => apply(&mut next, &view, &outcome, usize::MAX, &self.decider.tally),
            Effects::CutAfter(count) => {
                next.left.crashes = next.left.crashes.checked_sub(1)?;
                apply(&mut next, &view, &outcome, count, &self.decider.tally);
            }
            Effects::Later => next.pending = Some(Arc::new(Pending { view, outcome })),
        }
        Some(next)
    }

    fn act(&self, world: &World, cut: Option<usize>) -> Option<World> {
        let mut next = world.clone();
        let pending = next.pending.take()?;
        if cut.is_some() {
            next.left.crashes = next.left.crashes.checked_sub(1)?;
        }
        let count = cut.unwrap_or(usize::MAX);
        apply(&mut next, &pending.view, &pending.outcome, count, &self.decider.tally);
        Some(next)
    }

    /// Kinds that may be shown as before, in every combination that the budget allows.
    fn stale_sets(world: &World) -> impl Iterator<Item = u8> {
        let shown = &world.shown;
        let mut old = 0;
        old |= if shown.parent.is_some() { PARENT } else { 0 };
        old |= if shown.pods.is_some() { PODS } else { 0 };
        old |= if shown.volumes.is_some() { VOLUMES } else { 0 };
        old |= if shown.maps.is_some() { MAPS } else { 0 };
        let lags = u32::from(world.left.lags);
        (0_u8..16).filter(move |set| set & !old == 0 && set.count_ones() <= lags)
    }
}

impl Model for Search {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![self.first_world()]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if world.broken != 0 || world.objects.parent.is_none() {
            return;
        }
        match &world.pending {
            Some(pending) => {
                actions.push(Action::Act(None));
                if world.left.crashes > 0 {
                    actions.extend((1..pending.outcome.effects.len()).map(|count| Action::Act(Some(count))));
                }
            }
            None => self.calls(world, actions),
        }
        actions.extend(nature::all().map(Action::Nature));
        actions.extend(self.bounds.deeds.iter().copied().map(Action::Deed));
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let next = match action {
            Action::Call { stale, effects } => self.call(world, stale, effects),
            Action::Act(cut) => self.act(world, cut),
            Action::Nature(step) => nature::step(world, step, self.bounds.pages),
            Action::Deed(deed) => deeds::done(world, deed),
        };
        next.filter(|next| next != world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        super::properties::all()
    }
}

impl Search {
    fn calls(&self, world: &World, actions: &mut Vec<Action>) {
        for stale in Self::stale_sets(world) {
            let Some(view) = Self::view(world, stale) else { continue };
            let count = self.decider.outcome(&view).effects.len();
            let whole = if self.bounds.slow && count > 0 {
                Effects::Later
            } else {
                Effects::All
            };
            actions.push(Action::Call { stale, effects: whole });
            if world.left.crashes > 0 && !self.bounds.slow {
                let cuts = (1..count).map(Effects::CutAfter);
                actions.extend(cuts.map(|effects| Action::Call { stale, effects }));
            }
        }
    }
}
