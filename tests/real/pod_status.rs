//! Takes what a container did; gives the pod status that a kubelet writes for it. Pure.

use std::net::Ipv4Addr;

use serde_json::{Value, json};

use crate::container::main_container;
use crate::node::now;

/// The life of a pod's main container so far.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) address: Ipv4Addr,
    pub(crate) since: String,
    pub(crate) started: String,
    pub(crate) restarts: u32,
    pub(crate) container: String,
    pub(crate) last: Option<Value>,
}

impl Record {
    pub(crate) fn new(address: Ipv4Addr) -> Self {
        let since = now();
        Self {
            address,
            started: since.clone(),
            since,
            restarts: 0,
            container: String::new(),
            last: None,
        }
    }

    /// A container of this pod has started.
    pub(crate) fn start(&mut self, pod: &Value) {
        let uid = pod["metadata"]["uid"].as_str().unwrap_or_default().replace('-', "");
        self.started = now();
        self.container = format!("containerd://{uid}{:032x}", self.restarts);
    }

    pub(crate) fn waiting(&self, pod: &Value, phase: &str, reason: &str) -> Value {
        self.status(pod, phase, &json!({"waiting": {"reason": reason}}), false)
    }

    pub(crate) fn running(&self, pod: &Value, ready: bool) -> Value {
        self.status(pod, "Running", &json!({"running": {"startedAt": self.started}}), ready)
    }

    pub(crate) fn ended(&self, pod: &Value, phase: &str, terminated: &Value) -> Value {
        self.status(pod, phase, &json!({"terminated": terminated}), false)
    }

    pub(crate) fn terminated(&self, code: i32, reason: Option<&str>) -> Value {
        let usual = if code == 0 { "Completed" } else { "Error" };
        json!({"exitCode": code, "reason": reason.unwrap_or(usual), "startedAt": self.started, "finishedAt": now(),
            "containerID": self.container})
    }

    /// A merge patch for the status. `qosClass` can not be changed, so it is left to the API server.
    fn status(&self, pod: &Value, phase: &str, state: &Value, ready: bool) -> Value {
        let main = main_container(pod);
        let running = state.get("running").is_some();
        let mut container = json!({"name": main["name"], "image": main["image"], "imageID": "", "ready": ready,
            "started": running, "restartCount": self.restarts, "state": state,
            "lastState": self.last.clone().map_or(json!({}), |last| json!({"terminated": last}))});
        if !self.container.is_empty() {
            container["containerID"] = json!(self.container);
        }
        let flag = |yes: bool| if yes { "True" } else { "False" };
        let condition = |kind: &str, status: &str| json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": self.started});
        let address = self.address.to_string();
        json!({"status": {
            "phase": phase, "hostIP": "127.0.0.1", "hostIPs": [{"ip": "127.0.0.1"}],
            "podIP": address, "podIPs": [{"ip": address}], "startTime": self.since,
            "conditions": [condition("PodReadyToStartContainers", "True"), condition("Initialized", "True"),
                condition("Ready", flag(ready)), condition("ContainersReady", flag(ready)),
                condition("PodScheduled", "True")],
            "containerStatuses": [container],
        }})
    }
}

/// What the eviction manager leaves: no container statuses, a reason and a message.
pub(crate) fn evicted(message: &str) -> Value {
    json!({"status": {"phase": "Failed", "reason": "Evicted", "message": message, "containerStatuses": null}})
}
