//! What the API server adds to objects of the kinds it knows, and how long it lets a pod leave.

use serde_json::{Value, json};

use super::{CLAIM, CLAIM_PROTECTION, POD};
use crate::sim::metacontroller::text;

/// Seconds of grace: none for a pod that no node has or that is over.
pub(super) fn pod_grace(pod: &Value) -> i64 {
    let over = matches!(text(&pod["status"], "phase"), "Succeeded" | "Failed");
    if over || text(&pod["spec"], "nodeName").is_empty() {
        return 0;
    }
    pod["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30)
}

/// What the server adds and the caller sees again.
pub(super) fn defaults(kind: &str, object: &mut Value) {
    match kind {
        POD => {
            let spec = &mut object["spec"];
            for (field, value) in [
                ("dnsPolicy", json!("ClusterFirst")),
                ("restartPolicy", json!("Always")),
                ("schedulerName", json!("default-scheduler")),
                ("terminationGracePeriodSeconds", json!(30)),
            ] {
                if spec[field].is_null() {
                    spec[field] = value;
                }
            }
            object["status"] = json!({"phase": "Pending", "qosClass": "Burstable"});
        }
        CLAIM => {
            object["metadata"]["finalizers"] = json!([CLAIM_PROTECTION]);
            if object["spec"]["volumeMode"].is_null() {
                object["spec"]["volumeMode"] = json!("Filesystem");
            }
            object["status"] = json!({"phase": "Pending"});
        }
        _ => {}
    }
}
