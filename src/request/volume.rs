//! A PersistentVolumeClaim as it lies in the body. What it means is said by [`crate::observed::volume`].

use serde::Deserialize;

use super::meta::Meta;
use super::text::{Text, or_default};

/// A raw claim.
#[derive(Debug, Clone, Deserialize)]
pub struct RawVolume<'a> {
    /// `metadata`.
    #[serde(borrow)]
    pub metadata: Meta<'a>,
    /// `spec`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub spec: RawVolumeSpec<'a>,
    /// `status`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub status: RawVolumeStatus<'a>,
}

/// `spec` of a claim.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawVolumeSpec<'a> {
    /// `accessModes`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub access_modes: Vec<Text<'a>>,
    /// `resources`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub resources: RawVolumeResources<'a>,
    /// `storageClassName`.
    #[serde(borrow)]
    pub storage_class_name: Option<Text<'a>>,
    /// `volumeMode`.
    #[serde(borrow)]
    pub volume_mode: Option<Text<'a>>,
}

/// `resources` of a claim.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RawVolumeResources<'a> {
    /// `requests`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub requests: RawSize<'a>,
}

/// `status` of a claim.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RawVolumeStatus<'a> {
    /// `phase`.
    #[serde(borrow)]
    pub phase: Option<Text<'a>>,
    /// `capacity`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub capacity: RawSize<'a>,
}

/// A list of resources, of which only `storage` counts.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RawSize<'a> {
    /// `storage`.
    #[serde(borrow)]
    pub storage: Option<Text<'a>>,
}
