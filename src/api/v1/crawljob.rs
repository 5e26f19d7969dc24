//! `CrawlJob` as a user writes it: the schema, its defaults and the rules the API server checks (CEL).
//! What the values mean is read by `hooks::crawljob::spec`.

#![expect(
    unreachable_pub,
    reason = "the schema derive makes a public copy of the spec inside a function"
)]

use std::borrow::Cow;
use std::collections::BTreeMap;

use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::CrawlJobStatus;

/// A crawl: N browsertrix-crawler pods, one Redis pod and a volume each, which recover from what is observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KubeSchema, CustomResource)]
#[kube(
    group = "rollcall.dev",
    version = "v1",
    kind = "CrawlJob",
    plural = "crawljobs",
    singular = "crawljob",
    shortname = "crawl",
    category = "rollcall",
    namespaced,
    status = "CrawlJobStatus",
    doc = "A crawl: browsertrix-crawler pods, one Redis pod and a volume each, which recover from what is observed.",
    annotation("helm.sh/resource-policy", "keep"),
    scale(spec_replicas_path = ".spec.scale", status_replicas_path = ".status.scale"),
    printcolumn(name = "State", type_ = "string", json_path = ".status.state"),
    printcolumn(name = "Done", type_ = "integer", json_path = ".status.pagesDone", description = "Pages finished"),
    printcolumn(name = "Found", type_ = "integer", json_path = ".status.pagesFound", description = "Pages in scope"),
    printcolumn(name = "Size", type_ = "string", json_path = ".status.sizeHuman"),
    printcolumn(name = "Pods", type_ = "integer", json_path = ".status.scale", description = "Instances at work"),
    printcolumn(name = "Files", type_ = "integer", json_path = ".status.filesAdded", description = "Archives recorded"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.stopReason", priority = 1),
    printcolumn(name = "Started", type_ = "date", json_path = ".status.startedAt", priority = 1),
    printcolumn(name = "Finished", type_ = "date", json_path = ".status.finishedAt", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 52 && \
        self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')")
        .message("metadata.name must be a DNS label (a-z, 0-9 and -) of at most 52 characters: the hostnames of the \
            pods are made from it and have at most 63"),
    validation = Rule::new("self.metadata.name != 'rollcall-anchor'")
        .message("metadata.name must not be rollcall-anchor: owners are merged by name, and the anchor has that one"),
    validation = Rule::new("self.spec.selector.matchLabels.size() == 1 && \
        'rollcall.dev/crawl' in self.spec.selector.matchLabels && \
        self.spec.selector.matchLabels['rollcall.dev/crawl'] == self.metadata.name")
        .message("spec.selector.matchLabels must be exactly rollcall.dev/crawl with the job's name, so that a job made \
            again finds its children")
)]
#[x_kube(
    validation = Rule::new("has(self.config) != has(self.configFrom)")
        .message("exactly one of config and configFrom must be set"),
    validation = Rule::new("!has(self.ephemeral) || !self.ephemeral || !has(self.scale) || self.scale <= 1")
        .message("an ephemeral crawl has a scale of at most 1: nothing of it outlives its pod"),
    validation = Rule::new("!has(self.ephemeral) || !self.ephemeral || !has(self.pausedAt) || self.pausedAt == ''")
        .message("an ephemeral crawl can't be paused: nothing of it outlives its pod"),
)]
#[serde(rename_all = "camelCase")]
pub struct CrawlJobSpec {
    /// Selects the children; `rollcall.dev/crawl` must equal the name, so that a job made again adopts them.
    pub selector: Selector,
    /// The crawler's own configuration, kept as it is. Exactly one of `config` and `configFrom`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_object")]
    pub config: Option<serde_json::Map<String, serde_json::Value>>,
    /// A ConfigMap that holds the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_from: Option<ConfigFrom>,
    /// Crawler pods; 0 holds the crawl like a pause that never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000), extend("default" = 1))]
    pub scale: Option<u32>,
    /// Browsers per pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub workers: Option<u32>,
    /// Which crawler image of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), extend("default" = "default"))]
    pub crawler_channel: Option<String>,
    /// Finish the pages in progress, upload, end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<bool>,
    /// RFC 3339 time; set means pause, removed or empty means resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub paused_at: Option<String>,
    /// RFC 3339 time; a new value restarts every crawler pod once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub restart_time: Option<String>,
    /// Seconds of running time after which the crawl is stopped; 0 means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Bytes, or a quantity, after which the crawl is stopped; 0 means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_crawl_size: Option<IntOrText>,
    /// The organisation for queueing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63), regex(pattern = r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"))]
    pub org: Option<String>,
    /// Echoed in file records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub user_id: Option<String>,
    /// Where finished archives go; without it they stay on the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// Browser profile to start from, relative to the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub profile_filename: Option<String>,
    /// Save the profile at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save_profile: Option<bool>,
    /// Proxy settings in a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// Prefix of WARC names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 128))]
    pub warc_prefix: Option<String>,
    /// Further crawler arguments, only those the configuration allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(max = 4096)))]
    pub extra_args: Vec<String>,
    /// Further environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "variables")]
    pub env: BTreeMap<String, String>,
    /// Keep nothing on volumes: scale 1, no pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<bool>,
    /// Start values within the configuration's bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Which family of priority classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "crawl"))]
    pub priority: Option<Priority>,
}

/// The children's labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selector {
    /// Exactly `rollcall.dev/crawl: <name>`.
    #[schemars(schema_with = "one_label")]
    pub match_labels: BTreeMap<String, String>,
}

/// A key of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigFrom {
    /// Name of the ConfigMap.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Its key.
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._A-Za-z0-9]+$"))]
    pub key: String,
}

/// Where archives go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Storage {
    /// Secret with the `STORE_*` variables.
    #[schemars(length(min = 1, max = 253))]
    pub secret_name: String,
    /// Prefix of the objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub path: Option<String>,
    /// Name template, for example `@ts-@hostsuffix.wacz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 255))]
    pub filename: Option<String>,
}

/// Proxy settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proxy {
    /// Secret with the proxy files.
    #[schemars(length(min = 1, max = 253))]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl JsonSchema for IntOrText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IntOrText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "x-kubernetes-int-or-string": true,
            "minimum": 0,
            "maxLength": 64,
            "pattern": r"^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$",
        })
    }
}

/// The crawler's own configuration: what is in it is not ours to know.
fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": true,
    })
}

fn one_label(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": 63},
        "maxProperties": 1,
    })
}

/// Bounded, because the API server refuses rules whose cost it can't bound.
fn variables(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": 4096},
        "maxProperties": 64,
        "x-kubernetes-validations": [{
            "rule": "self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*$'))",
            "message": "names of variables are letters, digits and _, and start with no digit",
        }, {
            "rule": "self.all(name, !name.startsWith('STORE_') && \
                !(name in ['CRAWL_ARGS', 'CRAWL_ID', 'HOME', 'WARC_PREFIX', 'WEBHOOK_URL']))",
            "message": "CRAWL_ARGS, CRAWL_ID, HOME, WARC_PREFIX, WEBHOOK_URL and STORE_* are set by rollcall; use the \
                fields of the spec",
        }],
    })
}
