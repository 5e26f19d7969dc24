//! Step five, wire out: the one writer of answers. Takes [`Acted`], gives bytes; nothing else makes an answer.
//!
//! Strict-safe for metacontroller: known keys only, none twice, stable order, and no null anywhere. An answer that would
//! break one of these, or that names a child twice or not at all, is refused: a wrong answer deletes or wipes children,
//! no answer changes nothing.

mod strict;

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::act::Acted;
use crate::desired::{Child, Finalized, Reference, Wake};
use crate::request::RelatedRule;

/// Characters of a problem's `detail`, at most: it is copied into a public Kubernetes Event.
const DETAIL_MAX: usize = 512;

/// Why an answer was not written. Each is a fault of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// Two children of one kind and name.
    #[error("the answer has the {kind} {name} twice")]
    Twice {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A child without a name.
    #[error("the answer has a {kind} without a name")]
    Nameless {
        /// Its kind.
        kind: &'static str,
    },
    /// A null, or a value JSON has no form for.
    #[error("the answer can't be written: {0}")]
    Unwritable(String),
}

/// Writes the answer of a sync or finalize call.
///
/// # Errors
/// When the decision can't be written safely, see [`AnswerFault`].
pub fn sync<S: Serialize>(acted: &Acted<S>) -> Result<Vec<u8>, AnswerFault> {
    strict::to_vec(&SyncResponse {
        status: acted.status(),
        children: sorted(acted.children())?,
        resync_after_seconds: match acted.wake() {
            Wake::OnEvent => None,
            Wake::After(seconds) => Some(seconds),
        },
        finalized: match acted.finalized() {
            Finalized::NotAsked => None,
            Finalized::No => Some(false),
            Finalized::Yes => Some(true),
        },
    })
}

/// Writes the answer of a customize call.
///
/// # Errors
/// When a rule can't be written safely, see [`AnswerFault`].
pub fn customize(rules: &[RelatedRule]) -> Result<Vec<u8>, AnswerFault> {
    strict::to_vec(&CustomizeResponse {
        related_resources: rules,
    })
}

/// Writes an RFC 9457 problem. The type is `about:blank`: `code` is what programs read.
#[must_use]
pub fn problem(status: u16, title: &str, code: &str, detail: &str) -> Vec<u8> {
    let end = detail.char_indices().nth(DETAIL_MAX).map_or(detail.len(), |(at, _)| at);
    let problem = Problem {
        r#type: "about:blank",
        title,
        status,
        code,
        detail: &detail[..end],
    };
    strict::to_vec(&problem).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SyncResponse<'a, S> {
    status: &'a S,
    children: Vec<Written<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resync_after_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finalized: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CustomizeResponse<'a> {
    related_resources: &'a [RelatedRule],
}

#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'a str,
    status: u16,
    code: &'a str,
    detail: &'a str,
}

/// Children by kind, then name.
fn sorted(children: &[Child]) -> Result<Vec<Written<'_>>, AnswerFault> {
    let mut keyed = children
        .iter()
        .map(|child| key(child).map(|(kind, name)| (kind, name, Written(child))))
        .collect::<Result<Vec<_>, _>>()?;
    keyed.sort_unstable_by_key(|(kind, name, _)| (*kind, *name));
    for pair in keyed.windows(2) {
        if let [(kind, name, _), (other_kind, other_name, _)] = pair
            && (kind, name) == (other_kind, other_name)
        {
            return Err(AnswerFault::Twice {
                kind,
                name: (*name).to_owned(),
            });
        }
    }
    Ok(keyed.into_iter().map(|(_, _, written)| written).collect())
}

fn key(child: &Child) -> Result<(&'static str, &str), AnswerFault> {
    let (kind, name) = match child {
        Child::Reference(reference) => (reference.kind, Some(reference.name.as_str())),
        Child::Pod(pod) => ("Pod", pod.metadata.name.as_deref()),
        Child::Volume(volume) => ("PersistentVolumeClaim", volume.metadata.name.as_deref()),
        Child::ConfigMap(map) => ("ConfigMap", map.metadata.name.as_deref()),
    };
    match name {
        Some(name) if !name.is_empty() => Ok((kind, name)),
        _ => Err(AnswerFault::Nameless { kind }),
    }
}

/// A child as JSON.
struct Written<'a>(&'a Child);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Child::Reference(reference) => reference_to_json(reference, serializer),
            Child::Pod(pod) => pod.serialize(serializer),
            Child::Volume(volume) => volume.serialize(serializer),
            Child::ConfigMap(map) => map.serialize(serializer),
        }
    }
}

fn reference_to_json<S: Serializer>(reference: &Reference, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Metadata<'a> {
        name: &'a str,
        namespace: &'a str,
        labels: BTreeMap<&'a str, &'a str>,
    }
    let mut map = serializer.serialize_map(Some(3))?;
    map.serialize_entry("apiVersion", reference.api_version)?;
    map.serialize_entry("kind", reference.kind)?;
    map.serialize_entry(
        "metadata",
        &Metadata {
            name: &reference.name,
            namespace: &reference.namespace,
            labels: reference
                .labels
                .iter()
                .map(|(key, value)| (*key, value.as_str()))
                .collect(),
        },
    )?;
    map.end()
}

#[cfg(test)]
mod tests;
