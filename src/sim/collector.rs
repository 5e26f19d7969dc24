//! Garbage collector and claim protection: what the controller manager does to objects nobody else takes away.
//!
//! An object goes when *all* its owners are gone; with one left it only loses the dangling references. `orphan` on an
//! owner takes the references to it off first.

use serde_json::Value;

use super::api_server::{ApiServer, CLAIM, CLAIM_PROTECTION, Key, POD};
use super::clock::Millis;
use super::metacontroller::claim::owners;
use super::metacontroller::plan::drop_finalizer;
use super::metacontroller::{finalizers, terminating, text};

/// One pass over everything; gives what was collected.
pub fn collect(now: Millis, api: &mut ApiServer) -> Vec<Key> {
    orphan_dependents(api);
    release_claims(api);
    let mut collected = Vec::new();
    let owned: Vec<(Key, Value)> = api
        .all()
        .filter(|(_, object)| owners(object).next().is_some())
        .map(|(key, object)| (key.clone(), object.clone()))
        .collect();
    for (key, object) in owned {
        let alive = |owner: &&Value| {
            let kind = super::metacontroller::kind_key(text(owner, "apiVersion"), text(owner, "kind"));
            let found = api.get(&Key::new(&kind, &key.namespace, text(owner, "name")));
            found.is_some_and(|found| found["metadata"]["uid"] == owner["uid"])
        };
        let living: Vec<Value> = owners(&object).filter(alive).cloned().collect();
        if living.is_empty() {
            if !terminating(&object) && api.delete(now, &key, None).is_ok() {
                collected.push(key);
            }
        } else if living.len() < owners(&object).count() {
            // Gone meanwhile is fine.
            let _ = api.edit(&key, |current| {
                current["metadata"]["ownerReferences"] = Value::Array(living);
            });
        }
    }
    collected
}

fn orphan_dependents(api: &mut ApiServer) {
    let leaving: Vec<(Key, Value)> = api
        .all()
        .filter(|(_, object)| terminating(object) && finalizers(object).any(|name| name == "orphan"))
        .map(|(key, object)| (key.clone(), object["metadata"]["uid"].clone()))
        .collect();
    for (key, uid) in leaving {
        let dependents: Vec<Key> = api
            .all()
            .filter(|(_, object)| owners(object).any(|owner| owner["uid"] == uid))
            .map(|(key, _)| key.clone())
            .collect();
        for dependent in dependents {
            let _ = api.edit(&dependent, |object| {
                let left: Vec<Value> = owners(object).filter(|owner| owner["uid"] != uid).cloned().collect();
                object["metadata"]["ownerReferences"] = Value::Array(left);
            });
        }
        let _ = api.edit(&key, |object| drop_finalizer(object, "orphan"));
    }
}

/// A terminating claim goes once no placed pod uses it.
fn release_claims(api: &mut ApiServer) {
    let leaving: Vec<Key> = api
        .list(CLAIM)
        .filter(|(_, claim)| terminating(claim) && finalizers(claim).any(|name| name == CLAIM_PROTECTION))
        .map(|(key, _)| key.clone())
        .collect();
    for key in leaving {
        let used = api.list(POD).any(|(pod_key, pod)| {
            pod_key.namespace == key.namespace
                && !text(&pod["spec"], "nodeName").is_empty()
                && claims_of(pod).any(|name| name == key.name)
        });
        if !used {
            let _ = api.edit(&key, |claim| drop_finalizer(claim, CLAIM_PROTECTION));
        }
    }
}

/// Names of the claims that a pod mounts.
pub fn claims_of(pod: &Value) -> impl Iterator<Item = &str> {
    pod["spec"]["volumes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str())
}
