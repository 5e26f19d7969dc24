//! The caller's caches, one per kind, each behind the API server by its own number of changes. There is nothing that
//! ties them together: a call may show a pod that is gone beside a claim that is new.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::api_server::{Change, Key};

/// All caches.
#[derive(Debug, Clone, Default)]
pub struct Views {
    kinds: BTreeMap<String, View>,
}

#[derive(Debug, Clone, Default)]
struct View {
    objects: BTreeMap<Key, Value>,
    pending: VecDeque<Change>,
}

impl Views {
    /// A change happened; its cache will hear of it.
    pub fn announce(&mut self, change: Change) {
        self.kinds
            .entry(change.key.kind.clone())
            .or_default()
            .pending
            .push_back(change);
    }

    /// One cache hears of the oldest change it has not heard of.
    pub fn deliver(&mut self, kind: &str) -> Option<Change> {
        let view = self.kinds.get_mut(kind)?;
        let change = view.pending.pop_front()?;
        match &change.new {
            Some(object) => view.objects.insert(change.key.clone(), object.clone()),
            None => view.objects.remove(&change.key),
        };
        Some(change)
    }

    /// Changes that a cache has not heard of.
    #[must_use]
    pub fn behind(&self, kind: &str) -> usize {
        self.kinds.get(kind).map_or(0, |view| view.pending.len())
    }

    /// One object as the cache has it.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.kinds.get(&key.kind)?.objects.get(key)
    }

    /// All objects of a kind as the cache has them.
    pub fn list(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.kinds.get(kind).into_iter().flat_map(|view| view.objects.values())
    }
}
