//! States of pods, as small as a report tells them: phase, container state, exit. Data only.

use serde_json::{Value, json};

/// A container status of the crawler in this state.
pub(super) fn container(name: &str, state: &Value) -> Value {
    json!({"name": name, "state": state})
}

/// A pod status of one container that the pod is named for.
pub(super) fn status(phase: &str, state: &Value) -> Value {
    json!({"phase": phase, "containerStatuses": [container("crawler", state)]})
}

/// A crawler that runs.
pub(super) fn running() -> Value {
    status("Running", &json!({"running": {}}))
}

/// A container that waits for this reason.
pub(super) fn waiting(phase: &str, reason: &str) -> Value {
    status(phase, &json!({"waiting": {"reason": reason}}))
}

/// An end of a container: exit code, reason, and a container id with a time, which tell it from others.
pub(super) fn exit(code: i32, reason: &str) -> Value {
    json!({"exitCode": code, "reason": reason, "containerID": "containerd://0123456789ab",
        "startedAt": "2026-11-30T12:00:00Z", "finishedAt": "2026-11-30T12:05:00Z"})
}

/// A container that ended in a pod that did not.
pub(super) fn ended(code: i32, reason: &str) -> Value {
    status("Running", &json!({"terminated": exit(code, reason)}))
}

/// A crawler that backs off from an exit.
pub(super) fn backing_off(code: i32) -> Value {
    let mut status = waiting("Running", "CrashLoopBackOff");
    status["containerStatuses"][0]["lastState"] = json!({"terminated": exit(code, "Error")});
    status["containerStatuses"][0]["restartCount"] = 1.into();
    status
}

/// A pod that nobody has found a node for.
pub(super) fn unschedulable() -> Value {
    json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]})
}
