//! What metacontroller 4.17.2 does, as pure functions over `serde_json::Value` (design: what a call shows, what an
//! answer does, what a refusal means).
//!
//! Shared by the simulated cluster and by the driver against a real API server. Nothing here holds state, reads a
//! clock or does I/O: a [`plan::Plan`] lists the writes in order, whoever holds the objects carries them out.
//!
//! One call, in the caller's order: [`Controller::cares`], [`Controller::wants_finalizer`], [`claim::claim`] each
//! child, [`request::customize_body`] (cached by UID and generation) and [`related::related`],
//! [`request::sync_body`], [`retry::classify`], [`answer::decode`], [`plan::plan`].

use std::collections::BTreeMap;

use serde_json::Value;

pub mod answer;
pub mod claim;
pub mod plan;
pub mod related;
pub mod request;
pub mod retry;
pub mod selector;

#[cfg(test)]
mod tests;

use selector::{Selector, SelectorFault};

/// Objects by kind key (`Pod.v1`, `Job.batch/v1`) and `namespace/name`.
pub type Objects = BTreeMap<String, BTreeMap<String, Value>>;

/// A kind that the API server knows: what discovery tells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// `v1`, `batch/v1`.
    pub api_version: String,
    /// `Pod`.
    pub kind: String,
    /// `pods`.
    pub resource: String,
}

impl Kind {
    /// A kind.
    #[must_use]
    pub fn new(api_version: &str, kind: &str, resource: &str) -> Self {
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            resource: resource.to_owned(),
        }
    }

    /// Its key in `children` and `related`.
    #[must_use]
    pub fn key(&self) -> String {
        kind_key(&self.api_version, &self.kind)
    }
}

/// What happens to an existing child that differs from the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Nothing.
    OnDelete,
    /// It is patched.
    InPlace,
    /// It is deleted, and made again in a later call.
    Recreate,
}

/// A declared child kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildRule {
    /// The kind.
    pub kind: Kind,
    /// Its update strategy.
    pub method: Method,
}

/// A CompositeController, read once.
#[derive(Debug, Clone, PartialEq)]
pub struct Controller {
    /// The whole object, as it goes into every request.
    pub object: Value,
    /// The parent's kind.
    pub parent: Kind,
    /// Declared child kinds, in the manifest's order.
    pub children: Vec<ChildRule>,
    /// The finalizer it puts on parents, if there is a finalize hook.
    pub finalizer: Option<String>,
    /// Whether there is a customize hook.
    pub customizes: bool,
    /// Which parents it cares about; unset = all.
    pub parents: Option<Selector>,
    /// Changes of a parent's status do not cause a call.
    pub ignore_status_changes: bool,
    /// Seconds between calls without events.
    pub resync_period: Option<u64>,
}

/// Which webhook a call goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookCall {
    /// `/sync`.
    Sync,
    /// `/finalize`.
    Finalize,
    /// `/customize`.
    Customize,
}

impl HookCall {
    /// Last part of its path.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Finalize => "finalize",
            Self::Customize => "customize",
        }
    }
}

/// Why a CompositeController can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControllerFault {
    /// A resource that nobody declared.
    #[error("{path} names {api_version} {resource}, which is not known; install its CRD first")]
    UnknownKind {
        /// Where.
        path: &'static str,
        /// `apiVersion`.
        api_version: String,
        /// `resource`.
        resource: String,
    },
    /// Not simulated.
    #[error("update strategy {0:?} of a child is not simulated; use OnDelete, InPlace or Recreate")]
    Method(String),
    /// A selector that can't be read.
    #[error(transparent)]
    Selector(#[from] SelectorFault),
}

impl Controller {
    /// Reads the object; `kinds` is what the API server knows.
    ///
    /// # Errors
    /// When it names an unknown kind or an update strategy that is not simulated.
    pub fn read(object: &Value, kinds: &[Kind]) -> Result<Self, ControllerFault> {
        let spec = &object["spec"];
        let children = spec["childResources"].as_array().into_iter().flatten();
        let parents = match spec["parentResource"].get("labelSelector") {
            Some(selector) => Some(Selector::read(selector)?),
            None => None,
        };
        Ok(Self {
            object: object.clone(),
            parent: known(kinds, "spec.parentResource", &spec["parentResource"])?,
            children: children
                .map(|child| child_rule(kinds, child))
                .collect::<Result<_, _>>()?,
            finalizer: spec["hooks"].get("finalize").map(|_| {
                format!(
                    "metacontroller.io/compositecontroller-{}",
                    text(&object["metadata"], "name")
                )
            }),
            customizes: spec["hooks"].get("customize").is_some(),
            parents,
            ignore_status_changes: spec["parentResource"]["ignoreStatusChanges"] == Value::Bool(true),
            resync_period: spec["resyncPeriodSeconds"].as_u64(),
        })
    }

