//! The pods that kubelets would show at a snapshot, as recorded or with another fate. Takes events, gives pods and their JSON;
//! knows no rule.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::cluster::{instant, object};
use super::recording::{Recording, Snapshot, What};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    pub(super) fn json(&self, index: u32) -> Value {
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
