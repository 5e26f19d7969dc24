//! Takes a namespace; gives when its pods, claims and ConfigMaps were marked for deletion and when they went, in the order
//! in which the API server did it. An independent witness: it asks neither the driver nor the hook.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use kube::Client;
use kube::runtime::watcher::{self, Event};
use serde_json::Value;

use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, Kind, Objects, POD};
use crate::kubelet::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Seen for the first time.
    Here,
    /// The deletion mark is there.
    Leaving,
    Gone,
    /// The register says how the crawl ended.
    Verdict,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// etcd counts every write, so versions of different kinds can be compared.
    pub(crate) version: u64,
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) what: What,
}

type Entries = Arc<Mutex<Vec<Entry>>>;

pub(crate) struct Timeline {
    entries: Entries,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Timeline {
    pub(crate) fn start(client: &Client, namespace: &str) -> Self {
        let entries = Entries::default();
        let witness = |kind: Kind| {
            let objects = Objects::new(client, kind, namespace);
            tokio::spawn(follow(objects, Arc::clone(&entries)))
        };
        let tasks = [POD, CLAIM, CONFIG_MAP, CRAWL_JOB].into_iter().map(witness).collect();
        Self { entries, tasks }
    }

    /// Everything so far, in the API server's order.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone();
        entries.sort_by_key(|entry| entry.version);
        entries
    }

    /// Versions at which `what` happened to objects of that kind whose name starts so.
    pub(crate) fn of(&self, kind: Kind, prefix: &str, what: What) -> Vec<u64> {
        let fits = |entry: &Entry| entry.kind == kind.kind && entry.what == what && entry.name.starts_with(prefix);
        self.entries()
            .into_iter()
            .filter(fits)
            .map(|entry| entry.version)
            .collect()
    }

    /// All of `first` happened before any of `then`; both did happen.
    pub(crate) fn assert_before(&self, first: (Kind, &str, What), then: (Kind, &str, What)) {
        let last = self.of(first.0, first.1, first.2).into_iter().max();
        let earliest = self.of(then.0, then.1, then.2).into_iter().min();
        let ordered = last.zip(earliest).is_some_and(|(last, earliest)| last < earliest);
        assert!(
            ordered,
            "{first:?} must come before {then:?}; seen: {:#?}",
            self.entries()
        );
    }

    /// No volume was given up while the crawl could still need it.
    pub(crate) fn assert_claims_kept_until_verdict(&self) {
        let verdict = self
            .of(CONFIG_MAP, "crawl-register-", What::Verdict)
            .into_iter()
            .min()
            .unwrap_or(u64::MAX);
        let early: Vec<u64> = self
            .of(CLAIM, "", What::Leaving)
            .into_iter()
            .filter(|left| *left < verdict)
            .collect();
        assert!(
            early.is_empty(),
            "a claim left before the verdict: {:#?}",
            self.entries()
        );
    }

    /// How many pods of that name there have been.
    pub(crate) fn pods_made(&self, name: &str) -> usize {
        self.of(POD, name, What::Here).len()
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        self.tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

async fn follow(objects: Objects, entries: Entries) {
    let kind = objects.kind.kind;
    let mut events = std::pin::pin!(watcher::watcher(objects.api(), watcher::Config::default()));
    while let Some(event) = events.next().await {
        let (object, gone) = match event {
            Ok(Event::Apply(object) | Event::InitApply(object)) => (object, false),
            Ok(Event::Delete(object)) => (object, true),
            _ => continue,
        };
        let object = serde_json::to_value(&object).expect("an object is JSON");
        let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
        for what in said(&object, gone) {
            let metadata = &object["metadata"];
            let (name, uid) = (text(&metadata["name"]), text(&metadata["uid"]));
            if !entries.iter().any(|entry| entry.uid == uid && entry.what == what) {
                let version = text(&metadata["resourceVersion"]).parse().expect("a number");
                entries.push(Entry {
                    version,
                    kind,
                    name,
                    uid,
                    what,
                });
            }
        }
    }
}

fn said(object: &Value, gone: bool) -> Vec<What> {
    let mut said = vec![What::Here];
    // An object without finalizers and grace goes without ever showing the mark.
    if gone || object["metadata"]["deletionTimestamp"].is_string() {
        said.push(What::Leaving);
    }
    if gone {
        said.push(What::Gone);
    }
    let state: Value = serde_json::from_str(object["data"]["state.json"].as_str().unwrap_or("{}")).unwrap_or_default();
    if state["result"].is_string() {
        said.push(What::Verdict);
    }
    said
}
