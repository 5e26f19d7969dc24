//! The objects that a customize answer asks for. Takes the answer and every object of a view, gives `related`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answer::{self, AnswerFault};
use super::selector::{Selector, SelectorFault};
use super::{Kind, Objects, key_of, qualified_name, text};

/// One rule of a customize answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    api_version: String,
    resource: String,
    labels: Option<Selector>,
    namespace: String,
    names: Vec<String>,
}

/// Why related objects can't be collected: the whole sync fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelatedFault {
    /// Not the expected shape.
    #[error(transparent)]
    Answer(#[from] AnswerFault),
    /// A selector that can't be read.
    #[error(transparent)]
    Selector(#[from] SelectorFault),
    /// Names and a selector exclude each other.
    #[error("a related rule has both names and labelSelector; use one of them")]
    Both,
    /// `namespaceSelector` is not simulated.
    #[error("namespaceSelector is not simulated; use namespace")]
    NamespaceSelector,
    /// A resource that nobody declared.
    #[error("a related rule names {0} {1}, which is not known; install its CRD first")]
    UnknownKind(String, String),
}

/// Decodes a customize answer, strictly.
///
/// # Errors
/// When it is not `{relatedResources: [...]}` or a rule makes no sense.
pub fn decode(body: &[u8]) -> Result<Vec<Rule>, RelatedFault> {
    let raw = answer::strict_json(body)?;
    answer::only_fields(&raw, &["relatedResources"])?;
    raw["relatedResources"]
        .as_array()
        .into_iter()
        .flatten()
        .map(rule)
        .collect()
}

fn rule(raw: &Value) -> Result<Rule, RelatedFault> {
    answer::only_fields(
        raw,
        &[
            "apiVersion",
            "resource",
            "labelSelector",
            "namespace",
            "namespaceSelector",
            "names",
        ],
    )?;
    if raw.get("namespaceSelector").is_some_and(|selector| !selector.is_null()) {
        return Err(RelatedFault::NamespaceSelector);
    }
    let labels = match raw.get("labelSelector").filter(|selector| !selector.is_null()) {
        Some(selector) => Some(Selector::read(selector)?),
        None => None,
    };
    let names: Vec<String> = raw["names"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    if labels.is_some() && !names.is_empty() {
        return Err(RelatedFault::Both);
    }
    Ok(Rule {
        api_version: text(raw, "apiVersion").to_owned(),
        resource: text(raw, "resource").to_owned(),
        labels,
        namespace: text(raw, "namespace").to_owned(),
        names,
    })
}

impl Rule {
    /// Whether it asks for this object of kind `kind`.
    #[must_use]
    pub fn matches(&self, kind: &Kind, object: &Value) -> bool {
        self.is_of(kind)
            && (self.namespace.is_empty() || text(&object["metadata"], "namespace") == self.namespace)
            && self.labels.as_ref().is_none_or(|labels| labels.matches(object))
            && (self.names.is_empty() || self.names.iter().any(|name| name == text(&object["metadata"], "name")))
    }

    fn is_of(&self, kind: &Kind) -> bool {
        kind.api_version == self.api_version && kind.resource == self.resource
    }
}

/// Collects what the rules ask for; each asked kind is there, possibly empty.
///
/// # Errors
/// When a rule names an unknown kind.
pub fn related<'a>(
    rules: &[Rule],
    kinds: &[Kind],
    objects: impl Fn(&Kind) -> Vec<&'a Value>,
) -> Result<Objects, RelatedFault> {
    let mut groups = Objects::new();
    for rule in rules {
        let kind = kinds
            .iter()
            .find(|kind| rule.is_of(kind))
            .ok_or_else(|| RelatedFault::UnknownKind(rule.api_version.clone(), rule.resource.clone()))?;
        let group: &mut BTreeMap<String, Value> = groups.entry(kind.key()).or_default();
        for object in objects(kind).into_iter().filter(|object| rule.matches(kind, object)) {
            debug_assert_eq!(key_of(object), kind.key());
            group.insert(qualified_name(object), object.clone());
        }
    }
    Ok(groups)
}
