//! `metadata` of a child or related object: what says whose it is and who wrote it. The content of `managedFields` is
//! skipped; only the writer's name and the way of writing are looked at.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use super::text::{Pairs, Text, is_there, or_default, ours};

/// Metadata of an observed object.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta<'a> {
    /// `name`; an object without one can't be told apart, so it is a fault.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// `namespace`.
    #[serde(borrow)]
    pub namespace: Option<Text<'a>>,
    /// `uid`.
    #[serde(borrow)]
    pub uid: Option<Text<'a>>,
    /// `creationTimestamp`, as written.
    #[serde(borrow)]
    pub creation_timestamp: Option<Text<'a>>,
    /// `deletionTimestamp` is there (O4).
    #[serde(default, rename = "deletionTimestamp", deserialize_with = "is_there")]
    pub terminating: bool,
    /// Labels of ours.
    #[serde(borrow, default, deserialize_with = "ours")]
    pub labels: Pairs<'a>,
    /// Annotations of ours.
    #[serde(borrow, default, deserialize_with = "ours")]
    pub annotations: Pairs<'a>,
    /// `ownerReferences`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub owner_references: Vec<Owner<'a>>,
    /// `managedFields` show an apply by metacontroller.
    #[serde(default, rename = "managedFields", deserialize_with = "applied_by_caller")]
    pub server_side_applied: bool,
}

/// One owner reference.
#[derive(Debug, Clone, Deserialize)]
pub struct Owner<'a> {
    /// `kind`.
    #[serde(borrow)]
    pub kind: Option<Text<'a>>,
    /// `name`.
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    /// `uid`.
    #[serde(borrow)]
    pub uid: Option<Text<'a>>,
    /// `controller`.
    #[serde(default, deserialize_with = "or_default")]
    pub controller: bool,
}

#[derive(Deserialize)]
struct ManagedField<'a> {
    #[serde(borrow)]
    manager: Option<Text<'a>>,
    #[serde(borrow)]
    operation: Option<Text<'a>>,
}

fn applied_by_caller<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    deserializer.deserialize_option(ManagedFields)
}

struct ManagedFields;

impl<'de> Visitor<'de> for ManagedFields {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of managed fields")
    }

    fn visit_none<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<bool, A::Error> {
        let mut applied = false;
        while let Some(entry) = entries.next_element::<ManagedField<'de>>()? {
            applied |=
                entry.manager.as_deref() == Some("metacontroller") && entry.operation.as_deref() == Some("Apply");
        }
        Ok(applied)
    }
}
