//! Wire in: one metacontroller body as borrowed values.
//!
//! Takes the bytes and what the hook declares; gives a [`SyncRequest`] or [`CustomizeRequest`], which only `read` can
//! make, or a [`RequestFault`]. One pass; what no rule reads is skipped. It judges the shape of the call and never the
//! content of an object.

pub mod config_map;
mod controller;
mod declared;
mod fault;
pub mod meta;
mod objects;
pub mod parent;
pub mod pod;
pub mod text;
pub mod volume;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use config_map::RawConfigMap;
use controller::Controller;
pub use declared::{ChildKind, ParentKind, Strategy};
pub use fault::RequestFault;
pub(crate) use fault::place_of;
use fault::read_body;
use objects::Objects;
pub use parent::Parent;
pub use pod::RawPod;
use text::or_default;
pub use volume::RawVolume;

/// One sync or finalize call.
#[derive(Debug)]
pub struct SyncRequest<'a> {
    parent: Parent<'a>,
    finalizing: bool,
    children: Objects<'a>,
    related: Objects<'a>,
}

#[derive(Deserialize)]
struct SyncBody<'a> {
    #[serde(borrow)]
    controller: Controller<'a>,
    #[serde(borrow)]
    parent: Parent<'a>,
    #[serde(borrow)]
    children: Objects<'a>,
    #[serde(borrow, default, deserialize_with = "or_default")]
    related: Objects<'a>,
    #[serde(default, deserialize_with = "or_default")]
    finalizing: bool,
}

impl<'a> SyncRequest<'a> {
    /// Reads the body of a sync or finalize call.
    ///
    /// # Errors
    /// When the body is no call of this hook, or of a controller that is set up in a way the answers are not made for.
    pub fn read(body: &'a [u8], parent: ParentKind, kinds: &[ChildKind]) -> Result<Self, RequestFault> {
        let body: SyncBody<'a> = read_body(body)?;
        body.parent.must_be(parent)?;
        if let Some(missing) = kinds.iter().find(|kind| !body.children.shows(kind.key)) {
            return Err(RequestFault::MissingChildKind {
                kind: missing.key,
                resource: missing.resource,
            });
        }
        body.controller.must_declare(kinds)?;
        if !body.finalizing && body.children.server_side_applied() {
            return Err(RequestFault::ServerSideApply);
        }
        let SyncBody {
            controller: _,
            parent,
            children,
            related,
            finalizing,
        } = body;
        Ok(Self {
            parent,
            finalizing,
            children,
            related,
        })
    }

    /// The custom resource.
    #[must_use]
    pub fn parent(&self) -> &Parent<'a> {
        &self.parent
    }

    /// This is a finalize call (T5).
    #[must_use]
    pub fn finalizing(&self) -> bool {
        self.finalizing
    }

    /// Observed pods, also those that are not ours.
    #[must_use]
    pub fn pods(&self) -> &[RawPod<'a>] {
        &self.children.pods
    }

    /// Observed claims, also those that are not ours.
    #[must_use]
    pub fn volumes(&self) -> &[RawVolume<'a>] {
        &self.children.volumes
    }

    /// Observed ConfigMaps, also those that are not ours.
    #[must_use]
    pub fn config_maps(&self) -> &[RawConfigMap<'a>] {
        &self.children.config_maps
    }

    /// ConfigMaps that customize asked for.
    #[must_use]
    pub fn related_config_maps(&self) -> &[RawConfigMap<'a>] {
        &self.related.config_maps
    }
}

/// One customize call.
#[derive(Debug)]
pub struct CustomizeRequest<'a> {
    parent: Parent<'a>,
}

#[derive(Deserialize)]
struct CustomizeBody<'a> {
    #[serde(borrow)]
    parent: Parent<'a>,
}

impl<'a> CustomizeRequest<'a> {
    /// Reads the body of a customize call.
    ///
    /// # Errors
    /// When the body is no call of this hook.
    pub fn read(body: &'a [u8], parent: ParentKind) -> Result<Self, RequestFault> {
        let body: CustomizeBody<'a> = read_body(body)?;
        body.parent.must_be(parent)?;
        Ok(Self { parent: body.parent })
    }

    /// The custom resource.
    #[must_use]
    pub fn parent(&self) -> &Parent<'a> {
        &self.parent
    }
}

/// One rule of a customize answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelector {
    /// Exact labels.
    pub match_labels: BTreeMap<String, String>,
}
