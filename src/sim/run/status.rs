//! `status` of a pod in the form a kubelet writes.

use serde_json::{Value, json};

use super::{Exit, Run, Stage};
use crate::sim::clock::{Millis, rfc3339};

impl Run {
    pub(in crate::sim) fn status(&self) -> Value {
        let Stage::Unplaced(why) = &self.stage else {
            return self.placed_status();
        };
        let mut condition = json!({"type": "PodScheduled", "status": "False", "lastProbeTime": null});
        if let Some(why) = why {
            condition["reason"] = json!("Unschedulable");
            condition["message"] = json!(why);
        }
        json!({"phase": "Pending", "qosClass": "Burstable", "conditions": [condition]})
    }

    fn placed_status(&self) -> Value {
        let since = self.placed_at.unwrap_or(0);
        let running = matches!(self.stage, Stage::Running(_));
        let condition = |kind: &str, holds: bool| {
            let status = if holds { "True" } else { "False" };
            json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": rfc3339(since)})
        };
        let mut status = json!({
            "phase": self.phase(),
            "qosClass": "Burstable",
            "hostIP": "10.0.0.2",
            "startTime": rfc3339(since),
            "conditions": [condition("PodScheduled", true), condition("Initialized", true), condition("Ready", running)],
            "containerStatuses": [self.container_status()],
        });
        if !self.address.is_empty() {
            status["podIP"] = json!(self.address);
            status["podIPs"] = json!([{"ip": self.address}]);
        }
        status
    }

    const fn phase(&self) -> &'static str {
        match self.stage {
            Stage::Unplaced(_) | Stage::Creating => "Pending",
            Stage::Running(_) | Stage::Ended | Stage::BackOff => "Running",
            Stage::Over => "Succeeded",
        }
    }

    fn container_status(&self) -> Value {
        let running = matches!(self.stage, Stage::Running(_));
        let ended = || json!({"terminated": self.last.as_ref().map(|exit| self.terminated(exit))});
        let (state, last) = match &self.stage {
            Stage::Unplaced(_) | Stage::Creating => (json!({"waiting": {"reason": "ContainerCreating"}}), json!({})),
            Stage::Running(_) if self.last.is_some() => {
                (json!({"running": {"startedAt": rfc3339(self.started)}}), ended())
            }
            Stage::Running(_) => (json!({"running": {"startedAt": rfc3339(self.started)}}), json!({})),
            Stage::Ended | Stage::Over => (ended(), json!({})),
            Stage::BackOff => {
                let message = format!("back-off restarting failed container={}", self.container);
                (
                    json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}}),
                    ended(),
                )
            }
        };
        json!({
            "name": self.container, "image": self.image, "imageID": "", "containerID": self.container_id(self.started),
            "ready": running, "started": running, "restartCount": self.restarts, "state": state, "lastState": last,
        })
    }

    fn terminated(&self, exit: &Exit) -> Value {
        json!({
            "containerID": self.container_id(exit.started), "exitCode": exit.code, "reason": exit.reason,
            "startedAt": rfc3339(exit.started), "finishedAt": rfc3339(exit.finished),
        })
    }

    fn container_id(&self, started: Millis) -> String {
        format!("containerd://{}-{started}", self.uid)
    }

    /// As after an eviction: nothing is known of the container.
    pub(in crate::sim) fn failed(&self, reason: &str) -> Value {
        json!({
            "phase": "Failed",
            "reason": reason,
            "message": "The node was low on resource: ephemeral-storage.",
            "qosClass": "Burstable",
            "hostIP": "10.0.0.2",
            "startTime": rfc3339(self.placed_at.unwrap_or(0)),
            "conditions": [
                {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet", "lastProbeTime": null},
                {"type": "PodScheduled", "status": "True", "lastProbeTime": null},
            ],
            "containerStatuses": [{
                "name": self.container, "image": self.image, "imageID": "", "ready": false, "started": false,
                "restartCount": self.restarts, "lastState": {},
                "state": {"terminated": {
                    "exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": null, "finishedAt": null,
                    "message": "The container could not be located when the pod was terminated",
                }},
            }],
        })
    }
}
