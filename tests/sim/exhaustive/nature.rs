//! What happens by itself: scheduler, kubelet, volumes and crawlers. Each step is possible or not in a cluster; which one
//! comes first is the search's choice.

use super::crawler;
use super::state::{Crawler, N, Phase, Process, RedisPhase, Store, World};

/// One step that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A crawler pod gets a node and starts.
    Start(usize),
    /// The kubelet starts an ended container again.
    Again(usize),
    /// The crawler makes its next step.
    Crawl(usize),
    /// A leaving pod is gone; if its process still ran, it was killed.
    Gone(usize),
    RedisStarts,
    RedisGone,
    /// A leaving volume is gone, once no pod holds it.
    VolumeGone(usize),
    RedisVolumeGone,
}

/// All steps, in the order in which an undisturbed cluster takes them.
pub(super) fn all() -> impl Iterator<Item = Step> {
    let of = |make: fn(usize) -> Step| (0..N).map(make);
    of(Step::Gone)
        .chain([Step::RedisGone])
        .chain(of(Step::VolumeGone))
        .chain([Step::RedisVolumeGone, Step::RedisStarts])
        .chain(of(Step::Start))
        .chain(of(Step::Crawl))
        .chain(of(Step::Again))
}

/// The world after a step; nothing when it is not possible.
pub(super) fn step(world: &World, step: Step, pages: u8) -> Option<World> {
    match step {
        Step::Crawl(index) => crawler::step(world, index, pages),
        Step::Start(index) => start(world, index),
        Step::Again(index) => again(world, index),
        Step::Gone(index) => {
            world.objects.pods.crawlers[index].filter(|crawler| crawler.leaving)?;
            let mut next = world.clone();
            next.objects.pods.crawlers[index] = None;
            Some(next)
        }
        Step::RedisStarts => redis_starts(world),
        Step::RedisGone => {
            world.objects.pods.redis.filter(|redis| redis.leaving)?;
            let mut next = world.clone();
            next.objects.pods.redis = None;
            Some(next)
        }
        Step::VolumeGone(index) => volume_gone(world, index),
        Step::RedisVolumeGone => {
            let free = world
                .objects
                .pods
                .redis
                .is_none_or(|redis| redis.phase == RedisPhase::Unplaced);
            world.objects.volumes.redis.filter(|volume| volume.leaving && free)?;
            let mut next = world.clone();
            next.objects.volumes.redis = None;
            next.store = Store::empty(world.store.epoch + 1);
            Some(next)
        }
    }
}

fn start(world: &World, index: usize) -> Option<World> {
    let crawler = world.objects.pods.crawlers[index].filter(|one| !one.leaving)?;
    let usable = world.objects.volumes.crawlers[index].is_some_and(|volume| !volume.leaving);
    if crawler.phase != Phase::Unplaced || !usable {
        return None;
    }
    Some(with(world, index, Phase::Runs(Process::Boot), crawler))
}

fn again(world: &World, index: usize) -> Option<World> {
    let mut crawler = world.objects.pods.crawlers[index].filter(|one| !one.leaving)?;
    if crawler.phase != Phase::Ended {
        return None;
    }
    crawler.restarts = (crawler.restarts + 1) % 4;
    Some(with(world, index, Phase::Runs(Process::Boot), crawler))
}

fn with(world: &World, index: usize, phase: Phase, crawler: Crawler) -> World {
    let mut next = world.clone();
    next.objects.pods.crawlers[index] = Some(Crawler { phase, ..crawler });
    next
}

fn redis_starts(world: &World) -> Option<World> {
    let redis = world.objects.pods.redis.filter(|redis| !redis.leaving)?;
    let usable = world.objects.volumes.redis.is_some_and(|volume| !volume.leaving);
    if redis.phase != RedisPhase::Unplaced || !usable {
        return None;
    }
    let mut next = world.clone();
    next.objects.pods.redis.as_mut()?.phase = RedisPhase::Runs;
    Some(next)
}

fn volume_gone(world: &World, index: usize) -> Option<World> {
    // The protection of claims looks at pods that have a node.
    let free = world.objects.pods.crawlers[index].is_none_or(|one| one.phase == Phase::Unplaced);
    world.objects.volumes.crawlers[index].filter(|volume| volume.leaving && free)?;
    let mut next = world.clone();
    next.objects.volumes.crawlers[index] = None;
    Some(next)
}
