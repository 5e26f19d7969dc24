//! One CrawlJob out of its register: only what a user would write, so that the API server and metacontroller fill in
//! the rest anew.

use serde_json::{Map, Value};

use super::list::Register;
use crate::hooks::crawljob::register::KEY_JOB;
use crate::hooks::{Hook, crawljob::CrawlJobHook};

/// Annotations that programs write about one object; they would be wrong on another.
const WRITTEN_BY_PROGRAMS: [&str; 2] = ["kubectl.kubernetes.io/", "metacontroller.k8s.io/"];

/// The job, or what is wrong and what to do.
pub(super) fn recovered(register: &Register) -> Result<Value, String> {
    let name = &register.job;
    let remedy = format!("apply your own manifest of the CrawlJob {name}, it then adopts its children");
    let Some(text) = register.data.get(KEY_JOB) else {
        return Err(format!(
            "it has no key {KEY_JOB}, the job was too large for it; {remedy}"
        ));
    };
    let job: Value =
        serde_json::from_str(text).map_err(|error| format!("its key {KEY_JOB} is not JSON ({error}); {remedy}"))?;
    let kind = CrawlJobHook::PARENT;
    if job["kind"] != kind.kind || job["apiVersion"] != kind.api_version {
        return Err(format!(
            "its key {KEY_JOB} holds no CrawlJob of {}; {remedy}",
            kind.api_version
        ));
    }
    if name.is_empty() || job["metadata"]["name"] != name.as_str() {
        return Err(format!(
            "its key {KEY_JOB} holds a job of another name than its own; rename it back, or {remedy}"
        ));
    }
    if !job["spec"].is_object() {
        return Err(format!("its key {KEY_JOB} holds a job without spec; {remedy}"));
    }
    Ok(as_written(job, register))
}

fn as_written(mut job: Value, register: &Register) -> Value {
    let mut metadata = Map::new();
    let mut observed = job["metadata"].take();
    metadata.insert("name".to_owned(), observed["name"].take());
    // A job adopts in its own namespace only, so the register's place counts, wherever it was restored to.
    match (&register.namespace, observed["namespace"].take()) {
        (Some(namespace), _) => drop(metadata.insert("namespace".to_owned(), namespace.as_str().into())),
        (None, namespace @ Value::String(_)) => drop(metadata.insert("namespace".to_owned(), namespace)),
        (None, _) => {}
    }
    for field in ["labels", "annotations"] {
        if let Value::Object(mut pairs) = observed[field].take() {
            pairs.retain(|key, _| !WRITTEN_BY_PROGRAMS.iter().any(|prefix| key.starts_with(prefix)));
            if !pairs.is_empty() {
                metadata.insert(field.to_owned(), pairs.into());
            }
        }
    }
    let kept = ["apiVersion", "kind", "spec"].map(|field| (field.to_owned(), job[field].take()));
    let metadata = [("metadata".to_owned(), metadata.into())];
    Value::Object(kept.into_iter().chain(metadata).collect())
}

/// The job as one YAML document. A text that YAML would not give back as it is stays JSON, which is YAML too.
pub(super) fn yaml(job: &Value) -> Result<String, serde_json::Error> {
    if let Ok(yaml) = serde_saphyr::to_string(job)
        && serde_saphyr::from_str::<Value>(&yaml).is_ok_and(|read| read == *job)
    {
        return Ok(yaml);
    }
    Ok(serde_json::to_string_pretty(job)? + "\n")
}
