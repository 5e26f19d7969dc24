//! The API server: objects with UIDs, resource versions and generations, and the rules of writing and deleting them.
//!
//! Every change is put on a list that the world drains: caches, kubelet and garbage collector live on it. Objects are
//! JSON; the only kinds it knows by name are pods (graceful deletion) and claims (their protection).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::apply;
use super::clock::{Millis, rfc3339};
use super::metacontroller::{finalizers, key_of, terminating, text};

mod defaults;

use defaults::{defaults, pod_grace};

/// Kind key of pods.
pub const POD: &str = "Pod.v1";
/// Kind key of claims.
pub const CLAIM: &str = "PersistentVolumeClaim.v1";
/// Kind key of ConfigMaps.
pub const CONFIG_MAP: &str = "ConfigMap.v1";
/// Finalizer that keeps a claim while a pod uses it.
pub const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Kind key, `Pod.v1`.
    pub kind: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Key {
    /// A key.
    #[must_use]
    pub fn new(kind: &str, namespace: &str, name: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Of an object.
    #[must_use]
    pub fn of(object: &Value) -> Self {
        Self::new(
            &key_of(object),
            text(&object["metadata"], "namespace"),
            text(&object["metadata"], "name"),
        )
    }
}

/// One write that was done.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Which object.
    pub key: Key,
    /// Before; unset = created.
    pub old: Option<Value>,
    /// After; unset = gone.
    pub new: Option<Value>,
}

/// Why a write was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    /// No such object, or another UID where the UID was not a precondition.
    #[error("not found")]
    NotFound,
    /// The name is taken.
    #[error("already exists")]
    AlreadyExists,
    /// An older resourceVersion, or another UID than the precondition's.
    #[error("conflict: the object was changed meanwhile")]
    Conflict,
    /// The API server's validation.
    #[error("invalid: {0}")]
    Invalid(String),
}

/// The objects.
#[derive(Debug, Clone)]
pub struct ApiServer {
    objects: BTreeMap<Key, Value>,
    revision: u64,
    uids: u64,
    changes: Vec<Change>,
}

