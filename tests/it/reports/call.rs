//! One small call in the making: a job `news` with the few fields that a report speaks of, and the means to send it.
//! Decides nothing about answers; what holds for every answer is checked by `relatives` on the way.

use std::sync::OnceLock;

use serde_json::{Value, json};

use rollcall::config::Config;
use rollcall::outside::Stores;
use rollcall::outside::memory::MemoryStores;

use super::kept::Kept;
use super::relatives;
use super::seen::Seen;
use super::states::{container, running};
use crate::contract::manifest;
use crate::corpus::{NOW, app_at, identity, send};

/// UID of the job.
pub(super) const JOB: &str = "uid-of-news";
/// Its creation: an hour ago, which is longer than any start takes.
pub(super) const CREATED: &str = "2026-11-30T12:00:00Z";

/// One call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The body.
    pub(super) body: Value,
    /// What the store holds, as a store file; none = nobody answers.
    pub(super) store: Option<Value>,
    /// The instant.
    pub(super) now: String,
    /// The configuration.
    pub(super) config: Config,
    /// How many calls came before it.
    pub(super) number: u32,
}

fn controller() -> Value {
    static CONTROLLER: OnceLock<Value> = OnceLock::new();
    CONTROLLER.get_or_init(|| manifest("crawljob")).clone()
}

fn config() -> Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(Config::built_in).clone()
}

impl Call {
    /// A job with nothing around it, and no status.
    pub(super) fn new() -> Self {
        let selector = json!({"matchLabels": {"rollcall.dev/crawl": "news"}});
        let body = json!({
            "controller": controller(),
            "parent": {
                "apiVersion": "rollcall.dev/v1",
                "kind": "CrawlJob",
                "metadata": {"namespace": "crawls", "name": "news", "uid": JOB, "creationTimestamp": CREATED},
                "spec": {"selector": selector, "config": {"seeds": []}, "storage": {"secretName": "bucket"}},
            },
            "children": {"Pod.v1": {}, "PersistentVolumeClaim.v1": {}, "ConfigMap.v1": {}},
            "related": {},
            "finalizing": false,
        });
        Self {
            body,
            store: None,
            now: NOW.to_owned(),
            config: config(),
            number: 0,
        }
    }

    /// `crawlers` instances in mid-crawl, with Redis, volumes and the register.
    pub(super) fn at_work(crawlers: u32) -> Self {
        let mut call = Self::new().spec("scale", crawlers).register(json!({})).redis();
        let mut kept = Kept::marked().pages(9, 3).queued(2);
        for index in 0..crawlers {
            call = call.crawler(index, running()).volume(index);
            kept = kept.entry(index, "running");
        }
        call.kept(kept)
    }

    /// Sets a field of the spec.
    pub(super) fn spec(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.body["parent"]["spec"][field] = value.into();
        self
    }

    /// Sets a field of the parent's metadata.
    pub(super) fn meta(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.body["parent"]["metadata"][field] = value.into();
        self
    }

    /// The status that the parent has.
    pub(super) fn status(mut self, status: Value) -> Self {
        self.body["parent"]["status"] = status;
        self
    }

    /// The instant of the call.
    pub(super) fn at(mut self, now: &str) -> Self {
        now.clone_into(&mut self.now);
        self
    }

    /// The parent is being deleted.
    pub(super) fn finalizing(mut self) -> Self {
        self.body["finalizing"] = true.into();
        self.meta("deletionTimestamp", NOW)
            .meta("finalizers", json!(["metacontroller.io/compositecontroller-crawljob"]))
    }

    /// Something under `children`.
    pub(super) fn child(mut self, kind: &str, object: Value) -> Self {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let mut child = object;
        child["apiVersion"] = "v1".into();
        child["kind"] = kind.into();
        child["metadata"]["namespace"] = "crawls".into();
        self.body["children"][format!("{kind}.v1")][format!("crawls/{name}")] = child;
        self
    }

    /// The crawler pod of an instance, on a node unless nobody has found one.
    pub(super) fn crawler(self, index: u32, status: Value) -> Self {
        let placed = status["conditions"][0]["reason"] != "Unschedulable";
        let spec = if placed {
            json!({"nodeName": "node-a"})
        } else {
            json!({})
        };
        let name = format!("crawl-news-{index}");
        let metadata = json!({"name": name, "uid": format!("uid-of-{name}"), "creationTimestamp": CREATED});
        let mut pod = json!({"metadata": metadata, "spec": spec});
        pod["status"] = status;
        self.child("Pod", pod)
    }