    /// Whether a parent is this controller's business at all: it matches the label selector, or still has our finalizer.
    #[must_use]
    pub fn cares(&self, parent: &Value) -> bool {
        self.matches(parent) || self.has_finalizer(parent)
    }

    /// Whether our finalizer must be added before anything else (never while the parent is terminating).
    #[must_use]
    pub fn wants_finalizer(&self, parent: &Value) -> bool {
        self.finalizer.is_some() && !self.has_finalizer(parent) && !terminating(parent)
    }

    /// Which webhook to call: finalize for a terminating parent and for one that stopped matching.
    #[must_use]
    pub fn hook(&self, parent: &Value) -> HookCall {
        if self.finalizer.is_some() && (terminating(parent) || !self.matches(parent)) {
            HookCall::Finalize
        } else {
            HookCall::Sync
        }
    }

    /// Whether an update of a parent causes a call.
    #[must_use]
    pub fn wakes_on(&self, old: &Value, new: &Value) -> bool {
        let same = |field: &str| old["metadata"].get(field) == new["metadata"].get(field);
        !self.ignore_status_changes
            || terminating(new)
            || !(same("generation") && same("labels") && same("annotations"))
    }

    /// Whether children are managed: the parent lives, or its finalize goes on and the garbage collector is not at work.
    pub(super) fn manages(&self, parent: &Value) -> bool {
        let collected = finalizers(parent).any(|name| name == "orphan" || name == "foregroundDeletion");
        !terminating(parent) || (!collected && self.has_finalizer(parent))
    }

    fn matches(&self, parent: &Value) -> bool {
        self.parents.as_ref().is_none_or(|selector| selector.matches(parent))
    }

    fn has_finalizer(&self, parent: &Value) -> bool {
        self.finalizer
            .as_ref()
            .is_some_and(|ours| finalizers(parent).any(|name| name == ours))
    }
}

fn child_rule(kinds: &[Kind], child: &Value) -> Result<ChildRule, ControllerFault> {
    let method = match child["updateStrategy"]["method"].as_str() {
        None | Some("" | "OnDelete") => Method::OnDelete,
        Some("InPlace") => Method::InPlace,
        Some("Recreate") => Method::Recreate,
        Some(other) => return Err(ControllerFault::Method(other.to_owned())),
    };
    Ok(ChildRule {
        kind: known(kinds, "spec.childResources", child)?,
        method,
    })
}

fn known(kinds: &[Kind], path: &'static str, rule: &Value) -> Result<Kind, ControllerFault> {
    let (api_version, resource) = (text(rule, "apiVersion"), text(rule, "resource"));
    kinds
        .iter()
        .find(|kind| kind.api_version == api_version && kind.resource == resource)
        .cloned()
        .ok_or_else(|| ControllerFault::UnknownKind {
            path,
            api_version: api_version.to_owned(),
            resource: resource.to_owned(),
        })
}

/// `Kind.version` or `Kind.group/version`.
#[must_use]
pub fn kind_key(api_version: &str, kind: &str) -> String {
    format!("{kind}.{api_version}")
}

/// The kind key of an object.
#[must_use]
pub fn key_of(object: &Value) -> String {
    kind_key(text(object, "apiVersion"), text(object, "kind"))
}

/// `namespace/name`, or the name alone of an object without namespace.
#[must_use]
pub fn qualified_name(object: &Value) -> String {
    let (namespace, name) = (
        text(&object["metadata"], "namespace"),
        text(&object["metadata"], "name"),
    );
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

/// Whether `deletionTimestamp` is there.
#[must_use]
pub fn terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// `metadata.finalizers`.
pub fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    object["metadata"]["finalizers"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// A text field, or nothing.
#[must_use]
pub fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}
