//! Takes the binary and a namespace of its own per test; gives one verdict per situation. A scenario says what happens and
//! what must be true afterwards; how that is seen stands in oracle.rs and timeline.rs.

mod cancel;
mod chart;
mod deletion;
mod disturbed;
mod files;
mod kubectl;
mod life;
mod lost;
mod manifests;
mod queue;
mod schema;
mod stores;
mod wishes;

use serde_json::Value;

use crate::hook::Hook;
use crate::kind::Share;
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
        Self::in_world(World::new(name).await, &Value::Null).await
    }

    /// With a configuration of its own.
    pub(crate) async fn configured(name: &str, more: &Value) -> Self {
        Self::in_world(World::new(name).await, more).await
    }

    /// While no other test uses the kind.
    pub(crate) async fn alone(name: &str) -> Self {
        Self::in_world(World::with(name, Share::all().await).await, &Value::Null).await
    }

    async fn in_world(mut world: World, more: &Value) -> Self {
        let timeline = Timeline::start(&world.client, &world.namespace);
        let hook = Hook::start(&world.namespace, more).await;
        world.drive(&hook.url).await;
        Self { timeline, world, hook }
    }
}
