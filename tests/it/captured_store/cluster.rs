//! The cluster around a recording: the pods that kubelets would show at a snapshot, and the body that metacontroller would
//! send. Takes events and wishes, gives JSON; knows no rule.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rollcall::observed::Timestamp;
use serde_json::{Value, json};

use super::recording::{Recording, Snapshot, What};
use crate::corpus::{Folder, NOW, of};

/// Unique id of the job.
const UID: &str = "551388e0-5ef9-461e-9038-4f369673b02a";

/// What the pods may show instead of what was recorded; the store is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// The container runs.
    Running,
    /// It waits for its restart after SIGTERM was honoured.
    Interrupted,
    /// It waits for its restart after it was out of memory.
    OutOfMemory,
    /// It ended with 0.
    Succeeded,
    /// It was evicted.
    Evicted,
    /// It is being deleted.
    Leaving,
    /// It is not there.
    Absent,
    /// It runs, and Redis does not answer.
    NoStore,
}

impl Fate {
    /// Every one, in the order of the table.
    pub(super) const ALL: [Self; 8] = [
        Self::Running,
        Self::Interrupted,
        Self::OutOfMemory,
        Self::Succeeded,
        Self::Evicted,
        Self::Leaving,
        Self::Absent,
        Self::NoStore,
    ];

    /// As the table says it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "restarting 11",
            Self::OutOfMemory => "restarting 137 OOM",
            Self::Succeeded => "succeeded",
            Self::Evicted => "evicted",
            Self::Leaving => "leaving",
            Self::Absent => "absent",
            Self::NoStore => "running, store away",
        }
    }
}

/// One crawler pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pod {
    /// A pod that succeeded is not started again: what starts after it is another pod.
    number: u32,
    restarts: u32,
    shows: Shows,
    since: i64,
    last: Option<Exit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    Running,
    BackingOff,
    Succeeded,
    Evicted,
    Leaving,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Exit {
    code: i32,
    reason: &'static str,
    from: i64,
    to: i64,
}

/// Pods by index.
pub(super) type Pods = BTreeMap<u32, Pod>;

/// The pods at a snapshot, as recorded: the kubelet restarts what did not end with 0.
pub(super) fn pods(recording: &Recording, snapshot: &Snapshot) -> Pods {
    let mut pods = Pods::new();
    for event in recording.events_until(snapshot) {
        let before = pods.remove(&event.index);
        let pod = match (event.what, before) {
            (What::Start, Some(pod)) if pod.shows == Shows::BackingOff => Pod {
                restarts: pod.restarts + 1,
                shows: Shows::Running,
                since: event.at,
                ..pod
            },
            (What::Start, before) => started(before.map_or(0, |pod| pod.number + 1), event.at),
            (What::Exit(code), before) => {
                let pod = before.unwrap_or_else(|| started(0, 0));
                ended(pod, code, if code == 0 { "Completed" } else { "Error" }, event.at)
            }
        };
        pods.insert(event.index, pod);
    }
    pods
}

fn started(number: u32, at: i64) -> Pod {
    Pod {
        number,
        restarts: 0,
        shows: Shows::Running,
        since: at,
        last: None,
    }
}

fn ended(pod: Pod, code: i32, reason: &'static str, at: i64) -> Pod {
    let shows = if code == 0 { Shows::Succeeded } else { Shows::BackingOff };
    let last = Some(Exit {
        code,
        reason,
        from: pod.since,
        to: at,
    });
    Pod { shows, last, ..pod }
}

/// The same pods with another fate.
pub(super) fn with_fate(pods: Pods, fate: Option<Fate>, at: i64) -> Pods {
    let change = |pod: Pod| match fate {
        None => Some(pod),
        Some(Fate::Running | Fate::NoStore) => Some(Pod {
            shows: Shows::Running,
            ..pod
        }),
        Some(Fate::Interrupted) => Some(ended(pod, 11, "Error", at)),
        Some(Fate::OutOfMemory) => Some(ended(pod, 137, "OOMKilled", at)),
        Some(Fate::Succeeded) => Some(ended(pod, 0, "Completed", at)),
        Some(Fate::Evicted) => Some(Pod {
            shows: Shows::Evicted,
            ..ended(pod, 137, "Error", at)
        }),
        Some(Fate::Leaving) => Some(Pod {
            shows: Shows::Leaving,
            ..pod
        }),
        Some(Fate::Absent) => None,
    };
    let changed = pods.into_iter().filter_map(|(index, pod)| Some((index, change(pod)?)));
    changed.collect()
}

impl Pod {
    /// As the table says it.
    pub(super) fn word(&self) -> String {
        let code = self.last.map_or(0, |exit| exit.code);
        match self.shows {
            Shows::Running => "running".to_owned(),
            Shows::BackingOff => format!("restarting {code}"),
            Shows::Succeeded => "succeeded".to_owned(),
            Shows::Evicted => "evicted".to_owned(),
            Shows::Leaving => "leaving".to_owned(),
        }
    }

    /// Its container runs.
    pub(super) fn runs(&self) -> bool {
        matches!(self.shows, Shows::Running | Shows::Leaving)
    }

    fn json(&self, index: u32) -> Value {
        let uid = format!("pod-{index}-{}", self.number);
        let exit = self.last.map(|exit| {
            let id = format!("containerd://{uid}-{}", exit.to);
            json!({"terminated": {"containerID": id, "exitCode": exit.code, "reason": exit.reason,
                "startedAt": instant(exit.from), "finishedAt": instant(exit.to)}})
        });
        let exit = exit.unwrap_or(json!({}));
        let running = json!({"running": {"startedAt": instant(self.since)}});
        let (phase, state, last) = match self.shows {
            Shows::Running | Shows::Leaving => ("Running", running, exit),
            Shows::BackingOff => ("Running", json!({"waiting": {"reason": "CrashLoopBackOff"}}), exit),
            Shows::Succeeded => ("Succeeded", exit, json!({})),
            Shows::Evicted => ("Failed", exit, json!({})),
        };
        let mut pod = object("Pod", &format!("crawl-news-{index}"), &uid);
        pod["spec"] = json!({"nodeName": "node-1", "containers": [{"name": "crawler",
            "resources": {"requests": {"memory": "1792Mi"}}}]});
        pod["status"] = json!({"phase": phase, "containerStatuses": [{"name": "crawler",
            "restartCount": self.restarts, "state": state, "lastState": last}]});
        match self.shows {
            Shows::Evicted => pod["status"]["reason"] = json!("Evicted"),
            Shows::Leaving => pod["metadata"]["deletionTimestamp"] = json!(instant(self.since)),
            Shows::Running | Shows::BackingOff | Shows::Succeeded => {}
        }
        pod
    }
}

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

fn instant(at: i64) -> String {
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
