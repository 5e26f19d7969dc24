//! Bodies as the caller sends them, hook version v2: inner keys are `namespace/name`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Controller, Kind, Objects, key_of, qualified_name};

/// Children by kind; every declared kind is there, possibly empty. `objects` are the claimed ones.
pub fn children<'a>(controller: &Controller, objects: impl IntoIterator<Item = &'a Value>) -> Objects {
    grouped(controller.children.iter().map(|rule| &rule.kind), objects)
}

/// Objects by kind; every kind of `kinds` is there, possibly empty.
pub fn grouped<'k, 'a>(
    kinds: impl IntoIterator<Item = &'k Kind>,
    objects: impl IntoIterator<Item = &'a Value>,
) -> Objects {
    let mut groups: Objects = kinds.into_iter().map(|kind| (kind.key(), BTreeMap::new())).collect();
    for object in objects {
        groups
            .entry(key_of(object))
            .or_default()
            .insert(qualified_name(object), object.clone());
    }
    groups
}

/// The body of a sync or finalize call; `finalizing` follows from [`Controller::hook`].
#[must_use]
pub fn sync_body(controller: &Controller, parent: &Value, children: &Objects, related: &Objects) -> Value {
    json!({
        "controller": controller.object,
        "parent": parent,
        "children": children,
        "related": related,
        "finalizing": controller.hook(parent) == super::HookCall::Finalize,
    })
}

/// The body of a customize call. Answers are cached by the parent's UID and generation for up to 20 minutes.
#[must_use]
pub fn customize_body(controller: &Controller, parent: &Value) -> Value {
    json!({ "controller": controller.object, "parent": parent })
}
