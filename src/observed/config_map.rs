//! One ConfigMap as observed. Takes a raw one, gives its data and the anchor reference it carries.

use std::collections::BTreeMap;

use super::AnchorRef;

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
