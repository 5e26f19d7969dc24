//! The scheduler: finds a pod a node, and its claims a volume.

use serde_json::{Value, json};

use crate::sim::api_server::{CLAIM, Key, POD};
use crate::sim::collector::claims_of;
use crate::sim::metacontroller::{terminating, text};
use crate::sim::run::Stage;
use crate::sim::world::World;

impl World {
    /// The scheduler.
    pub(super) fn place(&mut self, uid: &str) {
        let Some(pod) = self.pod(uid).cloned() else { return };
        let takes_room = |pod: &Value| {
            let ended = matches!(text(&pod["status"], "phase"), "Succeeded" | "Failed");
            !ended && !text(&pod["spec"], "nodeName").is_empty()
        };
        let placed = self.api.list(POD).filter(|(_, pod)| takes_room(pod)).count();
        let obstacle = self.claim_obstacle(&pod).or_else(|| {
            (placed >= self.settings.capacity).then(|| "0/1 nodes are available: 1 Insufficient cpu.".to_owned())
        });
        if let Some(why) = obstacle {
            let told = self
                .runs
                .get(uid)
                .is_some_and(|run| run.stage == Stage::Unplaced(Some(why.clone())));
            self.set(uid, |run| run.stage = Stage::Unplaced(Some(why)));
            if !told {
                self.write_status(uid);
            }
            return self.wake(uid, 1000);
        }
        self.bind_claims(&pod);
        let key = Key::of(&pod);
        // Gone meanwhile is fine: its run is dropped with it.
        let _ = self.api.edit(&key, |pod| pod["spec"]["nodeName"] = json!("node-a"));
        let now = self.now;
        self.set(uid, |run| {
            run.stage = Stage::Creating;
            run.placed_at = Some(now);
        });
        self.write_status(uid);
        let wait = self.rng.between(1200, 2600);
        self.wake(uid, wait);
    }

    fn claim_obstacle(&self, pod: &Value) -> Option<String> {
        claims_of(pod).find_map(|name| {
            let claim = self
                .api
                .get(&Key::new(CLAIM, text(&pod["metadata"], "namespace"), name));
            match claim {
                None => Some(format!("persistentvolumeclaim \"{name}\" not found")),
                Some(claim) if terminating(claim) => Some(format!("persistentvolumeclaim \"{name}\" is being deleted")),
                Some(_) => None,
            }
        })
    }

    /// Claims wait for their first consumer, then get a volume of the asked size.
    fn bind_claims(&mut self, pod: &Value) {
        for name in claims_of(pod) {
            let key = Key::new(CLAIM, text(&pod["metadata"], "namespace"), name);
            let _ = self.api.edit(&key, |claim| {
                if claim["status"]["phase"] != "Bound" {
                    let size = claim["spec"]["resources"]["requests"]["storage"].clone();
                    claim["spec"]["volumeName"] = json!(format!("pv-{name}"));
                    claim["status"] = json!({"phase": "Bound", "accessModes": claim["spec"]["accessModes"], "capacity": {"storage": size}});
                }
            });
        }
    }
}
