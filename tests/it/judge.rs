//! Small judgements on answers that several tests share: readable differences, nulls, and what an answer does to the
//! children it was shown.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use similar::TextDiff;

/// The states that nothing follows (E5), in the words that users read.
pub(crate) const FINAL: [&str; 6] = [
    "complete",
    "stopped_by_user",
    "stopped_pause_expired",
    "canceled",
    "failed",
    "failed_not_logged_in",
];

/// Kind and name of a child.
pub(crate) type Name = (String, String);

/// As `jq -S .` prints it.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(&sorted(value)).expect("a value can be written");
    text.push('\n');
    text
}

/// Keys in order, whatever map the JSON library was built with.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<&String, Value> = map.iter().map(|(key, value)| (key, sorted(value))).collect();
            ordered.into_iter().map(|(key, value)| (key.clone(), value)).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The difference as `diff -u` shows it.
pub(crate) fn difference(expected: &str, got: &str) -> String {
    TextDiff::from_lines(expected, got)
        .unified_diff()
        .context_radius(3)
        .header("expected", "answered")
        .to_string()
}

/// Paths of every null.
pub(crate) fn nulls(value: &Value) -> Vec<String> {
    fn walk(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(path.to_owned()),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    walk(item, &format!("{path}[{at}]"), found);
                }
            }
            Value::Object(map) => {
                for (key, item) in map {
                    walk(item, &format!("{path}.{key}"), found);
                }
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

/// Kind and name of what the request shows.
pub(crate) fn observed(body: &Value) -> BTreeMap<Name, Value> {
    let groups = body["children"].as_object().into_iter().flatten();
    groups
        .flat_map(|(_, group)| group.as_object().into_iter().flatten())
        .map(|(_, child)| (name(child), child.clone()))
        .collect()
}

/// Kind and name of what the answer lists.
pub(crate) fn listed(answer: &Value) -> BTreeMap<Name, Value> {
    let children = answer["children"].as_array().into_iter().flatten();
    children.map(|child| (name(child), child.clone())).collect()
}

/// What the answer leaves out, so that it is deleted.
pub(crate) fn left_out(body: &Value, answer: &Value) -> BTreeSet<Name> {
    let listed = listed(answer);
    let shown = observed(body).into_keys();
    shown.filter(|child| !listed.contains_key(child)).collect()
}

/// What the answer lists and the request does not show, so that it is made.
pub(crate) fn made(body: &Value, answer: &Value) -> BTreeSet<Name> {
    let shown = observed(body);
    let listed = listed(answer).into_keys();
    listed.filter(|child| !shown.contains_key(child)).collect()
}

/// `Pod/crawl-news-0 PVC/crawl-news-0`, as the tables say it.
pub(crate) fn words(names: impl IntoIterator<Item = Name>) -> String {
    let short = |kind: String| match kind.as_str() {
        "PersistentVolumeClaim" => "PVC".to_owned(),
        "ConfigMap" => "CM".to_owned(),
        _ => kind,
    };
    let mut words: Vec<String> = names
        .into_iter()
        .map(|(kind, name)| format!("{}/{name}", short(kind)))
        .collect();
    words.sort();
    words.join(" ")
}

fn name(child: &Value) -> Name {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&child["kind"]), text(&child["metadata"]["name"]))
}

/// The condition of this type.
pub(crate) fn condition<'a>(answer: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = answer["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == kind)
}

/// The observed register's `state.json`; null when there is none that can be read.
pub(crate) fn register(body: &Value) -> Value {
    let shown = observed(body);
    let found = shown
        .iter()
        .find(|((kind, name), _)| kind == "ConfigMap" && name.starts_with("crawl-register-"));
    let text = found.and_then(|(_, map)| map["data"]["state.json"].as_str());
    text.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}
