//! Takes one parent and what the caches show; gives one call of the hook, from claiming children to writing the status, in
//! metacontroller's order. Decides nothing: every decision is `rollcall::sim::metacontroller`'s.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use rollcall::sim::metacontroller::claim::{Claim, adopted, claim, released};
use rollcall::sim::metacontroller::plan::{Step, plan};
use rollcall::sim::metacontroller::related::related;
use rollcall::sim::metacontroller::retry::{self, Verdict};
use rollcall::sim::metacontroller::selector::Selector;
use rollcall::sim::metacontroller::{Objects, answer, finalizers, key_of, request, text};
use serde_json::{Map, Value, json};

use super::{Again, KINDS, Worker};
use crate::api::{self, CRAWL_JOB, is_conflict, is_missing, short};
use crate::call::post;

/// metacontroller's own, and what the shipped manifest says.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Worker {
    fn api(&self, kind: api::Kind) -> api::Objects {
        api::Objects::new(&self.client, kind, &self.namespace)
    }

    fn api_of(&self, object: &Value) -> api::Objects {
        let kind = KINDS.into_iter().find(|kind| kind.key() == key_of(object));
        self.api(kind.unwrap_or_else(|| panic!("the answer has a kind that nobody declared: {}", key_of(object))))
    }

    /// One call; gives the time after which the hook wants to be called again.
    pub(super) async fn call(&mut self, parent: &Value, view: &Objects) -> Result<Option<Duration>, Again> {
        let mut parent = parent.clone();
        if let Some(ours) = self
            .controller
            .finalizer
            .clone()
            .filter(|_| self.controller.wants_finalizer(&parent))
        {
            let mut list: Vec<&str> = finalizers(&parent).collect();
            list.push(&ours);
            let patch =
                json!({"metadata": {"finalizers": list, "resourceVersion": parent["metadata"]["resourceVersion"]}});
            let patched = self
                .api(CRAWL_JOB)
                .merge(text(&parent["metadata"], "name"), &patch)
                .await;
            parent = patched.map_err(|error| format!("cannot add the finalizer: {}", short(&error)))?;
        }
        let observed = self.claim(&parent, view).await?;
        let related = self.related(&parent, view).await?;
        let body = request::sync_body(&self.controller, &parent, &observed, &related);
        let hook = self.controller.hook(&parent).name();
        let raw = self.post(hook, &body).await?;
        let answer = answer::decode(&raw).map_err(|fault| format!("{hook}: {fault}"))?;
        let plan = plan(&self.controller, &parent, &observed, &answer);
        let mut faults = plan.faults;
        let mut resync = None;
        for step in plan.steps {
            match step {
                Step::RequeueAfter(seconds) => resync = Some(Duration::from_secs_f64(seconds)),
                Step::RemoveFinalizer(name) => self.remove_finalizer(&parent, &name).await?,
                Step::WriteStatus(status) => faults.extend(self.write_status(&parent, &status).await.err()),
                child => faults.extend(self.write_child(&child).await.err()),
            }
        }
        if faults.is_empty() {
            Ok(resync)
        } else {
            Err(Again {
                reason: faults.join("; "),
                after: None,
            })
        }
    }

    /// The children that are the parent's by now. An adopted one is still shown as it was.
    async fn claim(&self, parent: &Value, view: &Objects) -> Result<Objects, String> {
        let selector = Selector::of_parent(parent).map_err(|fault| fault.to_string())?;
        let mut mine = Vec::new();
        for rule in &self.controller.children {
            for child in view.get(&rule.kind.key()).into_iter().flat_map(|group| group.values()) {
                let changed = match claim(parent, &selector, child) {
                    Claim::Ours => None,
                    Claim::Adopt => Some(adopted(child, parent)),
                    Claim::Release => Some(released(child, parent)),
                    Claim::NotOurs => continue,
                };
                if let Some(changed) = &changed {
                    let patch = json!({"metadata": {"uid": child["metadata"]["uid"],
                        "ownerReferences": changed["metadata"]["ownerReferences"]}});
                    let patched = self.api_of(child).merge(text(&child["metadata"], "name"), &patch).await;
                    patched.map_err(|error| format!("cannot adopt or release: {}", short(&error)))?;
                }
                if claim(parent, &selector, child) != Claim::Release {
                    mine.push(child);
                }
            }
        }
        Ok(request::children(&self.controller, mine))
    }

    /// Asks customize once per generation, then collects what it named.
    async fn related(&mut self, parent: &Value, view: &Objects) -> Result<Objects, Again> {
        if !self.controller.customizes {
            return Ok(Objects::new());
        }
        let (uid, generation) = (
            text(&parent["metadata"], "uid").to_owned(),
            &parent["metadata"]["generation"],
        );
        let cached = self.parents.get(&uid).and_then(|memory| memory.rules.clone());
        let rules = match cached {
            Some((of, rules)) if of == *generation => rules,
            _ => {
                let raw = self
                    .post("customize", &request::customize_body(&self.controller, parent))
                    .await?;
                let rules = rollcall::sim::metacontroller::related::decode(&raw).map_err(|fault| fault.to_string())?;
                let memory = self.parents.get_mut(&uid).expect("looked at");
                memory.rules = Some((generation.clone(), rules.clone()));
                rules
            }
        };
        let objects = |kind: &rollcall::sim::metacontroller::Kind| {
            view.get(&kind.key())
                .into_iter()
                .flat_map(|group| group.values())
                .collect()
        };
        Ok(related(&rules, &self.kinds, objects).map_err(|fault| fault.to_string())?)
    }

    async fn post(&self, hook: &str, body: &Value) -> Result<Vec<u8>, Again> {
        let url = format!("{}/{hook}", self.url);
        let answer = match tokio::time::timeout(TIMEOUT, post(&url, body)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(format!("{hook}: {error}").into()),
            Err(_) => return Err(format!("{hook}: no answer within {TIMEOUT:?}").into()),
        };
        let reason = || format!("{hook}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
        match retry::classify(answer.status, answer.retry_after.as_deref(), Timestamp::now()) {
            Verdict::Decode => Ok(answer.body),
            Verdict::After(wait) => Err(Again {
                reason: reason(),
                after: Some(wait),
            }),
            Verdict::BackOff => Err(reason().into()),
        }
    }

    async fn remove_finalizer(&self, parent: &Value, name: &str) -> Result<(), String> {
        let metadata = &parent["metadata"];
        let rest: Vec<&str> = finalizers(parent).filter(|finalizer| *finalizer != name).collect();
        let patch = json!({"metadata": {"finalizers": rest, "uid": metadata["uid"]}});
        match self.api(CRAWL_JOB).merge(text(metadata, "name"), &patch).await {
            Err(error) if !is_missing(&error) => Err(format!("cannot take the finalizer off: {}", short(&error))),
            _ => Ok(()),
        }
    }

    async fn write_child(&self, step: &Step) -> Result<(), String> {
        let (verb, object) = match step {
            Step::Delete { object } => ("delete", object),
            Step::Create { object } => ("create", object),
            Step::Update { object } => ("update", object),
            other => return Err(format!("not about a child: {other:?}")),
        };
        let (objects, name) = (self.api_of(object), text(&object["metadata"], "name"));
        let written = match verb {
            "delete" => objects.delete(name, None, object["metadata"]["uid"].as_str()).await,
            "create" => objects.create(object).await.map(|_| ()),
            _ => objects.replace(name, object).await.map(|_| ()),
        };
        match written {
            // Gone already, made already, or older than what is there: an event brings us back.
            Err(error) if verb != "create" && is_missing(&error) => Ok(()),
            Err(error) if is_conflict(&error) => Ok(()),
            other => other.map_err(|error| format!("{verb} {name}: {}", short(&error))),
        }
    }

    /// Replaces the status whatever is there now, as long as it is the same parent.
    async fn write_status(&self, parent: &Value, status: &Map<String, Value>) -> Result<(), String> {
        let (name, status) = (text(&parent["metadata"], "name"), Value::Object(status.clone()));
        let mut current = parent.clone();
        while current["status"] != status {
            current["status"] = status.clone();
            match self.api(CRAWL_JOB).replace_status(name, &current).await {
                Ok(_) => break,
                Err(error) if is_missing(&error) => break,
                Err(error) if !is_conflict(&error) => {
                    return Err(format!("cannot write the status: {}", short(&error)));
                }
                Err(_) => match self.api(CRAWL_JOB).get(name).await {
                    Some(newer) if newer["metadata"]["uid"] == parent["metadata"]["uid"] => current = newer,
                    _ => break,
                },
            }
        }
        Ok(())
    }
}
