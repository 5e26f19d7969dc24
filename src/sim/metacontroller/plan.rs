//! What a decoded 200 does, as a list of writes in the caller's order. Pure: whoever holds the objects carries it out
//! with [`Step`]'s rules about which failures are swallowed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::claim::{owner_reference, owners};
use super::selector::Selector;
use super::{Controller, Method, Objects, finalizers, key_of, qualified_name, terminating, text};
use crate::sim::apply;

/// One write. Writes of children that fail do not stop the ones behind them.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Call again after this many seconds, in addition to events.
    RequeueAfter(f64),
    /// Take our finalizer off the parent (read, change, write until no conflict). A failure ends the plan.
    RemoveFinalizer(String),
    /// Delete with this UID as precondition, background propagation. NotFound is swallowed.
    Delete {
        /// The observed object.
        object: Value,
    },
    /// Create. AlreadyExists is swallowed.
    Create {
        /// With the last-applied annotation and our owner reference.
        object: Value,
    },
    /// Put, with the observed resourceVersion. Conflict and NotFound are swallowed.
    Update {
        /// As merged.
        object: Value,
    },
    /// Replace the parent's status (read, change, write until no conflict), unless equal. NotFound and another UID are
    /// swallowed.
    WriteStatus(Map<String, Value>),
}

/// What an answer does.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In order.
    pub steps: Vec<Step>,
    /// What failed on the way; any makes the sync a failed one, which is repeated with back-off.
    pub faults: Vec<String>,
}

/// Plans what one answer does to one parent, beside the children that were shown with it.
#[must_use]
pub fn plan(controller: &Controller, parent: &Value, observed: &Objects, answer: &Answer) -> Plan {
    let mut plan = Plan {
        steps: Vec::new(),
        faults: Vec::new(),
    };
    if answer.resync_after > 0.0 {
        plan.steps.push(Step::RequeueAfter(answer.resync_after));
    }
    let mut parent = parent.clone();
    if answer.finalized
        && let Some(ours) = &controller.finalizer
        && finalizers(&parent).any(|name| name == ours)
    {
        plan.steps.push(Step::RemoveFinalizer(ours.clone()));
        drop_finalizer(&mut parent, ours);
    }
    let desired = desired(&parent, &answer.children);
    if let Err(fault) = check_labels(&parent, &desired) {
        plan.faults.push(fault);
        return plan;
    }
    if controller.manages(&parent) {
        delete_unlisted(observed, &desired, &mut plan);
        apply_listed(controller, &parent, observed, &desired, &mut plan);
    }
    plan.steps
        .push(Step::WriteStatus(with_generation(&parent, &answer.status)));
    plan
}

/// Takes a finalizer off an object.
pub fn drop_finalizer(object: &mut Value, name: &str) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        && let Some(list) = metadata.get_mut("finalizers").and_then(Value::as_array_mut)
    {
        list.retain(|finalizer| finalizer != name);
        if list.is_empty() {
            metadata.remove("finalizers");
        }
    }
}

/// Children by kind and name, in the parent's namespace where they name none. A doubled child: the last one counts.
fn desired(parent: &Value, children: &[Value]) -> Objects {
    let mut groups = Objects::new();
    for child in children {
        let mut child = child.clone();
        if text(&child["metadata"], "namespace").is_empty()
            && let Some(metadata) = child.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("namespace".to_owned(), parent["metadata"]["namespace"].clone());
        }
        groups
            .entry(key_of(&child))
            .or_default()
            .insert(qualified_name(&child), child);
    }
    groups
}

/// One child whose labels miss the parent's selector refuses all of them, and the status too.
fn check_labels(parent: &Value, desired: &Objects) -> Result<(), String> {
    let selector = Selector::of_parent(parent).map_err(|fault| fault.to_string())?;
    match desired
        .values()
        .flat_map(BTreeMap::values)
        .find(|child| !selector.matches(child))
    {
        Some(child) => Err(format!(
            "labels on desired child {} {} don't match parent selector",
            text(child, "kind"),
            qualified_name(child)
        )),
        None => Ok(()),
    }
}

fn delete_unlisted(observed: &Objects, desired: &Objects, plan: &mut Plan) {
    for (kind, objects) in observed {
        for (name, object) in objects {
            let listed = desired.get(kind).is_some_and(|group| group.contains_key(name));
            if !listed && !terminating(object) {
                plan.steps.push(Step::Delete { object: object.clone() });
            }
        }
    }
}

fn apply_listed(controller: &Controller, parent: &Value, observed: &Objects, desired: &Objects, plan: &mut Plan) {
    for (kind, children) in desired {
        let method = controller
            .children
            .iter()
            .find(|rule| rule.kind.key() == *kind)
            .map(|rule| rule.method);
        for (name, child) in children {
            let existing = observed.get(kind).and_then(|group| group.get(name));
            let step = match (existing, method) {
                (None, _) => create(parent, child).map(Some),
                (Some(existing), method) => update(existing, child, method.unwrap_or(Method::OnDelete)),
            };
            match step {
                Ok(step) => plan.steps.extend(step),
                Err(fault) => plan.faults.push(format!("{kind} {name}: {fault}")),
            }
        }
    }
}

fn create(parent: &Value, child: &Value) -> Result<Step, apply::ApplyFault> {
    let mut object = apply::created(child)?;
    let ours = owner_reference(parent);
    let owned = owners(&object).any(|owner| owner["uid"] == ours["uid"]);
    if !owned {
        let list: Vec<Value> = owners(&object).cloned().chain([ours]).collect();
        object["metadata"]["ownerReferences"] = Value::Array(list);
    }
    Ok(Step::Create { object })
}

fn update(existing: &Value, child: &Value, method: Method) -> Result<Option<Step>, apply::ApplyFault> {
    let object = match apply::updated(existing, child) {
        Ok(object) => object,
        // Nothing is sent, so the server has nothing to refuse.
        Err(apply::ApplyFault::TooLong { .. }) if method != Method::InPlace => return Ok(None),
        Err(fault) => return Err(fault),
    };
    if object == *existing || terminating(existing) {
        return Ok(None);
    }
    Ok(match method {
        Method::OnDelete => None,
        Method::InPlace => Some(Step::Update { object }),
        Method::Recreate => Some(Step::Delete {
            object: existing.clone(),
        }),
    })
}

fn with_generation(parent: &Value, status: &Map<String, Value>) -> Map<String, Value> {
    let mut status = status.clone();
    let generation = parent["metadata"]["generation"].as_i64().unwrap_or(0);
    status.insert("observedGeneration".to_owned(), Value::from(generation));
    status
}
