//! Takes the shipped controller and a hook's address; gives what metacontroller gives when none is at hand: a call whenever
//! something changed or its time has come, with back-off. When to call is here, one call is in driver/round.rs, and what
//! an answer means is `rollcall::sim::metacontroller`, the same rules as the simulated cluster's.

mod round;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kube::Client;
use rollcall::sim::metacontroller::claim::controller_of;
use rollcall::sim::metacontroller::related::Rule;
use rollcall::sim::metacontroller::selector::Selector;
use rollcall::sim::metacontroller::{Controller, Kind, Objects, key_of, qualified_name, retry, text};
use serde_json::Value;

use crate::api::{self, CLAIM, CONFIG_MAP, CRAWL_JOB, Cache, POD};
use crate::cluster::{User, cluster};

/// What can be a parent, a child or related.
const KINDS: [api::Kind; 4] = [CRAWL_JOB, POD, CLAIM, CONFIG_MAP];
/// The real one waits up to 1000 s; a test has less time.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(2);

pub(crate) struct Driver {
    task: tokio::task::JoinHandle<()>,
}

impl Driver {
    /// Drives the parents of one namespace until it is dropped; `url` is what the hooks' paths are below.
    pub(crate) async fn start(user: User, namespace: &str, controller: &Value, url: &str) -> Self {
        let client = cluster().client(user).await;
        let kinds = KINDS
            .map(|kind| Kind::new(kind.api_version, kind.kind, kind.plural))
            .to_vec();
        let controller = Controller::read(controller, &kinds).expect("a controller that names known kinds");
        let mut caches = Vec::new();
        for kind in KINDS {
            caches.push(Cache::start(&client, kind, namespace).await);
        }
        let (namespace, url, parents) = (namespace.to_owned(), format!("{url}/crawljob"), HashMap::new());
        let worker = Worker {
            client,
            namespace,
            url,
            controller,
            kinds,
            caches,
            parents,
        };
        Self {
            task: tokio::spawn(worker.run()),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What is remembered of a parent between two calls.
struct Memory {
    /// As last looked at, with the versions of everything that belongs to it.
    parent: Value,
    versions: Vec<String>,
    due: Option<Instant>,
    failures: u32,
    /// Rules of customize and the generation they are for.
    rules: Option<(Value, Vec<Rule>)>,
}

struct Worker {
    client: Client,
    namespace: String,
    url: String,
    controller: Controller,
    kinds: Vec<Kind>,
    caches: Vec<Cache>,
    parents: HashMap<String, Memory>,
}

/// Why a call has to be repeated, and after how long if that was said.
struct Again {
    reason: String,
    after: Option<Duration>,
}

impl From<String> for Again {
    fn from(reason: String) -> Self {
        Self { reason, after: None }
    }
}

impl Worker {
    async fn run(mut self) {
        let mut changes: Vec<_> = self.caches.iter().map(Cache::changes).collect();
        loop {
            let view = self.view();
            let parents: Vec<Value> = view
                .get(&CRAWL_JOB.key())
                .into_iter()
                .flat_map(|group| group.values().cloned())
                .collect();
            self.parents
                .retain(|uid, _| parents.iter().any(|parent| parent["metadata"]["uid"] == **uid));
            for parent in &parents {
                self.look(parent, &view).await;
            }
            let due = self.parents.values().filter_map(|memory| memory.due).min();
            let sleep = due.map_or(Duration::from_secs(1), |due| {
                due.saturating_duration_since(Instant::now())
            });
            let waits = changes.iter_mut().map(|change| Box::pin(change.changed()));
            let _ = tokio::time::timeout(sleep, futures_util::future::select_all(waits)).await;
        }
    }

    /// What the caches show now; each kind may be behind by itself.
    fn view(&self) -> Objects {
        let mut view = Objects::new();
        for object in self.caches.iter().flat_map(Cache::list) {
            view.entry(key_of(&object))
                .or_default()
                .insert(qualified_name(&object), object);
        }
        view
    }

    /// Calls the hook for this parent if something of it changed or its time has come.
    async fn look(&mut self, parent: &Value, view: &Objects) {
        let uid = text(&parent["metadata"], "uid").to_owned();
        let versions = self.versions(parent, view);
        let memory = self.parents.get(&uid);
        let woken = memory.is_none_or(|memory| {
            let is_due = memory.due.is_some_and(|due| due <= Instant::now());
            is_due || memory.versions != versions || self.controller.wakes_on(&memory.parent, parent)
        });
        if !woken || !self.controller.cares(parent) {
            return;
        }
        let fresh = || Memory {
            parent: Value::Null,
            versions: Vec::new(),
            due: None,
            failures: 0,
            rules: None,
        };
        let memory = self.parents.entry(uid.clone()).or_insert_with(fresh);
        (memory.parent, memory.versions, memory.due) = (parent.clone(), versions, None);
        let outcome = self.call(parent, view).await;
        let memory = self.parents.get_mut(&uid).expect("made above");
        let wait = match outcome {
            Ok(resync) => {
                memory.failures = 0;
                resync
            }
            Err(Again { reason, after }) => {
                eprintln!("driver: {}: {reason}", text(&parent["metadata"], "name"));
                let wait = after.unwrap_or_else(|| retry::backoff(memory.failures).min(LONGEST_BACK_OFF));
                memory.failures += u32::from(after.is_none());
                Some(wait)
            }
        };
        memory.due = wait.map(|wait| Instant::now() + wait);
    }

    /// Versions of the children and related objects: an event of any of them wakes the parent.
    fn versions(&self, parent: &Value, view: &Objects) -> Vec<String> {
        let uid = text(&parent["metadata"], "uid");
        let selector = Selector::of_parent(parent).ok();
        let rules = self.parents.get(uid).and_then(|memory| memory.rules.as_ref());
        let related = |object: &Value| {
            let of_kind = |rule: &Rule| {
                self.kinds
                    .iter()
                    .any(|kind| kind.key() == key_of(object) && rule.matches(kind, object))
            };
            rules.is_some_and(|(_, rules)| rules.iter().any(of_kind))
        };
        let is_child = |object: &Value| match controller_of(object) {
            Some(owner) => owner == uid,
            None => selector.as_ref().is_some_and(|selector| selector.matches(object)),
        };
        let children = |object: &&Value| {
            self.controller
                .children
                .iter()
                .any(|rule| rule.kind.key() == key_of(object))
        };
        let objects = view.values().flat_map(|group| group.values());
        let mine = objects.filter(|object| (children(object) && is_child(object)) || related(object));
        mine.map(|object| text(&object["metadata"], "resourceVersion").to_owned())
            .collect()
    }
}
