//! A ConfigMap as it lies in the body.

use serde::Deserialize;

use super::meta::Meta;
use super::text::{Pairs, pairs};

/// A raw ConfigMap.
#[derive(Debug, Clone, Deserialize)]
pub struct RawConfigMap<'a> {
    /// `metadata`.
    #[serde(borrow)]
    pub metadata: Meta<'a>,
    /// `data`.
    #[serde(borrow, default, deserialize_with = "pairs")]
    pub data: Pairs<'a>,
}
