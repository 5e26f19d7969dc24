//! One ConfigMap as observed. Takes a raw one, gives its data and the anchor reference it carries.

use std::collections::BTreeMap;

use super::{AnchorRef, owner};
use crate::request::RawConfigMap;

/// A ConfigMap that is ours, or one that was asked for as related.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConfigMap {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `deletionTimestamp` is present (O4).
    pub terminating: bool,
    /// `data`.
    pub data: BTreeMap<String, String>,
    /// The anchor reference it carries, if any.
    pub anchor: Option<AnchorRef>,
}

impl ConfigMap {
    /// Reads a raw ConfigMap.
    #[must_use]
    pub fn read(raw: &RawConfigMap<'_>) -> Self {
        let meta = &raw.metadata;
        Self {
            name: meta.name.to_string(),
            uid: meta.uid.as_deref().unwrap_or_default().to_owned(),
            terminating: meta.terminating,
            data: raw
                .data
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_string()))
                .collect(),
            anchor: owner::anchor(meta),
        }
    }
}
