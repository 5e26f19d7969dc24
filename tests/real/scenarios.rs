//! Takes the binary and a namespace of its own per test; gives one verdict per situation. A scenario says what happens and
//! what must be true afterwards; how that is seen stands in oracle.rs and timeline.rs.

mod deletion;
mod disturbed;
mod life;
mod lost;
mod manifests;
mod stores;
mod wishes;

use crate::hook::Hook;
use crate::timeline::Timeline;
use crate::world::World;

/// The product at work in one namespace.
pub(crate) struct Stage {
    pub(crate) timeline: Timeline,
    pub(crate) world: World,
    pub(crate) hook: Hook,
}

impl Stage {
    pub(crate) async fn set(name: &str) -> Self {
        let mut world = World::new(name).await;
        let timeline = Timeline::start(&world.client, &world.namespace);
        let hook = Hook::start(&world.namespace).await;
        world.drive(&hook.url).await;
        Self { timeline, world, hook }
    }
}
