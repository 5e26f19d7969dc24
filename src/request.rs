//! Wire in: one metacontroller body as borrowed values.

use crate::hooks::{ChildKind, ParentKind, Strategy};

/// One sync or finalize call.
#[derive(Debug, serde::Deserialize)]
pub struct SyncRequest<'a> {
    #[serde(borrow)]
    parent: Parent<'a>,
    #[serde(default)]
    finalizing: bool,
}

/// The parent.
#[derive(Debug, serde::Deserialize)]
pub struct Parent<'a> {
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
    /// `metadata`.
    #[serde(borrow)]
    pub metadata: Metadata<'a>,
}

/// Its metadata.
#[derive(Debug, serde::Deserialize)]
pub struct Metadata<'a> {
    /// `namespace`.
    #[serde(borrow)]
    pub namespace: std::borrow::Cow<'a, str>,
    /// `name`.
    #[serde(borrow)]
    pub name: std::borrow::Cow<'a, str>,
}

fn read<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, RequestFault> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => RequestFault::WrongShape {
            path: "the body".into(),
        },
        _ => RequestFault::NotJson {
            line: error.line(),
            column: error.column(),
        },
    })
}

impl<'a> SyncRequest<'a> {
    /// Reads a sync or finalize body.
    ///
    /// # Errors
    /// When it is not JSON, has the wrong shape, or comes from a controller that is set up in a way we must refuse.
    pub fn read(body: &'a [u8], parent: ParentKind, _kinds: &[ChildKind]) -> Result<Self, RequestFault> {
        let request: Self = read(body)?;
        if request.parent.kind != parent.kind {
            return Err(RequestFault::WrongParent { needed: parent });
        }
        Ok(request)
    }

    /// The parent.
    #[must_use]
    pub fn parent(&self) -> &Parent<'a> {
        &self.parent
    }

    /// It is a finalize call.
    #[must_use]
    pub fn finalizing(&self) -> bool {
        self.finalizing
    }
}

/// One customize call.
#[derive(Debug, serde::Deserialize)]
pub struct CustomizeRequest<'a> {
    #[serde(borrow)]
    parent: Parent<'a>,
}

impl<'a> CustomizeRequest<'a> {
    /// Reads a customize body.
    ///
    /// # Errors
    /// When it is not JSON or has the wrong shape.
    pub fn read(body: &'a [u8], _parent: ParentKind) -> Result<Self, RequestFault> {
        read(body)
    }

    /// The parent.
    #[must_use]
    pub fn parent(&self) -> &Parent<'a> {
        &self.parent
    }
}

/// A body that can't be used. Which status it becomes is said by [`crate::error`], by variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    /// Not JSON at all.
    #[error("the body is not JSON: line {line}, column {column}")]
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault.
        column: usize,
    },
    /// JSON of another shape than a call of metacontroller.
    #[error("{path} is missing, doubled or of the wrong type; send the body of a metacontroller hook call")]
    WrongShape {
        /// Where.
        path: String,
    },
    /// `children` lacks a kind: what is not shown can't be kept.
    #[error("children lacks the kind {kind}; declare {resource} in the CompositeController's childResources")]
    MissingChildKind {
        /// Key in `children`.
        kind: &'static str,
        /// Its plural.
        resource: &'static str,
    },
    /// The manifest updates a kind in another way than the answers are made for.
    #[error("the CompositeController says {found} for {resource}; set its updateStrategy method to {}", .needed.name())]
    UpdateStrategy {
        /// Plural.
        resource: &'static str,
        /// The declared method, or `nothing`.
        found: &'static str,
        /// The needed one.
        needed: Strategy,
    },
    /// The parent is not this hook's resource.
    #[error("the parent is no {} of {}; call the hook of its own kind", .needed.kind, .needed.api_version)]
    WrongParent {
        /// The hook's resource.
        needed: ParentKind,
    },
    /// The children were written by server-side apply.
    #[error(
        "metacontroller runs with server-side apply, under which a late write can erase the register; start it with --apply-strategy=dynamic-apply"
    )]
    ServerSideApply,
}

/// One rule of a customize answer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedRule {
    /// `v1`.
    pub api_version: &'static str,
    /// Plural.
    pub resource: &'static str,
    /// Labels to select by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Namespace to look in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Names to look for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}
/// A label selector.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelector {
    /// Exact labels.
    pub match_labels: std::collections::BTreeMap<String, String>,
}
