//! The cluster around a recording: the body that metacontroller would send. Takes pods and wishes, gives JSON; knows no
//! rule.

use std::sync::OnceLock;

use rollcall::observed::Timestamp;
use serde_json::{Value, json};

use super::pods::Pods;
use super::recording::{Recording, Snapshot};
use crate::corpus::{Folder, NOW, of};

/// Unique id of the job.
const UID: &str = "551388e0-5ef9-461e-9038-4f369673b02a";

/// An object of the job's.
pub(crate) fn object(kind: &str, name: &str, uid: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {
        "name": name, "namespace": "crawls", "uid": uid, "creationTimestamp": instant(0),
        "labels": {"rollcall.dev/crawl": "news"},
        "ownerReferences": [{"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob", "name": "news", "uid": UID,
            "controller": true, "blockOwnerDeletion": true}]}})
}

pub(crate) fn redis() -> Value {
    let mut pod = object("Pod", "redis-news", "redis-0");
    pod["spec"] = json!({"nodeName": "node-1", "containers": [{"name": "redis"}]});
    pod["status"] = json!({"phase": "Running", "podIP": "10.0.0.1", "containerStatuses": [
        {"name": "redis", "restartCount": 0, "state": {"running": {"startedAt": instant(0)}}}]});
    pod
}

pub(crate) fn volume(name: &str) -> Value {
    let mut volume = object("PersistentVolumeClaim", name, &format!("volume-{name}"));
    volume["spec"] = json!({"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": "25Gi"}}});
    volume["status"] = json!({"phase": "Bound", "capacity": {"storage": "25Gi"}});
    volume
}

/// The instant of a moment of a recording.
pub(super) fn instant_of(at: i64) -> Timestamp {
    let start: Timestamp = NOW.parse().unwrap();
    Timestamp::from_millisecond(start.as_millisecond() + at).unwrap()
}

pub(super) fn instant(at: i64) -> String {
    rollcall::observed::time::whole_seconds(instant_of(at))
}

/// What the recording's user wished: what the flags of the snapshot say was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) scale: u32,
    pub(crate) paused: bool,
    pub(crate) stopping: bool,
    pub(crate) deleted: bool,
}

impl Wish {
    pub(super) fn at(recording: &Recording, snapshot: &Snapshot) -> Self {
        let has = |key: &str| snapshot.keys.contains_key(key);
        Self {
            scale: recording.scale() - u32::from(has("news:stopone")),
            paused: has("news:paused"),
            stopping: has("news:stopping"),
            deleted: has("news:canceled"),
        }
    }

    fn spec(self) -> Value {
        let mut spec = json!({"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}, "scale": self.scale,
            "config": {"seeds": [{"url": "http://site.example/"}]}, "storage": {"secretName": "storage-default"}});
        if self.paused {
            spec["pausedAt"] = json!(instant(0));
        }
        if self.stopping {
            spec["stopping"] = json!(true);
        }
        spec
    }
}

/// The parts of a recorded call that are the same for every job: what the controller declares, and the anchor.
fn recorded() -> &'static Value {
    static RECORDED: OnceLock<Value> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let call = of(Folder::Sync).find(|fixture| fixture.name == "05-all-running-with-register");
        let body = call.unwrap().body();
        let strategies = &body["controller"]["spec"]["childResources"];
        json!({"controller": {"spec": {"childResources": strategies}}, "related": body["related"]})
    })
}

/// A call about a job that has nothing yet.
pub(crate) fn new_job(wish: Wish) -> Value {
    let recorded = recorded();
    let mut job = object("CrawlJob", "news", UID);
    job["apiVersion"] = json!("rollcall.dev/v1");
    job["spec"] = wish.spec();
    json!({
        "controller": recorded["controller"],
        "parent": job,
        "children": {"Pod.v1": {}, "PersistentVolumeClaim.v1": {}, "ConfigMap.v1": {}},
        "related": recorded["related"],
        "finalizing": false,
    })
}

/// The call that shows these pods and the volumes of all that ever started, with the ConfigMaps and the status that the
/// last call answered.
pub(super) fn body(wish: Wish, pods: &Pods, started: u32, maps: &[Value], status: &Value) -> Value {
    let mut body = new_job(wish);
    body["finalizing"] = json!(wish.deleted);
    body["parent"]["status"] = status.clone();
    let mut show = |group: &str, mut child: Value| {
        let name = child["metadata"]["name"].as_str().unwrap().to_owned();
        child["metadata"]["uid"] = json!(format!("{group}-{name}-{}", child["metadata"]["uid"]));
        body["children"][group][name] = child;
    };
    for (index, pod) in pods {
        show("Pod.v1", pod.json(*index));
    }
    show("Pod.v1", redis());
    let crawlers = (0..started).map(|index| format!("crawl-news-{index}"));
    for name in crawlers.chain(["redis-news".to_owned()]) {
        show("PersistentVolumeClaim.v1", volume(&name));
    }
    for map in maps {
        show("ConfigMap.v1", map.clone());
    }
    body
}
