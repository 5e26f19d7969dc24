//! Typed policy: what the configuration means once it was parsed and checked by [`crate::config`]. Decisions read only
//! this; they never see strings from files or the environment. No `Default`: the built-in values are written in
//! `config`.

use std::collections::BTreeMap;

/// Everything a CrawlJob decision may depend on besides the observation and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlPolicy {
    /// Crawler images by channel; `default` always exists.
    pub channels: BTreeMap<String, Image>,
    /// Largest scale of a job.
    pub max_scale: u32,
    /// Port of the stores.
    pub store_port: u16,
    /// Browsers per pod when the spec does not say.
    pub workers: u32,
    /// Millicores of the first browser.
    pub cpu_base_millis: u64,
    /// Millicores of each further browser.
    pub cpu_extra_millis: u64,
    /// Bytes of the first browser.
    pub memory_base: u64,
    /// Bytes of each further browser.
    pub memory_extra: u64,
    /// Largest memory request of a crawler (Z1).
    pub memory_max: u64,
    /// Volume size of a crawler when the spec does not say.
    pub storage: u64,
    /// Largest volume (Z2).
    pub storage_max: u64,
    /// Storage class; unset = the cluster's default.
    pub storage_class: Option<String>,
    /// That class can be expanded (Z2).
    pub storage_expandable: bool,
    /// Unsaved bytes times this, in percent, must fit the capacity (Z2); 0 = off.
    pub growth_percent: u32,
    /// The Redis pod.
    pub redis: RedisPolicy,
    /// User, group and fsGroup of crawler pods.
    pub user: UserIds,
    /// Value of the node label `nodeType` that crawlers require; unset = any node.
    pub node_type: Option<String>,
    /// Prefix of the priority classes of ordinary crawls, `<prefix>-<n>`; empty = no priority class.
    pub priority_class: String,
    /// The same of background crawls.
    pub background_priority_class: String,
    /// How many classes of each family are deployed (D6).
    pub priority_classes: u32,
    /// `terminationGracePeriodSeconds` of crawlers.
    pub grace_seconds: u32,
    /// Port of the crawler's health check; 0 = no liveness probe.
    pub liveness_port: u16,
    /// Arguments every crawler gets (`CRAWL_ARGS`).
    pub shared_args: Vec<String>,
    /// Flags a spec may use in `extraArgs`.
    pub allowed_args: Vec<String>,
    /// Seconds between calls while something goes on (W1).
    pub resync_seconds: u32,
    /// Seconds without a running crawler before `waiting_capacity`.
    pub starting_seconds: u32,
    /// Seconds of idleness before Redis goes (D4).
    pub redis_idle_seconds: u32,
    /// Seconds of pause before it expires (P4).
    pub paused_expiry_seconds: u64,
    /// Seconds of rate limiting before the crawl is stopped (E6).
    pub rate_limited_seconds: u64,
    /// Concurrent crawls per org; 0 = no limit (Q1).
    pub max_concurrent: u32,
    /// Exceptions per org.
    pub org_max_concurrent: BTreeMap<String, u32>,
    /// Name of the anchor ConfigMap; unset = no anchor.
    pub anchor: Option<String>,
}

/// The Redis pod of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisPolicy {
    /// Its image.
    pub image: Image,
    /// Millicores.
    pub cpu_millis: u64,
    /// Bytes at the start.
    pub memory: u64,
    /// Largest memory request (Z1).
    pub memory_max: u64,
    /// Volume size.
    pub storage: u64,
    /// User, group and fsGroup.
    pub user: UserIds,
    /// Value of the node label `nodeType` it prefers.
    pub node_type: Option<String>,
}

/// An image reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Reference, with registry.
    pub name: String,
    /// `Always`, `IfNotPresent` or `Never`.
    pub pull_policy: String,
}

/// Numeric identities of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserIds {
    /// `runAsUser`.
    pub uid: i64,
    /// `runAsGroup`.
    pub gid: i64,
    /// `fsGroup`.
    pub fs_group: i64,
}
