//! One recording, played: each call shows what the one before answered. Takes snapshots in their order, gives what was
//! asked and answered; every call is held against the rules of `rules.rs`.

use rollcall::hooks::crawljob::decide::Decision;
use rollcall::outside::memory::MemoryStores;
use rollcall::outside::store::Unreachable;
use serde_json::{Map, Value};

use super::cluster::{self, Wish};
use super::pods::{Fate, Pods, pods, with_fate};
use super::recording::{Recording, Snapshot};
use super::rules;
use crate::decided::call;

/// Calls after which an answer must rest.
const RESTS_AFTER: usize = 8;

/// What lasts from call to call.
#[derive(Debug, Clone)]
pub(super) struct Film<'a> {
    recording: &'a Recording,
    /// ConfigMaps as answered last.
    maps: Vec<Value>,
    status: Value,
    /// What the product itself keeps in the store.
    own_keys: Map<String, Value>,
}

/// One call.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) wish: Wish,
    pub(super) pods: Pods,
    pub(super) body: Value,
    pub(super) answer: Value,
    /// The register's `state.json` as observed, and as answered.
    pub(super) register: Value,
    pub(super) written: Value,
    pub(super) decision: Decision,
}

impl<'a> Film<'a> {
    /// The job was made, and its register is there.
    pub(super) async fn of(recording: &'a Recording) -> Self {
        let mut film = Self {
            recording,
            maps: Vec::new(),
            status: Value::Null,
            own_keys: Map::new(),
        };
        let body = cluster::new_job(Wish {
            scale: recording.scale(),
            paused: false,
            stopping: false,
            deleted: false,
        });
        let first = call(&body, &MemoryStores::new(), cluster::instant_of(0)).await;
        film.remember(&first.answer.json());
        film
    }

    /// Asks about one snapshot until there is nothing more to write down: the register is read back, marks and flags are set.
    pub(super) async fn settle(&mut self, snapshot: &Snapshot, fate: Option<Fate>) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..RESTS_AFTER {
            let before = self.written_down();
            steps.push(self.step(snapshot, fate).await);
            if before == self.written_down() {
                return steps;
            }
        }
        panic!(
            "{} {} {fate:?}: the answer never rests",
            self.recording.name, snapshot.name
        );
    }

    /// What a later call could be answered differently for: the register and our keys, without the running seconds.
    fn written_down(&self) -> (Vec<Value>, Map<String, Value>) {
        let mut keys = self.own_keys.clone();
        keys.remove("rollcall:exec");
        (self.maps.clone(), keys)
    }

    /// Asks once.
    async fn step(&mut self, snapshot: &Snapshot, fate: Option<Fate>) -> Step {
        let wish = Wish::at(self.recording, snapshot);
        let pods = with_fate(pods(self.recording, snapshot), fate, snapshot.at);
        let started = self.recording.events_until(snapshot).map(|event| event.index + 1).max();
        let body = cluster::body(wish, &pods, started.unwrap_or(0), &self.maps, &self.status);
        let now = cluster::instant_of(snapshot.at + 100);
        let stores = self.stores(snapshot, fate);
        let called = call(&body, &stores, now).await;
        let case = format!("{} {} {fate:?}", self.recording.name, snapshot.name);
        assert_eq!(called.answer.status, 200, "{case}");
        let before = self.status.clone();
        let register = self.register();
        let answer = called.answer.json();
        self.remember(&answer);
        let step = Step {
            register,
            written: self.register(),
            wish,
            pods,
            body,
            answer,
            decision: called.decision.unwrap(),
        };
        rules::check(&case, &step, &before);
        if fate != Some(Fate::NoStore) {
            let kept = stores.snapshot("crawls", "news");
            let own = kept.as_object().unwrap().clone().into_iter();
            self.own_keys = own.filter(|(key, _)| key.starts_with("rollcall:")).collect();
        }
        step
    }

    fn stores(&self, snapshot: &Snapshot, fate: Option<Fate>) -> MemoryStores {
        let memory = MemoryStores::new();
        let mut keys = snapshot.keys.clone();
        keys.extend(self.own_keys.clone());
        memory.load("crawls", "news", &Value::Object(keys)).unwrap();
        if fate == Some(Fate::NoStore) {
            memory.fail("crawls", "news", Unreachable::Timeout);
        }
        memory
    }

    fn remember(&mut self, answer: &Value) {
        let children = answer["children"].as_array().unwrap().iter();
        self.maps = children.filter(|child| child["kind"] == "ConfigMap").cloned().collect();
        self.status = answer["status"].clone();
    }

    /// The register's `state.json` as the next call will show it.
    pub(super) fn register(&self) -> Value {
        let register = self
            .maps
            .iter()
            .find(|map| map["metadata"]["name"] == "crawl-register-news");
        let text = register
            .and_then(|map| map["data"]["state.json"].as_str())
            .unwrap_or("null");
        serde_json::from_str(text).unwrap()
    }

    /// Where this recording stands, in words that tell what the rules see from what they don't.
    pub(super) fn recording(&self) -> &'a Recording {
        self.recording
    }
}
