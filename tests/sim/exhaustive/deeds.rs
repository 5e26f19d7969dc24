//! What users do to a job and what goes wrong in a cluster: each from a budget, at any moment.

use std::sync::Arc;

use super::call::no_status;
use super::crawler::ended;
use super::state::{Left, Parent, Pause, Phase, RedisPhase, Shown, Store, World};

/// One deed of a user, or one fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Pause,
    Resume,
    PauseExpires,
    Stop,
    Scale(u8),
    Restart,
    Delete,
    /// The parent is removed by force and made again with the same spec.
    MakeAgain,
    /// A crawler pod is evicted.
    Evict(usize),
    /// A crawler pod is deleted by hand.
    DeletePod(usize),
    /// A crawler runs out of memory.
    OutOfMemory(usize),
    /// The Redis pod is evicted.
    EvictRedis,
    /// The store comes back without its data.
    LoseStore,
    WipeStatus,
    DeleteRegister,
}

impl Deed {
    fn is_of_a_user(self) -> bool {
        match self {
            Self::Pause
            | Self::Resume
            | Self::PauseExpires
            | Self::Stop
            | Self::Scale(_)
            | Self::Restart
            | Self::Delete
            | Self::MakeAgain => true,
            Self::Evict(_)
            | Self::DeletePod(_)
            | Self::OutOfMemory(_)
            | Self::EvictRedis
            | Self::LoseStore
            | Self::WipeStatus
            | Self::DeleteRegister => false,
        }
    }
}

/// The world after it; nothing when it is not possible, or no longer allowed.
pub(super) fn done(world: &World, deed: Deed) -> Option<World> {
    let mut next = world.clone();
    let Left { actions, faults, .. } = &mut next.left;
    let budget = if deed.is_of_a_user() { actions } else { faults };
    *budget = budget.checked_sub(1)?;
    if deed.is_of_a_user() {
        wish(&mut next, deed)?;
    } else {
        fault(&mut next, deed)?;
    }
    Some(next)
}

fn wish(world: &mut World, deed: Deed) -> Option<()> {
    let parent = world
        .objects
        .parent
        .as_mut()
        .filter(|parent| !parent.deleting || deed == Deed::MakeAgain)?;
    let spec = &mut parent.spec;
    match deed {
        Deed::Pause if spec.pause == Pause::No => spec.pause = Pause::Wished,
        Deed::Resume if spec.pause != Pause::No => spec.pause = Pause::No,
        Deed::PauseExpires if spec.pause == Pause::Wished => spec.pause = Pause::Expired,
        Deed::Stop if !spec.stopping => {
            spec.stopping = true;
            world.past.stopped = true;
        }
        Deed::Scale(scale) if spec.scale != scale => spec.scale = scale,
        Deed::Restart if !spec.restart => spec.restart = true,
        Deed::Delete => parent.deleting = true,
        Deed::MakeAgain => made_again(world)?,
        _ => return None,
    }
    Some(())
}

/// The old parent's caches are of no use to the new one; its children have lost their controller and are adopted.
fn made_again(world: &mut World) -> Option<()> {
    let parent = world.objects.parent.as_mut()?;
    *parent = Parent {
        spec: parent.spec,
        deleting: false,
        status: Arc::new(no_status()),
    };
    world.shown = Shown::NOTHING;
    world.pending = None;
    Some(())
}

fn fault(world: &mut World, deed: Deed) -> Option<()> {
    let pods = &mut world.objects.pods;
    match deed {
        Deed::Evict(index) => {
            let crawler = pods.crawlers[index].as_mut().filter(|one| !one.leaving)?;
            match crawler.phase {
                Phase::Runs(_) | Phase::Ended => crawler.phase = Phase::Lost,
                Phase::Unplaced | Phase::Succeeded | Phase::Lost => return None,
            }
        }
        Deed::DeletePod(index) => {
            let crawler = pods.crawlers[index].as_mut().filter(|one| !one.leaving)?;
            crawler.leaving = true;
        }
        Deed::OutOfMemory(index) => {
            let crawler = pods.crawlers[index]?;
            let Phase::Runs(_) = crawler.phase else { return None };
            pods.crawlers[index] = ended(crawler, 137, true);
        }
        Deed::EvictRedis => {
            let redis = pods
                .redis
                .as_mut()
                .filter(|redis| redis.phase == RedisPhase::Runs && !redis.leaving)?;
            redis.phase = RedisPhase::Lost;
        }
        Deed::LoseStore => {
            world.store = Store::empty(world.store.epoch + 1);
            world.past.store_lost = true;
        }
        Deed::WipeStatus => world.objects.parent.as_mut()?.status = Arc::new(no_status()),
        Deed::DeleteRegister => {
            world.objects.maps.register.take()?;
            world.past.register_lost = true;
        }
        Deed::Pause
        | Deed::Resume
        | Deed::PauseExpires
        | Deed::Stop
        | Deed::Scale(_)
        | Deed::Restart
        | Deed::Delete
        | Deed::MakeAgain => return None,
    }
    Some(())
}
