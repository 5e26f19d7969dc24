//! I-1: from every world, once nothing goes wrong any more, a stated number of calls brings the job to rest where its spec
//! says, and there it stays. The undisturbed way is followed from each world until it meets one that was followed before.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Mutex;

use super::apply::apply;
use super::model::{Effects, Search};
use super::nature::{self, Step};
use super::state::{Left, Pause, Shown, World};

/// More calls than any world may need.
const CALLS_MAX: u8 = 60;

/// Calls to rest, by world; more than [`CALLS_MAX`] for one that never rests, or rests at the wrong place.
#[derive(Debug)]
pub(super) struct Settled {
    known: Mutex<HashMap<u64, u8>>,
}

impl Settled {
    pub(super) fn new() -> Self {
        Self {
            known: Mutex::default(),
        }
    }

    /// Calls that the slowest world took.
    pub(super) fn slowest(&self) -> u8 {
        self.known.lock().unwrap().values().copied().max().unwrap_or(0)
    }
}

/// The job comes to rest, and rightly.
pub(super) fn settles(search: &Search, world: &World) -> bool {
    calls_to_rest(search, world) <= CALLS_MAX
}

fn calls_to_rest(search: &Search, world: &World) -> u8 {
    let mut at = undisturbed(search, world);
    let mut way = Vec::new();
    let mut calls = loop {
        let key = fingerprint(&at);
        if let Some(known) = search.settled.known.lock().unwrap().get(&key) {
            break *known;
        }
        if way.contains(&key) || way.len() > usize::from(CALLS_MAX) {
            break CALLS_MAX + 1;
        }
        way.push(key);
        let next = round(search, &at);
        if next == at {
            way.pop();
            let calls = if is_right(search, &at) { 0 } else { CALLS_MAX + 1 };
            search.settled.known.lock().unwrap().insert(key, calls);
            break calls;
        }
        at = next;
    };
    let mut known = search.settled.known.lock().unwrap();
    for key in way.into_iter().rev() {
        calls = if calls > CALLS_MAX { calls } else { calls + 1 };
        known.insert(key, calls);
    }
    calls
}

/// What hangs in the air is done, and from now on nothing goes wrong: no old view, no fault, no crash, no user.
fn undisturbed(search: &Search, world: &World) -> World {
    let mut world = world.clone();
    if let Some(pending) = world.pending.take() {
        apply(
            &mut world,
            &pending.view,
            &pending.outcome,
            usize::MAX,
            &search.decider.tally,
        );
    }
    world.shown = Shown::NOTHING;
    world.left = Left {
        actions: 0,
        faults: 0,
        crashes: 0,
        lags: 0,
    };
    world
}

/// Everything that happens by itself happens, then a call is made.
pub(super) fn round(search: &Search, world: &World) -> World {
    let mut world = by_itself(search, world);
    if let Some(next) = search.call(&world, 0, Effects::All) {
        world = next;
    }
    world
}

/// A container that ends again and again is started once a round, as a back-off does.
fn by_itself(search: &Search, world: &World) -> World {
    let mut world = world.clone();
    let mut started = Vec::new();
    'again: loop {
        for step in nature::all() {
            if started.contains(&step) {
                continue;
            }
            if let Some(next) = nature::step(&world, step, search.bounds.pages) {
                if let Step::Again(_) = step {
                    started.push(step);
                }
                world = next;
                continue 'again;
            }
        }
        return world;
    }
}

fn fingerprint(world: &World) -> u64 {
    std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default().hash_one(world)
}

/// Where the job rests: gone if deleted, paused if held, over in every other case.
fn is_right(search: &Search, world: &World) -> bool {
    let Some(parent) = &world.objects.parent else {
        return true;
    };
    if parent.deleting {
        return false;
    }
    let result = world
        .objects
        .maps
        .register
        .as_ref()
        .and_then(|register| register.state.result);
    let pods = world.objects.pods;
    let nobody = pods.crawlers.iter().all(Option::is_none);
    let held = parent.spec.pause != Pause::No || parent.spec.scale == 0;
    let shown = parent.status.state;
    match result {
        Some(result) => {
            // T6: what holds unsaved pages stays, and so may what nobody could judge.
            let kept = world.objects.volumes.crawlers.iter().flatten().count();
            let unsure = world.past.store_lost || world.past.stopped || search.bounds.unsure();
            let clean = kept == 0 || unsure || !parent.spec.storage;
            nobody && pods.redis.is_none() && shown == Some(result) && clean
        }
        None => held && nobody && shown == Some(rollcall::api::v1::crawljob_status::CrawlState::Paused),
    }
}
