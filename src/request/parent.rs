//! The parent as it lies in the body: typed metadata, `spec` and `status` as raw JSON for the hook's own readers.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::RequestFault;
use super::declared::ParentKind;
use super::text::{Pairs, Text, is_there, or_default, pairs, without_last_applied};

/// A custom resource whose hook is called.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parent<'a> {
    /// `apiVersion`.
    #[serde(borrow)]
    pub api_version: Text<'a>,
    /// `kind`.
    #[serde(borrow)]
    pub kind: Text<'a>,
    /// `metadata`.
    #[serde(borrow)]
    pub metadata: ParentMeta<'a>,
    /// `spec`; any JSON at all.
    #[serde(borrow)]
    pub spec: Option<&'a RawValue>,
    /// `status`; any JSON at all.
    #[serde(borrow)]
    pub status: Option<&'a RawValue>,
}

/// Metadata of the parent. Without name, namespace or UID nothing could be decided, so these are required.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParentMeta<'a> {
    /// `name`.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// `namespace`.
    #[serde(borrow)]
    pub namespace: Text<'a>,
    /// `uid`: children with another controller owner are not ours (O2).
    #[serde(borrow)]
    pub uid: Text<'a>,
    /// `creationTimestamp`, as written.
    #[serde(borrow)]
    pub creation_timestamp: Option<Text<'a>>,
    /// `deletionTimestamp` is there.
    #[serde(default, rename = "deletionTimestamp", deserialize_with = "is_there")]
    pub terminating: bool,
    /// `finalizers`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub finalizers: Vec<Text<'a>>,
    /// `labels`.
    #[serde(borrow, default, deserialize_with = "pairs")]
    pub labels: Pairs<'a>,
    /// `annotations` without the copy that `kubectl apply` keeps.
    #[serde(borrow, default, deserialize_with = "without_last_applied")]
    pub annotations: Pairs<'a>,
}

impl Parent<'_> {
    /// A call of another resource's hook is refused.
    pub(super) fn must_be(&self, needed: ParentKind) -> Result<(), RequestFault> {
        if &*self.kind == needed.kind && &*self.api_version == needed.api_version {
            return Ok(());
        }
        Err(RequestFault::WrongParent { needed })
    }
}
