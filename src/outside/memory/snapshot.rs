//! A [`MemoryStore`] as JSON and back: `{"<key>": {"ttl": -1, "type": "hash", "value": {…}}}`, the form of the store
//! files beside the fixtures. `ttl` is ignored: keys never expire by themselves here.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::model::{MemoryStore, Score, Value};

/// Why a store file can't be loaded.
#[derive(Debug, thiserror::Error)]
#[error("reading a store file: {path}: {problem}")]
pub struct LoadError {
    path: String,
    problem: String,
}

impl LoadError {
    pub(super) fn new(path: &str, problem: &impl ToString) -> Self {
        Self {
            path: path.to_owned(),
            problem: problem.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
enum Kept {
    String(String),
    List(Vec<String>),
    Set(Vec<String>),
    Hash(BTreeMap<String, String>),
    Zset(Vec<(String, f64)>),
}

impl MemoryStore {
    /// Reads a snapshot.
    ///
    /// # Errors
    /// Names the key that is not of the form.
    pub fn from_json(json: &Json) -> Result<Self, LoadError> {
        let form = "expected an object of keys, or \"unreachable\"";
        let keys = json.as_object().ok_or_else(|| LoadError::new("/", &form))?;
        let mut store = Self::default();
        for (key, kept) in keys {
            let kept = Kept::deserialize(kept).map_err(|problem| LoadError::new(key, &problem))?;
            store.keys.insert(key.clone(), kept.into());
        }
        Ok(store)
    }

    /// The snapshot of it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.keys
            .iter()
            .map(|(key, value)| (key.clone(), value.to_json()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

impl From<Kept> for Value {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::String(text) => Self::String(text),
            Kept::List(list) => Self::List(list),
            Kept::Set(set) => Self::Set(set.into_iter().collect()),
            Kept::Hash(hash) => Self::Hash(hash),
            Kept::Zset(zset) => Self::Zset(zset.into_iter().map(|(key, score)| (key, Score::new(score))).collect()),
        }
    }
}

impl Value {
    fn to_json(&self) -> Json {
        let (kind, value) = match self {
            Self::String(text) => ("string", json!(text)),
            Self::List(list) => ("list", json!(list)),
            Self::Set(set) => ("set", json!(set)),
            Self::Hash(hash) => ("hash", json!(hash)),
            Self::Zset(zset) => (
                "zset",
                zset.iter()
                    .map(|(member, score)| json!([member, score.get()]))
                    .collect(),
            ),
        };
        json!({"ttl": -1, "type": kind, "value": value})
    }
}
