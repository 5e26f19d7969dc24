//! Dynamic apply: what the caller makes of an observed object, its last answer and its new answer.
//!
//! Takes and gives `serde_json::Value`s and has no state, so that the simulated cluster and the driver against a real
//! API server share it. Mirrors metacontroller 4.17.2, oddities included: a value of the wrong type counts as empty.

use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Annotation with the last answer.
pub const LAST_APPLIED: &str = "metacontroller.k8s.io/last-applied-configuration";

/// Bytes of all annotations of one object, keys and values together, that the API server takes.
pub const MAX_ANNOTATION_BYTES: usize = 262_144;

/// Keys that make a list of objects mergeable; the first that every item has is used.
const MERGE_KEYS: [&str; 7] = ["containerPort", "port", "mountPath", "name", "uid", "ip", "path"];

/// Fields below `metadata` that only the server writes.
const SERVER_FIELDS: [&str; 8] = [
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
];

/// Why an object can't be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyFault {
    /// The annotation is no JSON object.
    #[error("annotation {LAST_APPLIED} can't be read: {0}; remove the annotation")]
    LastApplied(String),
    /// The API server would refuse it.
    #[error("annotations of {bytes} bytes are over the limit of {MAX_ANNOTATION_BYTES}; make the object smaller")]
    TooLong {
        /// Their size.
        bytes: usize,
    },
}

/// The object to create: the answer plus the annotation that remembers it.
///
/// # Errors
/// When the annotation would be too long.
pub fn created(desired: &Value) -> Result<Value, ApplyFault> {
    let mut object = desired.clone();
    remember(&mut object, desired);
    check_annotations(&object)?;
    Ok(object)
}

/// The object to write in place of `observed`: equal to it when nothing is to be written. Server-set fields and status
/// stay as observed.
///
/// # Errors
/// When the annotation can't be read or would be too long.
pub fn updated(observed: &Value, desired: &Value) -> Result<Value, ApplyFault> {
    let last = last_applied(observed)?;
    let mut desired = desired.clone();
    if let Some(annotations) = desired
        .pointer_mut("/metadata/annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.remove(LAST_APPLIED);
    }
    let mut object = merge(observed, last.as_ref().unwrap_or(&Value::Null), &desired);
    keep_server_fields(&mut object, observed);
    remember(&mut object, &desired);
    check_annotations(&object)?;
    Ok(object)
}

/// The last answer, as the object remembers it.
///
/// # Errors
/// When the annotation is no JSON object.
pub fn last_applied(object: &Value) -> Result<Option<Value>, ApplyFault> {
    let Some(text) = object["metadata"]["annotations"][LAST_APPLIED]
        .as_str()
        .filter(|text| !text.is_empty())
    else {
        return Ok(None);
    };
    let map: Map<String, Value> =
        serde_json::from_str(text).map_err(|fault| ApplyFault::LastApplied(fault.to_string()))?;
    Ok(Some(Value::Object(map)))
}

/// Refuses annotations that the API server would refuse.
///
/// # Errors
/// When they are longer than [`MAX_ANNOTATION_BYTES`] together.
pub fn check_annotations(object: &Value) -> Result<(), ApplyFault> {
    let bytes = object["metadata"]["annotations"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| key.len() + value.as_str().map_or(0, str::len))
        .sum();
    if bytes > MAX_ANNOTATION_BYTES {
        return Err(ApplyFault::TooLong { bytes });
    }
    Ok(())
}

/// The three-way merge: what `last` set and `desired` no longer has is removed, what `desired` has is set, the rest of
/// `observed` stays.
#[must_use]
pub fn merge(observed: &Value, last: &Value, desired: &Value) -> Value {
    match observed {
        Value::Object(fields) => {
            let empty = Map::new();
            let last = last.as_object().unwrap_or(&empty);
            let desired = desired.as_object().unwrap_or(&empty);
            Value::Object(merge_fields(fields, last, desired))
        }
        Value::Array(items) => merge_lists(items, last.as_array(), desired.as_array()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => desired.clone(),
    }
}

fn merge_fields(
    observed: &Map<String, Value>,
    last: &Map<String, Value>,
    desired: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = observed.clone();
    merged.retain(|key, _| desired.contains_key(key) || !last.contains_key(key));
    for (key, wanted) in desired {
        let before = last.get(key).unwrap_or(&Value::Null);
        let value = merge(observed.get(key).unwrap_or(&Value::Null), before, wanted);
        merged.insert(key.clone(), value);
    }
    merged
}

fn merge_lists(observed: &[Value], last: Option<&Vec<Value>>, desired: Option<&Vec<Value>>) -> Value {
    let last = last.map_or(&[][..], Vec::as_slice);
    let Some(key) = merge_key(&[observed, last, desired.map_or(&[][..], Vec::as_slice)]) else {
        return desired.map_or(Value::Null, |items| Value::Array(items.clone()));
    };
    let desired = desired.map_or(&[][..], Vec::as_slice);
    let merged = merge_fields(&by_key(key, observed), &by_key(key, last), &by_key(key, desired));
    // Observed order first, doubled items included, then what is new.
    let mut order: Vec<String> = observed.iter().map(|item| key_text(item, key)).collect();
    for name in desired.iter().map(|item| key_text(item, key)) {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    Value::Array(order.iter().filter_map(|name| merged.get(name).cloned()).collect())
}

fn by_key(key: &str, items: &[Value]) -> Map<String, Value> {
    items.iter().map(|item| (key_text(item, key), item.clone())).collect()
}

fn key_text(item: &Value, key: &str) -> String {
    match &item[key] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The key by which lists merge, if all their items are objects that have it; empty lists say nothing.
fn merge_key(lists: &[&[Value]]) -> Option<&'static str> {
    let items = || lists.iter().copied().flatten();
    items().next()?;
    MERGE_KEYS
        .into_iter()
        .find(|key| items().all(|item| item.as_object().is_some_and(|fields| fields.contains_key(*key))))
}

fn keep_server_fields(object: &mut Value, observed: &Value) {
    keep(object, observed, "status");
    if let Some(metadata) = object.get_mut("metadata") {
        for field in SERVER_FIELDS {
            keep(metadata, &observed["metadata"], field);
        }
    }
}

fn keep(target: &mut Value, source: &Value, field: &str) {
    let Some(target) = target.as_object_mut() else { return };
    match source.get(field) {
        Some(value) => target.insert(field.to_owned(), value.clone()),
        None => target.remove(field),
    };
}

/// Writes the annotation. The text has sorted keys and escapes as Go's encoder does, so that both find the same
/// object unchanged.
fn remember(object: &mut Value, answer: &Value) {
    let text = answer
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let annotations = map_in(object, "metadata").and_then(|metadata| map_in(metadata, "annotations"));
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.insert(LAST_APPLIED.to_owned(), Value::String(text));
    }
}

/// The map under `key`, made when missing.
fn map_in<'a>(object: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    Some(
        object
            .as_object_mut()?
            .entry(key)
            .or_insert_with(|| Value::Object(Map::new())),
    )
}
