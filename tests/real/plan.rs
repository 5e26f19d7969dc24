//! Takes a parent, its observed children and the hook's answer; gives the steps that metacontroller's dynamic apply would
//! take. Pure: it reads no clock and talks to nobody.

use serde_json::{Map, Value, json};

use crate::api::Kind;

const LAST_APPLIED: &str = "metacontroller.k8s.io/last-applied-configuration";

/// One write, in the order of the list.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Delete(Value),
    Create(Value),
    Update(Value),
}

impl Step {
    pub const fn object(&self) -> &Value {
        match self {
            Self::Delete(object) | Self::Create(object) | Self::Update(object) => object,
        }
    }

    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Delete(_) => "delete",
            Self::Create(_) => "create",
            Self::Update(_) => "update",
        }
    }
}

/// Whose a child is.
pub enum Claim {
    Ours,
    /// Nobody controls it and it fits: the patch that makes it ours.
    Adopt(Value),
    Ignore,
}

fn controller(child: &Value) -> Option<&Value> {
    let owners = child["metadata"]["ownerReferences"].as_array()?;
    owners.iter().find(|owner| owner["controller"] == true)
}

fn owner(parent: &Value) -> Value {
    json!({"apiVersion": parent["apiVersion"], "kind": parent["kind"], "name": parent["metadata"]["name"],
        "uid": parent["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true})
}

fn fits(labels: &Value, wanted: &Value) -> bool {
    wanted
        .as_object()
        .is_none_or(|wanted| wanted.iter().all(|(key, value)| labels[key] == *value))
}

fn matches_selector(parent: &Value, child: &Value) -> bool {
    fits(&child["metadata"]["labels"], &parent["spec"]["selector"]["matchLabels"])
}

/// Whether an event of this child wakes this parent.
pub fn is_candidate(parent: &Value, child: &Value) -> bool {
    match controller(child) {
        Some(controller) => controller["uid"] == parent["metadata"]["uid"],
        None => matches_selector(parent, child),
    }
}

pub fn claim(parent: &Value, child: &Value) -> Claim {
    let leaving = |object: &Value| object["metadata"]["deletionTimestamp"].is_string();
    if !matches_selector(parent, child) {
        return Claim::Ignore;
    }
    match controller(child) {
        Some(controller) if controller["uid"] == parent["metadata"]["uid"] => Claim::Ours,
        Some(_) => Claim::Ignore,
        None if leaving(parent) || leaving(child) => Claim::Ignore,
        None => {
            let mut owners = child["metadata"]["ownerReferences"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            owners.push(owner(parent));
            Claim::Adopt(json!({"metadata": {"ownerReferences": owners, "uid": child["metadata"]["uid"]}}))
        }
    }
}

/// `namespace/name`, the inner key of hook version v2.
pub fn inner_key(object: &Value) -> String {
    let part = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
    format!("{}/{}", part("namespace"), part("name"))
}

/// The `children` of a body: every declared kind is there, empty or not.
pub fn keyed(kinds: &[Kind], objects: &[Value]) -> Value {
    let mut groups: Map<String, Value> = kinds.iter().map(|kind| (kind.key(), json!({}))).collect();
    for object in objects {
        let key = |name: &str| object[name].as_str().unwrap_or_default();
        let group = groups.get_mut(&format!("{}.{}", key("kind"), key("apiVersion")));
        group.expect("observed kinds are declared")[inner_key(object)] = object.clone();
    }
    Value::Object(groups)
}

/// Whether one rule of customize names this object.
pub fn is_related(rule: &Value, object: &Value) -> bool {
    let names = rule["names"].as_array();
    let named = names.is_none_or(|names| names.is_empty() || names.contains(&object["metadata"]["name"]));
    named && fits(&object["metadata"]["labels"], &rule["labelSelector"]["matchLabels"])
}

fn same(one: &Value, other: &Value) -> bool {
    one["apiVersion"] == other["apiVersion"]
        && one["kind"] == other["kind"]
        && one["metadata"]["name"] == other["metadata"]["name"]
}

fn strategy<'a>(controller: &'a Value, object: &Value) -> &'a str {
    let declared = controller["spec"]["childResources"].as_array();
    let plural = format!("{}s", object["kind"].as_str().unwrap_or_default().to_lowercase());
    let of = declared
        .into_iter()
        .flatten()
        .find(|child| child["resource"] == plural.as_str() && child["apiVersion"] == object["apiVersion"]);
    of.and_then(|child| child["updateStrategy"]["method"].as_str())
        .unwrap_or("OnDelete")
}

/// What the answer asks for; an error fails the whole call, its status too.
pub fn steps(controller: &Value, parent: &Value, observed: &[Value], answer: &Value) -> Result<Vec<Step>, String> {
    let desired: Vec<Value> = answer["children"].as_array().cloned().unwrap_or_default();
    if let Some(stray) = desired.iter().find(|child| !matches_selector(parent, child)) {
        return Err(format!(
            "labels of {} do not match the parent's selector",
            stray["metadata"]["name"]
        ));
    }
    let leaving = |object: &Value| object["metadata"]["deletionTimestamp"].is_string();
    let listed = |object: &Value| desired.iter().any(|wanted| same(wanted, object));
    let mut steps: Vec<Step> = observed
        .iter()
        .filter(|object| !leaving(object) && !listed(object))
        .map(|object| Step::Delete(object.clone()))
        .collect();
    for wanted in &desired {
        let Some(existing) = observed.iter().find(|object| same(wanted, object)) else {
            steps.push(Step::Create(created(parent, wanted)));
            continue;
        };
        let changed = updated(existing, wanted);
        if changed == *existing || leaving(existing) {
            continue;
        }
        match strategy(controller, wanted) {
            "OnDelete" => {}
            "Recreate" | "RollingRecreate" => steps.push(Step::Delete(existing.clone())),
            _ => steps.push(Step::Update(changed)),
        }
    }
    Ok(steps)
}

fn annotate(object: &mut Value, wanted: &Value) {
    let annotations = &mut object["metadata"]["annotations"];
    if annotations.is_null() {
        *annotations = json!({});
    }
    annotations[LAST_APPLIED] = json!(wanted.to_string());
}

fn created(parent: &Value, wanted: &Value) -> Value {
    let mut object = wanted.clone();
    annotate(&mut object, wanted);
    let mut owners = object["metadata"]["ownerReferences"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    owners.push(owner(parent));
    object["metadata"]["ownerReferences"] = json!(owners);
    object
}

fn updated(existing: &Value, wanted: &Value) -> Value {
    let annotation = existing["metadata"]["annotations"][LAST_APPLIED]
        .as_str()
        .unwrap_or("null");
    let last: Value = serde_json::from_str(annotation).unwrap_or(Value::Null);
    let mut object = merge(existing, &last, wanted);
    // The server's own fields are never the hook's to change.
    for field in [
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "managedFields",
    ] {
        match existing["metadata"].get(field) {
            Some(value) => object["metadata"][field] = value.clone(),
            None => drop(
                object["metadata"]
                    .as_object_mut()
                    .and_then(|metadata| metadata.remove(field)),
            ),
        }
    }
    match existing.get("status") {
        Some(status) => object["status"] = status.clone(),
        None => drop(object.as_object_mut().and_then(|object| object.remove("status"))),
    }
    annotate(&mut object, wanted);
    object
}

/// The three-way merge: what was applied and is wanted no more goes, what is wanted is set, the rest stays.
pub fn merge(existing: &Value, last: &Value, wanted: &Value) -> Value {
    match (existing, wanted) {
        (Value::Object(existing), Value::Object(wanted)) => Value::Object(merge_objects(existing, last, wanted)),
        (Value::Array(existing), Value::Array(wanted)) => merge_lists(existing, last, wanted),
        _ => wanted.clone(),
    }
}

fn merge_objects(existing: &Map<String, Value>, last: &Value, wanted: &Map<String, Value>) -> Map<String, Value> {
    let dropped = |key: &String| last.get(key).is_some() && !wanted.contains_key(key);
    let mut merged: Map<String, Value> = existing
        .iter()
        .filter(|(key, _)| !dropped(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (key, value) in wanted {
        let before = existing.get(key).unwrap_or(&Value::Null);
        merged.insert(key.clone(), merge(before, last.get(key).unwrap_or(&Value::Null), value));
    }
    merged
}

const MERGE_KEYS: [&str; 7] = ["containerPort", "port", "mountPath", "name", "uid", "ip", "path"];

/// Lists of objects that all have one of the known keys merge by it; any other list is replaced.
fn merge_lists(existing: &[Value], last: &Value, wanted: &[Value]) -> Value {
    let last = last.as_array().map_or(&[][..], Vec::as_slice);
    let all = || existing.iter().chain(last).chain(wanted);
    let common = |key: &&&str| all().all(|item| item.get(**key).is_some());
    let Some(key) = MERGE_KEYS.iter().find(common).filter(|_| all().next().is_some()) else {
        return json!(wanted);
    };
    let find = |list: &[Value], item: &Value| list.iter().find(|other| other[*key] == item[*key]).cloned();
    let merged = |item: &Value| {
        let before = find(existing, item).unwrap_or(Value::Null);
        merge(&before, &find(last, item).unwrap_or(Value::Null), item)
    };
    let mut result = Vec::new();
    for item in existing {
        match find(wanted, item) {
            Some(wanted) => result.push(merged(&wanted)),
            None if find(last, item).is_some() => {}
            None => result.push(item.clone()),
        }
    }
    result.extend(wanted.iter().filter(|item| find(existing, item).is_none()).map(merged));
    json!(result)
}
