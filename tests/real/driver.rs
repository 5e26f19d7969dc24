//! Takes a hook's address and the kinds it makes; gives what metacontroller gives: bodies built from caches, calls, and the
//! answer applied to the cluster, again and again with back-off. What to do with an answer is decided in plan.rs; here it
//! is only carried out. One per test, in the test's namespace.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::{Value, json};

use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, Cache, Kind, Objects, POD, is_conflict, is_missing, short};
use crate::call::{Answer, post};
use crate::kubelet::text;
use crate::plan::{self, Step};

pub const FINALIZER: &str = "metacontroller.io/compositecontroller-crawljob";
const FIRST_BACK_OFF: Duration = Duration::from_millis(5);
const LAST_BACK_OFF: Duration = Duration::from_secs(2);
/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The CompositeController, as it is sent in every body.
#[derive(Clone)]
pub struct Controller {
    pub object: Value,
    /// `http://127.0.0.1:port/crawljob`.
    pub url: String,
}

struct Parent {
    due: Option<Instant>,
    back_off: Duration,
    customize: Option<(String, Value)>,
    /// The parent without what `ignoreStatusChanges` ignores, and its children, as last looked at.
    looked: String,
}

pub struct Driver {
    task: tokio::task::JoinHandle<()>,
}

impl Driver {
    pub fn start(client: Client, namespace: String, controller: Controller) -> Self {
        Self {
            task: tokio::spawn(async move { Worker::new(client, namespace, controller).await.run().await }),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Worker {
    client: Client,
    namespace: String,
    controller: Controller,
    parents: Cache,
    children: Vec<Cache>,
    states: HashMap<String, Parent>,
}

/// Whether a call did what it should.
type Outcome = Result<Option<Duration>, String>;

impl Worker {
    async fn new(client: Client, namespace: String, controller: Controller) -> Self {
        let parents = Cache::start(&client, CRAWL_JOB, &namespace).await;
        let mut children = Vec::new();
        for kind in [POD, CLAIM, CONFIG_MAP] {
            children.push(Cache::start(&client, kind, &namespace).await);
        }
        Self {
            client,
            namespace,
            controller,
            parents,
            children,
            states: HashMap::new(),
        }
    }

    async fn run(mut self) {
        let mut changes: Vec<_> = self
            .children
            .iter()
            .chain([&self.parents])
            .map(Cache::changes)
            .collect();
        loop {
            let parents = self.parents.list();
            self.states
                .retain(|uid, _| parents.iter().any(|parent| parent["metadata"]["uid"] == **uid));
            for parent in &parents {
                self.look(parent).await;
            }
            let due = self.states.values().filter_map(|state| state.due).min();
            let sleep = due.map_or(Duration::from_secs(1), |due| {
                due.saturating_duration_since(Instant::now())
            });
            let waits = changes.iter_mut().map(|change| Box::pin(change.changed()));
            let _ = tokio::time::timeout(sleep, futures_util::future::select_all(waits)).await;
        }
    }

    /// Calls the hook for this parent if something changed or its time has come.
    async fn look(&mut self, parent: &Value) {
        let uid = text(&parent["metadata"]["uid"]);
        let now = Instant::now();
        let shown = self.shown(parent);
        let fresh = || Parent {
            due: None,
            back_off: FIRST_BACK_OFF,
            customize: None,
            looked: String::new(),
        };
        let state = self.states.entry(uid.clone()).or_insert_with(fresh);
        if state.looked == shown && state.due.is_none_or(|due| due > now) {
            return;
        }
        state.looked = shown;
        state.due = None;
        let outcome = self.sync(parent).await;
        let state = self.states.get_mut(&uid).expect("made above");
        let wait = match outcome {
            Ok(resync) => {
                state.back_off = FIRST_BACK_OFF;
                resync
            }
            Err(reason) => {
                eprintln!("driver: {}: {reason}", text(&parent["metadata"]["name"]));
                state.back_off = (state.back_off * 2).min(LAST_BACK_OFF);
                Some(state.back_off)
            }
        };
        state.due = wait.map(|wait| Instant::now() + wait);
    }

    /// What an event handler would react to: versions of the children, and of the parent without its status.
    fn shown(&self, parent: &Value) -> String {
        let metadata = &parent["metadata"];
        let mut shown = json!([
            metadata["generation"],
            metadata["labels"],
            metadata["annotations"],
            metadata["finalizers"],
            metadata["deletionTimestamp"]
        ])
        .to_string();
        for child in self.children.iter().flat_map(Cache::list) {
            if plan::is_candidate(parent, &child) {
                shown.push_str(&text(&child["metadata"]["resourceVersion"]));
            }
        }
        shown
    }

    async fn sync(&mut self, parent: &Value) -> Outcome {
        let metadata = &parent["metadata"];
        let finalizers = metadata["finalizers"].as_array().cloned().unwrap_or_default();
        let ours = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
        let deleting = metadata["deletionTimestamp"].is_string();
        let mut parent = parent.clone();
        if deleting && !ours {
            // Over for us; the collector does the rest.
            return Ok(None);
        }
        if !ours {
            let mut all = finalizers;
            all.push(json!(FINALIZER));
            parent = self.set_finalizers(&parent, &all).await?;
        }
        let observed = self.claim(&parent).await?;
        let related = self.related(&parent).await?;
        let body = json!({"controller": self.controller.object, "parent": parent, "finalizing": deleting,
            "children": plan::keyed(&self.kinds(), &observed), "related": related});
        let hook = if deleting { "finalize" } else { "sync" };
        let answer = self.call(hook, &body).await?;
        self.apply(&parent, &observed, &answer, deleting).await
    }

    fn kinds(&self) -> Vec<Kind> {
        self.children.iter().map(|cache| cache.kind).collect()
    }

    /// The parent's children as the caches show them; orphans that fit are adopted on the way.
    async fn claim(&self, parent: &Value) -> Result<Vec<Value>, String> {
        let mut mine = Vec::new();
        for cache in &self.children {
            for child in cache
                .list()
                .into_iter()
                .filter(|child| plan::is_candidate(parent, child))
            {
                match plan::claim(parent, &child) {
                    plan::Claim::Ours => mine.push(child),
                    plan::Claim::Adopt(patch) => {
                        let objects = Objects::new(&self.client, cache.kind, &self.namespace);
                        let adopted = objects.merge(&text(&child["metadata"]["name"]), &patch).await;
                        adopted.map_err(|error| format!("cannot adopt: {}", short(&error)))?;
                        // The body still shows the child as it was, without its new owner.
                        mine.push(child);
                    }
                    plan::Claim::Ignore => {}
                }
            }
        }
        Ok(mine)
    }

    /// Asks customize once per generation, then lists what it named.
    async fn related(&mut self, parent: &Value) -> Result<Value, String> {
        let metadata = &parent["metadata"];
        let uid = text(&metadata["uid"]);
        let version = metadata["generation"].to_string();
        let state = self.states.get(&uid).and_then(|state| state.customize.clone());
        let rules = match state {
            Some((of, rules)) if of == version => rules,
            _ => {
                let answer = self
                    .call(
                        "customize",
                        &json!({"controller": self.controller.object, "parent": parent}),
                    )
                    .await?;
                let rules = answer["relatedResources"].clone();
                self.states.get_mut(&uid).expect("looked at").customize = Some((version, rules.clone()));
                rules
            }
        };
        let mut related = json!({});
        for rule in rules.as_array().into_iter().flatten() {
            let kind = [CONFIG_MAP, POD, CLAIM, CRAWL_JOB]
                .into_iter()
                .find(|kind| rule["resource"] == kind.plural);
            let kind = kind.ok_or_else(|| format!("cannot relate to {}", rule["resource"]))?;
            let objects = Objects::new(&self.client, kind, &self.namespace).list("").await;
            let fitting = objects.into_iter().filter(|object| plan::is_related(rule, object));
            let group = &mut related[kind.key()];
            if group.is_null() {
                *group = json!({});
            }
            for object in fitting {
                let key = plan::inner_key(&object);
                group[key] = object;
            }
        }
        Ok(related)
    }

    async fn call(&self, hook: &str, body: &Value) -> Result<Value, String> {
        let url = format!("{}/{hook}", self.controller.url);
        match tokio::time::timeout(TIMEOUT, post(&url, body)).await {
            Ok(Ok(Answer { status: 200, body })) => {
                serde_json::from_slice(&body).map_err(|error| format!("{hook}: not JSON: {error}"))
            }
            Ok(Ok(Answer { status, body })) => Err(format!("{hook}: {status} {}", String::from_utf8_lossy(&body))),
            Ok(Err(error)) => Err(format!("{hook}: {error}")),
            Err(_) => Err(format!("{hook}: no answer within {TIMEOUT:?}")),
        }
    }

    async fn set_finalizers(&self, parent: &Value, finalizers: &[Value]) -> Result<Value, String> {
        let metadata = &parent["metadata"];
        let patch = json!({"metadata": {"finalizers": finalizers, "resourceVersion": metadata["resourceVersion"]}});
        let objects = Objects::new(&self.client, CRAWL_JOB, &self.namespace);
        let patched = objects.merge(&text(&metadata["name"]), &patch).await;
        patched.map_err(|error| format!("cannot set finalizers: {}", short(&error)))
    }

    /// In metacontroller's order: finalizer, deletions, creations and updates, status.
    async fn apply(&self, parent: &Value, observed: &[Value], answer: &Value, deleting: bool) -> Outcome {
        let mut parent = parent.clone();
        let finalized = deleting && answer["finalized"] == true;
        if finalized {
            let all = parent["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
            let rest: Vec<Value> = all.into_iter().filter(|finalizer| finalizer != FINALIZER).collect();
            parent = self.set_finalizers(&parent, &rest).await?;
        }
        let mut failures = Vec::new();
        if !finalized {
            let steps = plan::steps(&self.controller.object, &parent, observed, answer)?;
            for step in steps {
                failures.extend(self.take(&step).await.err());
            }
        }
        failures.extend(self.write_status(&parent, answer).await.err());
        match failures.is_empty() {
            true => Ok(answer["resyncAfterSeconds"]
                .as_f64()
                .filter(|after| *after > 0.0)
                .map(Duration::from_secs_f64)),
            false => Err(failures.join("; ")),
        }
    }

    async fn take(&self, step: &Step) -> Result<(), String> {
        let object = step.object();
        let kind = self
            .kinds()
            .into_iter()
            .find(|kind| object["kind"] == kind.kind)
            .ok_or("an undeclared kind")?;
        let objects = Objects::new(&self.client, kind, &self.namespace);
        let name = text(&object["metadata"]["name"]);
        let result = match step {
            Step::Delete(_) => objects.delete(&name, None, object["metadata"]["uid"].as_str()).await,
            Step::Create(_) => objects.create(object).await.map(|_| ()),
            Step::Update(_) => objects.replace(&name, object).await.map(|_| ()),
        };
        match result {
            // Gone already, made already, or older than what is there: the next event brings us back.
            Err(error) if is_missing(&error) || is_conflict(&error) => Ok(()),
            other => other.map_err(|error| format!("{} {name}: {}", step.verb(), short(&error))),
        }
    }

    async fn write_status(&self, parent: &Value, answer: &Value) -> Result<(), String> {
        let mut status = answer.get("status").cloned().unwrap_or_else(|| json!({}));
        status["observedGeneration"] = parent["metadata"]["generation"].clone();
        let name = text(&parent["metadata"]["name"]);
        let objects = Objects::new(&self.client, CRAWL_JOB, &self.namespace);
        let mut current = parent.clone();
        while current["status"] != status {
            current["status"] = status.clone();
            match objects.replace_status(&name, &current).await {
                Ok(_) => break,
                Err(error) if is_missing(&error) => break,
                Err(error) if !is_conflict(&error) => {
                    return Err(format!("cannot write the status: {}", short(&error)));
                }
                Err(_) => match objects.get(&name).await {
                    // Replaced whole, whatever is there now, as long as it is the same parent.
                    Some(newer) if newer["metadata"]["uid"] == parent["metadata"]["uid"] => current = newer,
                    _ => break,
                },
            }
        }
        Ok(())
    }
}
