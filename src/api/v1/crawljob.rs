//! `CrawlJob` as a user writes it: the schema, its defaults and the rules the API server checks (CEL).
//! What the values mean is read by `hooks::crawljob::spec`.

use std::collections::BTreeMap;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CrawlJobStatus;

/// A crawl: N browsertrix-crawler pods, one Redis pod and a volume each, which recover from what is observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "rollcall.dev",
    version = "v1",
    kind = "CrawlJob",
    plural = "crawljobs",
    singular = "crawljob",
    shortname = "crawl",
    namespaced,
    status = "CrawlJobStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct CrawlJobSpec {
    /// Selects the children; `rollcall.dev/crawl` must equal the name, so that a job made again adopts them.
    pub selector: Selector,
    /// The crawler's own configuration, kept as it is. Exactly one of `config` and `configFrom`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Map<String, serde_json::Value>>,
    /// A ConfigMap that holds the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_from: Option<ConfigFrom>,
    /// Crawler pods; 0 holds the crawl like a pause that never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<u32>,
    /// Browsers per pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Which crawler image of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawler_channel: Option<String>,
    /// Finish the pages in progress, upload, end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<bool>,
    /// RFC 3339 time; set means pause, removed or empty means resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<String>,
    /// RFC 3339 time; a new value restarts every crawler pod once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_time: Option<String>,
    /// Seconds of running time after which the crawl is stopped; 0 means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Bytes, or a quantity, after which the crawl is stopped; 0 means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_crawl_size: Option<IntOrText>,
    /// The organisation for queueing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    /// Echoed in file records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Where finished archives go; without it they stay on the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// Browser profile to start from, relative to the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_filename: Option<String>,
    /// Save the profile at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save_profile: Option<bool>,
    /// Proxy settings in a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// Prefix of WARC names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warc_prefix: Option<String>,
    /// Further crawler arguments, only those the configuration allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_args: Vec<String>,
    /// Further environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Keep nothing on volumes: scale 1, no pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<bool>,
    /// Start values within the configuration's bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Which family of priority classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
}

/// The children's labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selector {
    /// Exactly `rollcall.dev/crawl: <name>`.
    pub match_labels: BTreeMap<String, String>,
}

/// A key of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigFrom {
    /// Name of the ConfigMap.
    pub name: String,
    /// Its key.
    pub key: String,
}

/// Where archives go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Storage {
    /// Secret with the `STORE_*` variables.
    pub secret_name: String,
    /// Prefix of the objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Name template, for example `@ts-@hostsuffix.wacz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}

/// Proxy settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proxy {
    /// Secret with the proxy files.
    pub secret_name: String,
}

/// Start values of a crawler pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    /// Memory request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<IntOrText>,
    /// CPU request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<IntOrText>,
    /// Volume size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<IntOrText>,
}

/// A quantity as users write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum IntOrText {
    /// A plain number.
    Int(i64),
    /// A quantity.
    Text(String),
}

/// Priority-class families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Ordinary crawls.
    Crawl,
    /// Crawls that give way.
    Background,
}
