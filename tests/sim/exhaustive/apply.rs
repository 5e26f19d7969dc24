//! What an answer does to the cluster, effect by effect, as metacontroller 4.17.2 does it: a delete names the UID that was
//! shown and skips what is leaving; a create finds its name taken and does nothing; an update from an older view is refused;
//! `finalized` ends all management. The laws about single effects are judged here, against what is true.

use std::sync::Arc;

use rollcall::hooks::crawljob::register::Register;

use super::call::{Effect, Outcome, Target, View};
use super::laws::{Law, Tally};
use super::show::MEMORY;
use super::state::{Crawler, N, Phase, Process, Redis, RedisPhase, Volume, World};
use super::store;

/// Applies the first `count` effects of a decision about `view`.
pub(super) fn apply(world: &mut World, view: &View, outcome: &Outcome, count: usize, tally: &Tally) {
    world.broken |= outcome.broken;
    for effect in outcome.effects.iter().take(count) {
        let broken = one(world, view, effect, tally);
        world.broken |= broken;
    }
}

fn one(world: &mut World, view: &View, effect: &Effect, tally: &Tally) -> u32 {
    match effect {
        Effect::Tell(write) => {
            let asked = view.pods.redis.map(|redis| redis.uid);
            let there = world.objects.pods.redis.filter(|redis| redis.phase == RedisPhase::Runs);
            if there.is_some_and(|redis| Some(redis.uid) == asked) {
                store::tell(&mut world.store, write);
            }
            0
        }
        Effect::Delete(target, rule) => delete(world, view, *target, rule, tally),
        Effect::Make(target) => make(world, view, *target),
        Effect::MakeCrawler {
            index,
            restarted,
            memory,
        } => make_crawler(world, view, *index, *restarted, *memory),
        Effect::Register(register) => write_register(world, view, register, tally),
        Effect::Status(status) => {
            if let Some(parent) = &mut world.objects.parent {
                parent.status = Arc::clone(status);
            }
            0
        }
        Effect::Finalized => {
            // What a cache did not show is left to the garbage collector.
            if world.objects.parent.as_ref().is_some_and(|parent| parent.deleting) {
                world.end();
            }
            0
        }
    }
}

fn delete(world: &mut World, view: &View, target: Target, rule: &str, tally: &Tally) -> u32 {
    match target {
        Target::Crawler(index) => {
            let shown = view.pods.crawlers[index].map(|one| one.uid);
            let Some(crawler) = world.objects.pods.crawlers[index].filter(|one| Some(one.uid) == shown && !one.leaving)
            else {
                return 0;
            };
            world.objects.pods.crawlers[index] = leaves(crawler);
            let unsaved = world.objects.volumes.crawlers[index].is_some_and(|volume| volume.unsaved > 0);
            let works = match crawler.phase {
                Phase::Runs(Process::Page) => true,
                Phase::Runs(_) => unsaved,
                Phase::Unplaced | Phase::Ended | Phase::Succeeded | Phase::Lost => false,
            };
            let may = ["S2", "R1", "Z1", "Z3"].contains(&rule) || view.parent.deleting;
            tally.judge(Law::WorkIsInterruptedForAReasonOnly, works, may)
        }
        Target::Redis => {
            let shown = view.pods.redis.map(|one| one.uid);
            if let Some(redis) = &mut world.objects.pods.redis
                && Some(redis.uid) == shown
            {
                if redis.phase == RedisPhase::Unplaced {
                    world.objects.pods.redis = None;
                } else {
                    redis.leaving = true;
                }
            }
            0
        }
        Target::CrawlerVolume(index) => {
            let shown = view.volumes.crawlers[index].map(|one| one.uid);
            let volume = &mut world.objects.volumes.crawlers[index];
            let Some(volume) = volume.as_mut().filter(|one| Some(one.uid) == shown && !one.leaving) else {
                return 0;
            };
            volume.leaving = true;
            tally.judge(
                Law::UnsavedPagesKeepTheirVolume,
                true,
                volume.unsaved == 0 || view.parent.deleting,
            )
        }
        Target::RedisVolume => redis_volume(world, view, tally),
        Target::Config => {
            world.objects.maps.config = false;
            0
        }
        Target::Register => {
            world.objects.maps.register = None;
            tally.judge(Law::TheRegisterStays, true, view.parent.deleting)
        }
    }
}

/// Files that only the store names are gone with its volume.
fn redis_volume(world: &mut World, view: &View, tally: &Tally) -> u32 {
    let shown = view.volumes.redis.map(|one| one.uid);
    let Some(volume) = &mut world.objects.volumes.redis else {
        return 0;
    };
    if Some(volume.uid) != shown || volume.leaving {
        return 0;
    }
    volume.leaving = true;
    let read = world
        .objects
        .maps
        .register
        .as_ref()
        .map_or(0, |register| register.state.files.lines);
    let all = read == u64::from(world.store.files)
        || view.parent.deleting
        || world.past.store_lost
        || world.past.register_lost;
    tally.judge(Law::EveryFileIsInTheRegister, world.store.files > 0, all)
}

