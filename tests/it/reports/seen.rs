//! One answer to a small call: what it makes and leaves out, what it says, and the call that comes after it when it was
//! carried out as the caller does. Judges nothing.

use serde_json::{Value, json};

use rollcall::sim::metacontroller::answer::decode;
use rollcall::sim::metacontroller::plan::{Step, plan};
use rollcall::sim::metacontroller::{Controller, Kind, Objects, key_of, qualified_name};

use super::call::Call;
use crate::answer::Answer;
use crate::judge::{condition, left_out, listed, made, words};

/// One answer.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// The call.
    pub(super) call: Call,
    /// Its answer.
    pub(super) answer: Value,
    /// The answer as it was sent.
    pub(super) bytes: Vec<u8>,
    /// What the store holds now.
    pub(super) store: Option<Value>,
}

impl Seen {
    pub(super) fn new(call: &Call, answer: &Answer, store: Option<Value>) -> Self {
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.bytes));
        Self {
            call: call.clone(),
            answer: answer.json(),
            bytes: answer.bytes.clone(),
            store,
        }
    }

    /// What it makes, but for register and configuration, which every new job gets: `PVC/crawl-news-0 Pod/crawl-news-0`.
    pub(super) fn makes(&self) -> String {
        let made = made(&self.call.body, &self.answer);
        words(made.into_iter().filter(|(kind, _)| kind != "ConfigMap"))
    }

    /// What it leaves out, so that it is deleted.
    pub(super) fn leaves_out(&self) -> String {
        words(left_out(&self.call.body, &self.answer))
    }

    /// Everything it lists.
    pub(super) fn lists(&self) -> String {
        words(listed(&self.answer).into_keys())
    }

    /// A child as it is answered; null when it is not.
    pub(super) fn child(&self, kind: &str, name: &str) -> Value {
        let found = listed(&self.answer).remove(&(kind.to_owned(), name.to_owned()));
        found.unwrap_or_default()
    }

    /// `status.state`.
    pub(super) fn state(&self) -> &str {
        self.answer["status"]["state"]
            .as_str()
            .expect("every answer has a state")
    }

    /// Part of the status, by JSON pointer.
    pub(super) fn status(&self, pointer: &str) -> Value {
        self.answer["status"].pointer(pointer).cloned().unwrap_or_default()
    }

    /// `resyncAfterSeconds`; 0 when it asks for none.
    pub(super) fn wake(&self) -> u64 {
        self.answer["resyncAfterSeconds"].as_u64().unwrap_or_default()
    }

    /// `finalized`.
    pub(super) fn finalized(&self) -> bool {
        self.answer["finalized"] == true
    }

    /// Status of a condition; empty when it is not there.
    pub(super) fn condition(&self, kind: &str) -> &str {
        let found = condition(&self.answer, kind);
        found.map_or("", |condition| condition["status"].as_str().unwrap_or_default())
    }

    /// Message of a condition.
    pub(super) fn message(&self, kind: &str) -> &str {
        let found = condition(&self.answer, kind);
        found.map_or("", |condition| condition["message"].as_str().unwrap_or_default())
    }

    /// What the register should say, by JSON pointer into `state.json`.
    pub(super) fn register(&self, pointer: &str) -> Value {
        let map = self.child("ConfigMap", "crawl-register-news");
        let text = map["data"]["state.json"].as_str().unwrap_or("null");
        let state: Value = serde_json::from_str(text).expect("the state is JSON");
        state.pointer(pointer).cloned().unwrap_or_default()
    }

    /// A value of the store, by JSON pointer into its key; null when it is not there.
    pub(super) fn store(&self, key: &str, pointer: &str) -> Value {
        let store = self.store.as_ref().expect("the call has a store");
        store[key]["value"].pointer(pointer).cloned().unwrap_or_default()
    }

    /// Nothing speaks of an end: no verdict was proposed and none is shown.
    pub(super) fn goes_on(&self) -> bool {
        self.register("/result").is_null()
            && self.condition("Failed") == "False"
            && self.condition("Complete") == "False"
    }

    /// The call that follows when this answer was carried out: what is left out is gone, what is made is there and Pending.
    pub(super) fn next(&self) -> Call {
        let mut next = self.call.clone();
        next.number += 1;
        next.store.clone_from(&self.store);
        let body = &self.call.body;
        let controller = Controller::read(&body["controller"], &kinds()).expect("the manifest can be used");
        let observed: Objects = serde_json::from_value(body["children"].clone()).expect("children by kind");
        let answer = decode(&self.bytes).expect("the answer is decoded strictly");
        let plan = plan(&controller, &body["parent"], &observed, &answer);
        assert!(plan.faults.is_empty(), "{:?}", plan.faults);
        for step in plan.steps {
            match step {
                Step::RequeueAfter(_) | Step::RemoveFinalizer(_) => {}
                Step::WriteStatus(status) => next.body["parent"]["status"] = Value::Object(status),
                Step::Update { object } => put(&mut next, object),
                Step::Create { object } => {
                    let object = born(object, &next);
                    put(&mut next, object);
                }
                Step::Delete { object } => {
                    let group = next.body["children"][key_of(&object)].as_object_mut();
                    group.expect("its group is there").remove(&qualified_name(&object));
                }
            }
        }
        next
    }
}

fn put(call: &mut Call, object: Value) {
    let (kind, name) = (key_of(&object), qualified_name(&object));
    call.body["children"][kind][name] = object;
}

/// What the API server adds to a new object.
fn born(mut object: Value, call: &Call) -> Value {
    object["metadata"]["uid"] = format!("{}/{}", qualified_name(&object), call.number).into();
    object["metadata"]["creationTimestamp"] = call.now.clone().into();
    if object["kind"] != "ConfigMap" {
        object["status"] = json!({"phase": "Pending"});
    }
    object
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind::new("v1", "Pod", "pods"),
        Kind::new("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
        Kind::new("v1", "ConfigMap", "configmaps"),
        Kind::new("rollcall.dev/v1", "CrawlJob", "crawljobs"),
    ]
}