impl ApiServer {
    /// Empty.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            objects: BTreeMap::new(),
            revision: 100,
            uids: 0,
            changes: Vec::new(),
        }
    }

    /// One object.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.objects.get(key)
    }

    /// All objects of a kind, in order of namespace and name.
    pub fn list<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a Key, &'a Value)> {
        self.objects
            .range(Key::new(kind, "", "")..)
            .take_while(move |(key, _)| key.kind == kind)
    }

    /// All objects.
    pub fn all(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.objects.iter()
    }

    /// The object with this UID.
    #[must_use]
    pub fn by_uid(&self, kind: &str, uid: &str) -> Option<(&Key, &Value)> {
        self.objects
            .iter()
            .find(|(key, object)| key.kind == kind && text(&object["metadata"], "uid") == uid)
    }

    /// What was written since the last call.
    pub fn drain(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Creates an object and gives it with what the server adds.
    ///
    /// # Errors
    /// When the name is taken or the annotations are too long.
    pub fn create(&mut self, now: Millis, object: &Value) -> Result<Value, WriteFault> {
        let key = Key::of(object);
        if self.objects.contains_key(&key) {
            return Err(WriteFault::AlreadyExists);
        }
        apply::check_annotations(object).map_err(|fault| WriteFault::Invalid(fault.to_string()))?;
        let mut object = object.clone();
        self.uids += 1;
        object["metadata"]["uid"] = json!(format!("00000000-0000-4000-8000-{:012x}", self.uids));
        object["metadata"]["creationTimestamp"] = json!(rfc3339(now));
        object["metadata"]["generation"] = json!(1);
        defaults(&key.kind, &mut object);
        Ok(self.put(key, object))
    }

    /// PUT of an object: metadata and everything but status. With a resourceVersion it must be the current one.
    ///
    /// # Errors
    /// When it is gone, was changed meanwhile, or is refused.
    pub fn replace(&mut self, object: &Value) -> Result<(), WriteFault> {
        let key = Key::of(object);
        let current = self.objects.get(&key).ok_or(WriteFault::NotFound)?;
        let theirs = |field: &str| {
            object["metadata"]
                .get(field)
                .is_some_and(|value| value != &current["metadata"][field])
        };
        if theirs("resourceVersion") || theirs("uid") {
            return Err(WriteFault::Conflict);
        }
        apply::check_annotations(object).map_err(|fault| WriteFault::Invalid(fault.to_string()))?;
        let mut next = object.clone();
        for field in ["uid", "creationTimestamp", "generation", "deletionTimestamp"] {
            match current["metadata"].get(field) {
                Some(value) => next["metadata"][field] = value.clone(),
                None => drop(next["metadata"].as_object_mut().map(|metadata| metadata.remove(field))),
            }
        }
        match current.get("status") {
            Some(status) => next["status"] = status.clone(),
            None => drop(next.as_object_mut().map(|fields| fields.remove("status"))),
        }
        self.settle(key, next);
        Ok(())
    }

    /// Changes an object as it is now, as a read-change-write that is repeated until it succeeds does.
    ///
    /// # Errors
    /// When it is gone.
    pub fn edit(&mut self, key: &Key, change: impl FnOnce(&mut Value)) -> Result<(), WriteFault> {
        let mut next = self.objects.get(key).ok_or(WriteFault::NotFound)?.clone();
        change(&mut next);
        self.settle(key.clone(), next);
        Ok(())
    }

    /// DELETE with an optional UID precondition. A placed pod gets its grace, a finalizer keeps the object; otherwise
    /// it is gone at once. Says whether that changed anything: it does not when the object is leaving already.
    ///
    /// # Errors
    /// When it is gone, or has another UID.
    pub fn delete(&mut self, now: Millis, key: &Key, uid: Option<&str>) -> Result<bool, WriteFault> {
        let object = self.objects.get(key).ok_or(WriteFault::NotFound)?;
        if uid.is_some_and(|uid| uid != text(&object["metadata"], "uid")) {
            return Err(WriteFault::Conflict);
        }
        if terminating(object) {
            return Ok(false);
        }
        let grace = if key.kind == POD { pod_grace(object) } else { 0 };
        if grace == 0 && finalizers(object).next().is_none() {
            self.remove(key);
            return Ok(true);
        }
        let mut next = object.clone();
        next["metadata"]["deletionTimestamp"] = json!(rfc3339(now + grace * 1000));
        if key.kind == POD {
            next["metadata"]["deletionGracePeriodSeconds"] = json!(grace);
        }
        self.put(key.clone(), next);
        Ok(true)
    }

    /// Takes an object away, whatever it carries: what a kubelet does with a pod whose containers are gone.
    pub fn remove(&mut self, key: &Key) {
        if let Some(old) = self.objects.remove(key) {
            self.changes.push(Change {
                key: key.clone(),
                old: Some(old),
                new: None,
            });
        }
    }

    /// Writes a changed object; nothing happens when it is equal, and it goes when nothing keeps it any more.
    fn settle(&mut self, key: Key, mut next: Value) {
        let Some(current) = self.objects.get(&key) else { return };
        if let Some(metadata) = next["metadata"].as_object_mut() {
            metadata.insert(
                "resourceVersion".to_owned(),
                current["metadata"]["resourceVersion"].clone(),
            );
        }
        if next == *current {
            return;
        }
        if key.kind != POD && terminating(&next) && finalizers(&next).next().is_none() {
            self.remove(&key);
            return;
        }
        if next.get("spec") != current.get("spec") {
            next["metadata"]["generation"] = json!(current["metadata"]["generation"].as_i64().unwrap_or(0) + 1);
        }
        self.put(key, next);
    }

    fn put(&mut self, key: Key, mut object: Value) -> Value {
        self.revision += 1;
        object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let old = self.objects.insert(key.clone(), object.clone());
        self.changes.push(Change {
            key,
            old,
            new: Some(object.clone()),
        });
        object
    }
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}