/// A pod that no node has is gone at once.
fn leaves(crawler: Crawler) -> Option<Crawler> {
    (crawler.phase != Phase::Unplaced).then_some(Crawler {
        leaving: true,
        ..crawler
    })
}

fn make(world: &mut World, view: &View, target: Target) -> u32 {
    let volume = |uid| {
        Some(Volume {
            uid,
            leaving: false,
            unsaved: 0,
            saved: false,
        })
    };
    match target {
        Target::CrawlerVolume(index) if world.objects.volumes.crawlers[index].is_none() => {
            world.objects.volumes.crawlers[index] = volume(free(&volume_uids(world, view, index)));
        }
        Target::RedisVolume if world.objects.volumes.redis.is_none() => {
            let known = [
                world.shown.volumes.and_then(|shown| shown.value.redis),
                view.volumes.redis,
            ];
            let uids: Vec<u8> = known.iter().flatten().map(|one| one.uid).collect();
            world.objects.volumes.redis = volume(free(&uids));
        }
        Target::Redis if world.objects.pods.redis.is_none() => {
            let known = [world.shown.pods.and_then(|shown| shown.value.redis), view.pods.redis];
            let uids: Vec<u8> = known.iter().flatten().map(|one| one.uid).collect();
            world.objects.pods.redis = Some(Redis {
                uid: free(&uids),
                phase: RedisPhase::Unplaced,
                leaving: false,
            });
        }
        Target::Config => world.objects.maps.config = true,
        Target::CrawlerVolume(_) | Target::RedisVolume | Target::Redis | Target::Crawler(_) | Target::Register => {}
    }
    0
}

fn make_crawler(world: &mut World, view: &View, index: usize, restarted: bool, memory: u64) -> u32 {
    if world.objects.pods.crawlers[index].is_some() {
        return 0;
    }
    let newer = world.objects.parent.as_ref().is_some_and(|parent| parent.spec.restart);
    world.objects.pods.crawlers[index] = Some(Crawler {
        uid: free(&pod_uids(world, view, index)),
        phase: Phase::Unplaced,
        leaving: false,
        restarts: 0,
        exit: None,
        restarted,
        newer,
        memory: if memory == 0 { MEMORY } else { memory },
    });
    0
}

fn write_register(world: &mut World, view: &View, register: &Arc<Register>, tally: &Tally) -> u32 {
    // An update from an older view is refused (409), and the name of a create may be taken.
    if world.objects.maps.register != view.maps.register {
        return 0;
    }
    let broken = super::laws::of_register(world, view.maps.register.as_deref(), register, tally);
    world.objects.maps.register = Some(Arc::clone(register));
    broken
}

/// The smallest number that nobody remembers: a model must not count for ever.
fn free(known: &[u8]) -> u8 {
    (0..=u8::MAX).find(|uid| !known.contains(uid)).unwrap()
}

fn volume_uids(world: &World, view: &View, index: usize) -> Vec<u8> {
    let shown = world.shown.volumes.and_then(|shown| shown.value.crawlers[index]);
    [shown, view.volumes.crawlers[index]]
        .iter()
        .flatten()
        .map(|one| one.uid)
        .collect()
}

fn pod_uids(world: &World, view: &View, index: usize) -> Vec<u8> {
    let shown = world.shown.pods.and_then(|shown| shown.value.crawlers[index]);
    let mut known: Vec<u8> = [shown, view.pods.crawlers[index]]
        .iter()
        .flatten()
        .map(|one| one.uid)
        .collect();
    let flagged = world.store.flagged.iter().filter(|(at, _)| usize::from(*at) == index);
    known.extend(flagged.map(|(_, uid)| *uid));
    let shown = world.shown.maps.as_ref().and_then(|shown| shown.value.register.clone());
    let registers = [world.objects.maps.register.clone(), shown, view.maps.register.clone()];
    for register in registers.into_iter().flatten() {
        let line = register.state.instances.get(&u32::try_from(index).unwrap());
        let exit = line.and_then(|line| line.exit.as_deref());
        known.extend(exit.and_then(|id| id.split('.').nth(1)?.parse::<u8>().ok()));
    }
    known
}

impl World {
    /// Nothing is left, and nobody asks any more.
    fn end(&mut self) {
        self.objects.parent = None;
        self.objects.pods.crawlers = [None; N];
        self.objects.pods.redis = None;
        self.objects.volumes.crawlers = [None; N];
        self.objects.volumes.redis = None;
        self.objects.maps.config = false;
        self.objects.maps.register = None;
        self.store = super::state::Store::empty(0);
    }
}
