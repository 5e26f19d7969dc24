//! Whose an object is (O2), and whether the anchor stands behind it (D7). Takes its metadata.

use super::AnchorRef;
use crate::request::meta::Meta;

/// Whether an object belongs to the parent that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ownership {
    /// Its controller owner is this parent, or it has none and is being adopted.
    Ours,
    /// Its controller owner is somebody else, perhaps an earlier parent of the same name.
    Foreign,
}

/// Whose the object is, by UID alone. Owners that are no controllers say nothing.
#[must_use]
pub fn ownership(meta: &Meta<'_>, parent_uid: &str) -> Ownership {
    let foreign =
        |owner: &crate::request::meta::Owner<'_>| owner.controller && owner.uid.as_deref() != Some(parent_uid);
    if meta.owner_references.iter().any(foreign) {
        Ownership::Foreign
    } else {
        Ownership::Ours
    }
}

/// The anchor reference: an owner of kind ConfigMap that is no controller.
#[must_use]
pub fn anchor(meta: &Meta<'_>) -> Option<AnchorRef> {
    let owner = meta
        .owner_references
        .iter()
        .find(|owner| !owner.controller && owner.kind.as_deref() == Some("ConfigMap"))?;
    Some(AnchorRef {
        name: owner.name.as_deref()?.to_owned(),
        uid: owner.uid.as_deref()?.to_owned(),
    })
}
