//! The `orgs` section: how many crawls of an org run at a time.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Limits per org.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Orgs {
    /// For all.
    pub(super) max_concurrent_crawls: u32,
    /// Exceptions.
    pub(super) per_org: BTreeMap<String, u32>,
}