    /// The Redis pod in this state.
    pub(super) fn redis_pod(self, status: Value) -> Self {
        let metadata = json!({"name": "redis-news", "uid": "uid-of-redis", "creationTimestamp": CREATED});
        let mut pod = json!({"metadata": metadata, "spec": {"nodeName": "node-a"}});
        pod["status"] = status;
        self.child("Pod", pod)
    }

    /// A Redis pod that runs, and its volume.
    pub(super) fn redis(self) -> Self {
        let status = json!({"phase": "Running", "podIP": "10.0.0.9",
            "containerStatuses": [container("redis", &json!({"running": {}}))]});
        self.redis_pod(status).claim("redis-news")
    }

    /// The volume of an instance, bound.
    pub(super) fn volume(self, index: u32) -> Self {
        self.claim(&format!("crawl-news-{index}"))
    }

    /// A bound claim of 25Gi.
    pub(super) fn claim(self, name: &str) -> Self {
        let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "25Gi"}}});
        let status = json!({"phase": "Bound", "capacity": {"storage": "25Gi"}});
        self.child(
            "PersistentVolumeClaim",
            json!({"metadata": {"name": name}, "spec": spec, "status": status}),
        )
    }

    /// The register: started and marked, and these fields of `state.json`.
    pub(super) fn register(self, fields: Value) -> Self {
        let mut state = json!({"started": true, "marked": true, "files": {"lines": 0, "count": 0, "bytes": 0}});
        let Value::Object(fields) = fields else {
            panic!("the fields of state.json are an object");
        };
        for (field, value) in fields {
            state[field] = value;
        }
        let data = json!({"state.json": state.to_string()});
        self.child(
            "ConfigMap",
            json!({"metadata": {"name": "crawl-register-news"}, "data": data}),
        )
    }

    /// What the store holds.
    pub(super) fn kept(mut self, kept: Kept) -> Self {
        self.store = Some(kept.0);
        self
    }

    /// The store can't be asked, for this reason.
    pub(super) fn unreachable(mut self, why: &str) -> Self {
        self.store = Some(json!({"unreachable": why}));
        self
    }

    /// A child that is there.
    pub(super) fn object(&mut self, kind: &str, name: &str) -> &mut Value {
        &mut self.body["children"][format!("{kind}.v1")][format!("crawls/{name}")]
    }

    /// Changes a child that is there.
    pub(super) fn edit(mut self, kind: &str, name: &str, change: impl FnOnce(&mut Value)) -> Self {
        let object = self.object(kind, name);
        assert!(object.is_object(), "there is no {kind} {name}");
        change(object);
        self
    }

    /// A child is on its way out.
    pub(super) fn terminating(self, kind: &str, name: &str) -> Self {
        self.edit(kind, name, |object| {
            object["metadata"]["deletionTimestamp"] = NOW.into();
        })
    }

    /// A child is gone.
    pub(super) fn without(mut self, kind: &str, name: &str) -> Self {
        let group = self.body["children"][format!("{kind}.v1")].as_object_mut();
        group.expect("a group is an object").remove(&format!("crawls/{name}"));
        self
    }

    /// The answer, and whether what holds for every answer holds for it.
    pub(super) async fn ask(&self) -> Seen {
        let seen = self.send().await;
        relatives::check(self, &seen).await;
        seen
    }

    /// The answer.
    pub(super) async fn send(&self) -> Seen {
        let (namespace, job) = identity(&self.body);
        let memory = MemoryStores::new();
        if let Some(store) = &self.store {
            memory.load(&namespace, &job, store).expect("a store file");
        }
        let call = if self.body["finalizing"] == true {
            "finalize"
        } else {
            "sync"
        };
        let app = app_at(&self.now, self.config.clone(), Stores::Memory(memory.clone()));
        let bytes = serde_json::to_vec(&self.body).expect("a body can be written");
        let answer = send(app, &format!("/crawljob/{call}"), &bytes).await;
        let store = self.store.as_ref().map(|_| memory.snapshot(&namespace, &job));
        Seen::new(self, &answer, store)
    }

    /// Asks and carries out until nothing changes any more; the last answer.
    pub(super) async fn rest(self) -> Seen {
        let mut seen = self.ask().await;
        for _ in 0..12 {
            let next = seen.next();
            if next.body == seen.call.body && next.store == seen.call.store {
                return seen;
            }
            seen = next.ask().await;
        }
        panic!("it does not come to rest: {}", seen.answer);
    }
}
