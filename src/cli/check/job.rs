//! One CrawlJob: its name, its schema, and everything that the hook would say of its spec. The rules that the CRD
//! states in CEL are among them, so nothing is checked in two ways: the name by the hook's own check, the rest by the
//! hook's own reader.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value, json};

use super::schema;
use crate::api::v1::crawljob_names::LABEL_CRAWL;
use crate::config::Problem;
use crate::hooks::crawljob::spec::{Spec, SpecFault, name_problem};
use crate::policy::CrawlPolicy;
use crate::request::place_of;

/// The anchor's name that the CRD refuses whatever the configuration calls it.
const ANCHOR: &str = "rollcall-anchor";
/// Where the selector's labels are.
const SELECTOR: &str = "spec.selector.matchLabels";
/// More faults than a spec has fields.
const ROUNDS: usize = 256;

/// Everything that is wrong with a CrawlJob, by path.
pub(super) fn problems(job: &Value, policy: &CrawlPolicy) -> Vec<Problem> {
    let mut found = Found(Vec::new());
    let name = metadata(&job["metadata"], policy, &mut found);
    let name_is_usable = found.0.is_empty();
    schema::problems(job, &mut found.0);
    if job["spec"].is_object() {
        spec(&name, name_is_usable, job["spec"].clone(), policy, &mut found);
    }
    found.0.sort_by(|a, b| a.path.cmp(&b.path));
    found.0
}

struct Found(Vec<Problem>);

impl Found {
    fn note(&mut self, path: impl Into<String>, problem: impl Into<String>) {
        self.0.push(Problem {
            path: path.into(),
            problem: problem.into(),
        });
    }

    /// Notes what the hook says, unless the schema said it of the same place or of one inside. Of the selector the
    /// hook knows more than the schema.
    fn note_fault(&mut self, fault: SpecFault) {
        let path = if fault.field.is_empty() {
            "spec".to_owned()
        } else {
            format!("spec.{}", fault.field)
        };
        if path == SELECTOR {
            self.0.retain(|known| known.path != path);
        }
        let inside = |known: &Problem| {
            known
                .path
                .strip_prefix(&path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        if !self.0.iter().any(inside) {
            self.note(path, fault.problem);
        }
    }
}

/// Checks the metadata; gives the name, empty if there is none.
fn metadata(metadata: &Value, policy: &CrawlPolicy, found: &mut Found) -> String {
    if let Err(error) = serde_path_to_error::deserialize::<_, ObjectMeta>(metadata.clone()) {
        let path = format!("metadata.{}", place_of(&error));
        found.note(
            path.trim_end_matches('.'),
            format!("{}; write a value of the documented type", error.inner()),
        );
    }
    let Some(name) = metadata["name"].as_str() else {
        found.note(
            "metadata.name",
            "it is not there; write one, a generated name can't be the selector's too",
        );
        return String::new();
    };
    if let Some(problem) = name_problem(name, policy) {
        found.note("metadata.name", problem);
    } else if name == ANCHOR {
        found.note(
            "metadata.name",
            format!("the name {name} is the anchor's; make the job again with another name"),
        );
    }
    name.to_owned()
}

/// The hook stops at the first fault, so each is noted and put right until none is left.
fn spec(name: &str, name_is_usable: bool, mut spec: Value, policy: &CrawlPolicy, found: &mut Found) {
    // A name that can't be used is one problem, not a second one in the selector.
    let name = if name_is_usable {
        name
    } else {
        if !name.is_empty() && spec["selector"]["matchLabels"] != json!({ LABEL_CRAWL: name }) {
            found.note_fault(SpecFault {
                field: "selector.matchLabels".to_owned(),
                problem: format!("it must be exactly {LABEL_CRAWL} with the job's name; write that"),
            });
        }
        put_right(&mut spec, "selector", "a-job", policy);
        "a-job"
    };
    for _ in 0..ROUNDS {
        match Spec::read(name, &spec.to_string(), policy) {
            Err(fault) => {
                let field = fault.field.clone();
                found.note_fault(fault);
                if !put_right(&mut spec, &field, name, policy) {
                    return;
                }
            }
            Ok(read) => {
                for field in read.unreadable_times {
                    let path = format!("spec.{field}");
                    found.note(
                        path,
                        "it is no RFC 3339 time and counts as unset; write one such as 2026-11-30T13:00:00Z",
                    );
                }
                return;
            }
        }
    }
}

/// Makes the named field one that says nothing wrong; whether that could be done.
fn put_right(spec: &mut Value, field: &str, name: &str, policy: &CrawlPolicy) -> bool {
    let Value::Object(fields) = spec else {
        return false;
    };
    let top = field.split(['.', '[']).next().unwrap_or_default();
    match top {
        "" => return false,
        "selector" => drop(fields.insert(top.to_owned(), json!({"matchLabels": {LABEL_CRAWL: name}}))),
        "config" | "configFrom" => {
            fields.remove("configFrom");
            fields.insert("config".to_owned(), Value::Object(Map::new()));
        }
        "extraArgs" => return replace_argument(fields, field, policy) || fields.remove(top).is_some(),
        _ => return remove(spec, field) || spec.as_object_mut().is_some_and(|fields| fields.remove(top).is_some()),
    }
    true
}

/// Replaces `extraArgs[2]` by an allowed one, so that the others keep their places.
fn replace_argument(fields: &mut Map<String, Value>, field: &str, policy: &CrawlPolicy) -> bool {
    let position = field
        .trim_start_matches("extraArgs[")
        .trim_end_matches(']')
        .parse::<usize>();
    let argument = position
        .ok()
        .and_then(|position| fields.get_mut("extraArgs")?.get_mut(position));
    match (argument, policy.allowed_args.first()) {
        (Some(argument), Some(allowed)) => {
            *argument = allowed.as_str().into();
            true
        }
        _ => false,
    }
}

/// Removes the field at a path such as `storage.secretName`.
fn remove(spec: &mut Value, path: &str) -> bool {
    let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
    let parts = above.split('.').filter(|part| !part.is_empty());
    let pointer = parts.fold(String::new(), |pointer, part| pointer + "/" + part);
    let fields = spec.pointer_mut(&pointer).and_then(Value::as_object_mut);
    fields.is_some_and(|fields| fields.remove(last).is_some())
}
