//! Takes a client; gives what pods need to be placed: one node, a storage class, priority classes, and a volume
//! per claim. Never touches a
//! pod.

use kube::Client;
use serde_json::{Value, json};

use crate::api::{CLAIM, Cache, NODE, Objects, PRIORITY_CLASS, STORAGE_CLASS, VOLUME, is_conflict, is_missing};
use crate::kubelet::text;
use crate::machine::Machine;

pub(crate) const NODE_NAME: &str = "node-a";
const CLASS: &str = "standard";

/// Makes the node and the classes unless another test has.
pub(crate) async fn set_up(client: &Client) {
    let nodes = Objects::new(client, NODE, "");
    let labels = json!({"kubernetes.io/hostname": NODE_NAME, "nodeType": "crawling"});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE_NAME, "labels": labels}});
    made(nodes.create(&node).await);
    let room = json!({"cpu": "4000", "memory": "8000Gi", "pods": "5000", "ephemeral-storage": "8000Gi"});
    let ready = json!({"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready",
        "lastHeartbeatTime": now(), "lastTransitionTime": now()});
    let status = json!({"status": {"capacity": room, "allocatable": room, "conditions": [ready]}});
    nodes.merge_status(NODE_NAME, &status).await.expect("the node is ready");
    // Admission taints every new node as not ready; nobody else runs here who would take that off.
    nodes
        .merge(NODE_NAME, &json!({"spec": {"taints": null}}))
        .await
        .expect("the taint goes");
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": CLASS, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"});
    made(Objects::new(client, STORAGE_CLASS, "").create(&class).await);
    priority_classes(client).await;
}

async fn priority_classes(client: &Client) {
    let classes = Objects::new(client, PRIORITY_CLASS, "");
    // The values that the chart gives them: they can't be changed afterwards.
    for (family, first) in [("crawl-pri", 0), ("crawl-bg-pri", -1000)] {
        for number in 0..10 {
            let class = json!({"apiVersion": PRIORITY_CLASS.api_version, "kind": PRIORITY_CLASS.kind,
                "metadata": {"name": format!("{family}-{number}")}, "value": first - number});
            made(classes.create(&class).await);
        }
    }
}

fn made(result: kube::Result<Value>) {
    if let Err(error) = result {
        assert!(is_conflict(&error), "cannot make it: {error}");
    }
}

pub(crate) fn now() -> String {
    let now = k8s_openapi::jiff::Timestamp::now();
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Gives each claim of the namespace a volume of its size, and takes the volume, with what the machine had on it, away
/// after the claim.
pub(crate) async fn provision(client: Client, namespace: String, machine: Machine) {
    let claims = Cache::start(&client, CLAIM, &namespace).await;
    let volumes = Objects::new(&client, VOLUME, "");
    let mut changes = claims.changes();
    let mut given: Vec<String> = Vec::new();
    loop {
        let seen = claims.list();
        for claim in &seen {
            let uid = text(&claim["metadata"]["uid"]);
            if !given.contains(&uid) {
                made(volumes.create(&volume(claim, &namespace)).await);
                given.push(uid);
            }
        }
        let gone = |uid: &String| !seen.iter().any(|claim| claim["metadata"]["uid"] == **uid);
        for uid in given.extract_if(.., |uid| gone(uid)) {
            machine.volume_gone(&uid);
            let deleted = volumes.delete(&volume_name(&uid), Some(0), None).await;
            assert!(
                deleted.as_ref().err().is_none_or(is_missing),
                "a volume goes: {deleted:?}"
            );
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn volume_name(claim_uid: &str) -> String {
    format!("pv-{claim_uid}")
}

fn volume(claim: &Value, namespace: &str) -> Value {
    let metadata = &claim["metadata"];
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": volume_name(&text(&metadata["uid"]))},
        "spec": {
            "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
            "accessModes": claim["spec"]["accessModes"],
            "storageClassName": CLASS,
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": "/nowhere"},
            // With the uid, so that a claim made again under the same name never gets the old volume.
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace,
                "name": metadata["name"], "uid": metadata["uid"]},
        },
    })
}
