//! What kubectl prints, as registers and as the names of jobs. Takes JSON bytes; what is neither a list nor a single
//! object of the right kind is a fault with a remedy. Parts that are missing are unknown, never an error.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::api::v1::crawljob_names as names;
use crate::hooks::crawljob::register;
use crate::hooks::crawljob::register::RegisterSeen;
use crate::observed::ConfigMap;

/// Namespace and name.
pub(super) type Key = (String, String);

/// A register as kubectl shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Register {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    /// The name that its own name carries.
    pub(super) job: String,
    /// A CrawlJob controls it.
    pub(super) owned: bool,
    pub(super) data: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Meta {
    name: String,
    namespace: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    owner_references: Option<Vec<Owner>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    controller: Option<bool>,
}

#[derive(Deserialize)]
struct Object {
    #[serde(default)]
    metadata: Meta,
    #[serde(default)]
    data: Option<BTreeMap<String, String>>,
}

impl Register {
    fn of(object: Object) -> Option<Self> {
        let meta = object.metadata;
        let labelled = meta
            .labels
            .iter()
            .flatten()
            .any(|(key, value)| key == names::LABEL_ROLE && value == "register");
        let prefix = names::register("");
        let job = meta.name.strip_prefix(&prefix);
        if !labelled && job.is_none() {
            return None;
        }
        let ours = |owner: &Owner| {
            owner.controller == Some(true) && owner.kind == "CrawlJob" && owner.api_version.starts_with("rollcall.dev/")
        };
        Some(Self {
            namespace: meta.namespace,
            job: job.unwrap_or_default().to_owned(),
            owned: meta.owner_references.iter().flatten().any(ours),
            name: meta.name,
            data: object.data.unwrap_or_default(),
        })
    }

    pub(super) fn place(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.clone(),
        }
    }

    pub(super) fn job_key(&self) -> Key {
        (self.namespace.clone().unwrap_or_default(), self.job.clone())
    }

    /// Whether it holds a result; unknown when its state can't be read.
    pub(super) fn is_over(&self) -> Option<bool> {
        let seen = register::read(ConfigMap {
            name: self.name.clone(),
            uid: String::new(),
            terminating: false,
            data: self.data.clone(),
            anchor: None,
        });
        match seen {
            RegisterSeen::Readable(register, _) => Some(register.state.result.is_some()),
            RegisterSeen::Missing | RegisterSeen::Unreadable(_) => None,
        }
    }
}

/// The registers among some ConfigMaps.
pub(super) fn registers(json: &[u8]) -> Result<Vec<Register>, String> {
    let remedy = "pipe in what `kubectl get cm -A -l rollcall.dev/role=register -o json` prints";
    let registers = objects(json, "ConfigMap", remedy)?.into_iter().filter_map(Register::of);
    Ok(registers.collect())
}

/// The names of some CrawlJobs.
pub(super) fn jobs(json: &[u8]) -> Result<BTreeSet<Key>, String> {
    let remedy = "give --jobs what `kubectl get crawljobs -A -o json` prints";
    let jobs = objects(json, "CrawlJob", remedy)?.into_iter();
    Ok(jobs
        .map(|job| (job.metadata.namespace.unwrap_or_default(), job.metadata.name))
        .collect())
}

/// The objects of `kind` in a list or alone.
fn objects(json: &[u8], kind: &str, remedy: &str) -> Result<Vec<Object>, String> {
    let value: Value =
        serde_json::from_slice(json).map_err(|error| format!("the input is not JSON ({error}); {remedy}"))?;
    let items = match value {
        Value::Object(mut list)
            if list
                .get("kind")
                .and_then(Value::as_str)
                .is_some_and(|it| it.ends_with("List")) =>
        {
            match list.remove("items") {
                Some(Value::Array(items)) => items,
                None | Some(_) => return Err(format!("the list has no items; {remedy}")),
            }
        }
        single => vec![single],
    };
    let mut objects = Vec::new();
    for (position, item) in items.into_iter().enumerate() {
        if item["kind"] != kind {
            return Err(format!("object {position} is no {kind}; {remedy}"));
        }
        let object = serde_json::from_value(item)
            .map_err(|error| format!("object {position} is not of the form ({error}); {remedy}"))?;
        objects.push(object);
    }
    Ok(objects)
}
