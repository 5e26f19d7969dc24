//! Whose child is it: claim, adopt, release. Takes a parent and one candidate, gives what the caller does with it.

use serde_json::{Value, json};

use super::selector::Selector;
use super::{terminating, text};

/// What becomes of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Ours already: shown.
    Ours,
    /// Nobody's: [`adopted`] is written, and the object is shown *as it was* in this call.
    Adopt,
    /// Ours, but the labels no longer match: [`released`] is written, not shown.
    Release,
    /// Somebody else's, or nothing we may touch: not shown.
    NotOurs,
}

/// Decides about one candidate. Adopting needs a fresh read of the parent that still lives and has the same UID: the
/// caller of this function checks that.
#[must_use]
pub fn claim(parent: &Value, selector: &Selector, child: &Value) -> Claim {
    let matches = selector.matches(child);
    match controller_of(child) {
        Some(uid) if uid != text(&parent["metadata"], "uid") => Claim::NotOurs,
        Some(_) if matches => Claim::Ours,
        Some(_) if terminating(parent) => Claim::NotOurs,
        Some(_) => Claim::Release,
        None if terminating(parent) || !matches || terminating(child) => Claim::NotOurs,
        None => Claim::Adopt,
    }
}

/// UID of the controller owner.
#[must_use]
pub fn controller_of(object: &Value) -> Option<&str> {
    owners(object)
        .find(|owner| owner["controller"] == Value::Bool(true))
        .map(|owner| text(owner, "uid"))
}

/// `metadata.ownerReferences`.
pub fn owners(object: &Value) -> impl Iterator<Item = &Value> {
    object["metadata"]["ownerReferences"].as_array().into_iter().flatten()
}

/// The reference that makes `parent` the controller.
#[must_use]
pub fn owner_reference(parent: &Value) -> Value {
    json!({
        "apiVersion": text(parent, "apiVersion"),
        "kind": text(parent, "kind"),
        "name": text(&parent["metadata"], "name"),
        "uid": text(&parent["metadata"], "uid"),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// The child with `parent` among its owners: replaced by UID, else appended.
#[must_use]
pub fn adopted(child: &Value, parent: &Value) -> Value {
    let ours = owner_reference(parent);
    let mut list: Vec<Value> = owners(child).cloned().collect();
    match list.iter_mut().find(|owner| owner["uid"] == ours["uid"]) {
        Some(owner) => *owner = ours,
        None => list.push(ours),
    }
    with_owners(child, list)
}

/// The child without `parent` among its owners.
#[must_use]
pub fn released(child: &Value, parent: &Value) -> Value {
    let uid = text(&parent["metadata"], "uid");
    with_owners(
        child,
        owners(child)
            .filter(|owner| text(owner, "uid") != uid)
            .cloned()
            .collect(),
    )
}

fn with_owners(child: &Value, list: Vec<Value>) -> Value {
    let mut child = child.clone();
    if let Some(metadata) = child.get_mut("metadata").and_then(Value::as_object_mut) {
        if list.is_empty() {
            metadata.remove("ownerReferences");
        } else {
            metadata.insert("ownerReferences".to_owned(), Value::Array(list));
        }
    }
    child
}
