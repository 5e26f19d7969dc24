//! Wire in: one metacontroller body as borrowed values.

use crate::hooks::ChildKind;

/// One sync or finalize call.
#[derive(Debug, serde::Deserialize)]
pub struct SyncRequest<'a> {
    #[serde(borrow)]
    parent: Parent<'a>,
    #[serde(default)]
    finalizing: bool,
}

#[derive(Debug, serde::Deserialize)]
struct Parent<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
}

#[derive(Debug, serde::Deserialize)]
struct Metadata<'a> {
    #[serde(borrow)]
    namespace: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    name: std::borrow::Cow<'a, str>,
}

fn read<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, RequestFault> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => RequestFault::Shape,
        _ => RequestFault::NotJson,
    })
}

impl<'a> SyncRequest<'a> {
    /// Reads a sync or finalize body.
    ///
    /// # Errors
    /// When it is not JSON, has the wrong shape, or comes from a controller that is set up in a way we must refuse.
    pub fn read(body: &'a [u8], _kinds: &'static [ChildKind]) -> Result<Self, RequestFault> {
        read(body)
    }

    /// The parent's namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.parent.metadata.namespace
    }

    /// The parent's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.parent.metadata.name
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
    pub fn read(body: &'a [u8]) -> Result<Self, RequestFault> {
        read(body)
    }

    /// The parent's namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.parent.metadata.namespace
    }

    /// The parent's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.parent.metadata.name
    }
}

/// Why a body can't be answered. The texts become public: they name no content of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    /// 400.
    #[error("the body is not JSON")]
    NotJson,
    /// 400.
    #[error("the body does not have the shape of a metacontroller request")]
    Shape,
    /// 422.
    #[error("the child kind {0} is missing in children")]
    MissingKind(&'static str),
    /// 422.
    #[error("the update strategy of {0} is not the one this hook needs")]
    Strategy(&'static str),
    /// 422.
    #[error("server-side apply is refused")]
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
