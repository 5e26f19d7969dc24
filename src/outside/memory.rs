//! Stores in this process, for the demo and the tests. They know no pods: a store that is not there refuses, as the
//! address of a server that does not run would. No clock, no I/O, no waiting: a store told to time out says so at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{StoreAddress, StoreQuestion, StoreReading, StoreWrite, Unreachable};

mod commands;
mod model;
mod snapshot;

pub use model::{MemoryStore, Refusal};
pub use snapshot::LoadError;

/// Stores by namespace and job; clones share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryStores {
    shared: Arc<Mutex<Shared>>,
}

/// Namespace and job.
type Key = (String, String);

#[derive(Debug, Default)]
struct Shared {
    stores: BTreeMap<Key, MemoryStore>,
    faults: BTreeMap<Key, Unreachable>,
}

impl MemoryStores {
    /// No stores yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn read(&self, address: &StoreAddress, question: &StoreQuestion) -> StoreReading {
        let shared = self.lock();
        match shared.reach(&address.namespace, &address.job) {
            Ok(store) => store.read(&address.job, question),
            Err(reason) => StoreReading::Unreachable(reason),
        }
    }

    pub(super) fn write(&self, address: &StoreAddress, writes: &[StoreWrite]) -> Result<(), Unreachable> {
        let mut shared = self.lock();
        shared.reach(&address.namespace, &address.job)?;
        let store = shared
            .stores
            .get_mut(&key(&address.namespace, &address.job))
            .ok_or(Unreachable::Refused)?;
        store.write(&address.job, writes)
    }

    /// Does something to one store, as a crawler would; an empty store is made when there is none.
    pub fn edit<T>(&self, namespace: &str, job: &str, change: impl FnOnce(&mut MemoryStore) -> T) -> T {
        change(self.lock().stores.entry(key(namespace, job)).or_default())
    }

    /// A copy of one store.
    #[must_use]
    pub fn get(&self, namespace: &str, job: &str) -> Option<MemoryStore> {
        self.lock().stores.get(&key(namespace, job)).cloned()
    }

    /// Puts one store, whatever was there.
    pub fn put(&self, namespace: &str, job: &str, store: MemoryStore) {
        self.lock().stores.insert(key(namespace, job), store);
    }

    /// Takes one store away; from now on it refuses.
    pub fn remove(&self, namespace: &str, job: &str) {
        self.lock().stores.remove(&key(namespace, job));
    }

    /// One store loses its data and stays reachable.
    pub fn wipe(&self, namespace: &str, job: &str) {
        self.put(namespace, job, MemoryStore::default());
    }

    /// From now on one store can't be asked, for this reason. What it holds stays.
    pub fn fail(&self, namespace: &str, job: &str, reason: Unreachable) {
        self.lock().faults.insert(key(namespace, job), reason);
    }

    /// It can be asked again.
    pub fn heal(&self, namespace: &str, job: &str) {
        self.lock().faults.remove(&key(namespace, job));
    }

    /// Loads a store file: a snapshot, `"unreachable"`, or `{"unreachable": "<reason>"}` with a word of
    /// [`Unreachable::word`].
    ///
    /// # Errors
    /// Names the key, or the reason, that is not of the form.
    pub fn load(&self, namespace: &str, job: &str, json: &serde_json::Value) -> Result<(), LoadError> {
        let reason = if json == "unreachable" {
            Some("refused")
        } else {
            json["unreachable"].as_str()
        };
        if let Some(word) = reason {
            let known = || Unreachable::ALL.map(Unreachable::word).join(", ");
            let reason = Unreachable::from_word(word)
                .ok_or_else(|| LoadError::new("unreachable", &format!("{word:?} is not one of {}", known())))?;
            self.fail(namespace, job, reason);
        } else {
            self.put(namespace, job, MemoryStore::from_json(json)?);
            self.heal(namespace, job);
        }
        Ok(())
    }

    /// One store as [`Self::load`] takes it; a store that can't be asked says so.
    #[must_use]
    pub fn snapshot(&self, namespace: &str, job: &str) -> serde_json::Value {
        match self.lock().reach(namespace, job) {
            Ok(store) => store.to_json(),
            Err(reason) => serde_json::json!({"unreachable": reason.word()}),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // Nothing in here is ever left half done, so a panic of another holder spoils nothing.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn reach(&self, namespace: &str, job: &str) -> Result<&MemoryStore, Unreachable> {
        let key = key(namespace, job);
        match self.faults.get(&key) {
            Some(reason) => Err(*reason),
            None => self.stores.get(&key).ok_or(Unreachable::Refused),
        }
    }
}

fn key(namespace: &str, job: &str) -> Key {
    (namespace.to_owned(), job.to_owned())
}

#[cfg(test)]
mod tests;
