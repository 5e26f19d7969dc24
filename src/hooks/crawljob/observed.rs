//! What one CrawlJob call shows, complete and owned. Made by `observe` only; `decide` reads nothing else.

use std::collections::BTreeMap;

use super::register::RegisterSeen;
use super::spec::{Spec, SpecFault};
use crate::api::v1::Condition;
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::observed::{ConfigMap, Pod, Timestamp, Volume};
use crate::outside::store::StoreReading;

/// One roll call of a crawl.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Observed {
    /// Who is asked about.
    pub job: Job,
    /// What the user wants, or why that can't be read.
    pub spec: Result<Spec, SpecFault>,
    /// A finalize call; decides alone, whatever `deletionTimestamp` says (T5).
    pub finalizing: bool,
    /// Crawler pods by index.
    pub crawlers: BTreeMap<u32, Crawler>,
    /// Crawler volumes by index.
    pub volumes: BTreeMap<u32, Volume>,
    /// The Redis pod.
    pub redis: Option<RedisPod>,
    /// Its volume.
    pub redis_volume: Option<Volume>,
    /// The crawler configuration.
    pub config: Option<ConfigMap>,
    /// The register.
    pub register: RegisterSeen,
    /// The job's own queue ticket.
    pub ticket: Option<ConfigMap>,
    /// Tickets of other jobs of the org (Q1).
    pub tickets: Vec<Ticket>,
    /// The anchor.
    pub anchor: Anchor,
    /// What our last answer said, as far as it may be used (M3).
    pub previous: Previous,
    /// The store.
    pub store: StoreReading,
    /// Observed children of another owner: kind and name (O2).
    pub ignored: Vec<(&'static str, String)>,
    /// Observed children that are the parent's and have a name we do not use (O1).
    pub strangers: Strangers,
}

/// Children that we did not make: they carry the label that selects ours, so metacontroller adopted them (O1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Strangers {
    /// Names of pods.
    pub pods: Vec<String>,
    /// Claims.
    pub volumes: Vec<Volume>,
    /// ConfigMaps.
    pub config_maps: Vec<ConfigMap>,
}

impl Strangers {
    /// Nobody yet.
    #[must_use]
    pub fn none() -> Self {
        Self {
            pods: Vec::new(),
            volumes: Vec::new(),
            config_maps: Vec::new(),
        }
    }
}

impl Observed {
    /// Any pod or volume of the job exists, whatever it is doing.
    #[must_use]
    pub fn has_pods_or_volumes(&self) -> bool {
        !self.crawlers.is_empty() || !self.volumes.is_empty() || self.redis.is_some() || self.redis_volume.is_some()
    }
}

/// The parent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Job {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.creationTimestamp`.
    pub created: Option<Timestamp>,
    /// `deletionTimestamp` is present.
    pub terminating: bool,
    /// The finalizer `orphan` is there (T5).
    pub orphan: bool,
    /// The job as `rollcall recover` will print it: apiVersion, kind, name, namespace, labels, annotations, spec, as JSON.
    pub recoverable: String,
}

/// A crawler pod with what we wrote on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Crawler {
    /// The pod.
    pub pod: Pod,
    /// [`crate::api::v1::crawljob_names::ANNOTATION_RESTART`].
    pub restart_time: Option<Timestamp>,
    /// [`crate::api::v1::crawljob_names::ANNOTATION_WORKERS`].
    pub workers: Option<u32>,
    /// [`crate::api::v1::crawljob_names::ANNOTATION_MEMORY`], bytes.
    pub memory: Option<u64>,
}

/// The Redis pod with what we wrote on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RedisPod {
    /// The pod.
    pub pod: Pod,
    /// [`crate::api::v1::crawljob_names::ANNOTATION_MEMORY`], bytes.
    pub memory: Option<u64>,
}

/// A ticket of another job (Q1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// The job's name.
    pub job: String,
    /// When its job was created.
    pub created: Option<Timestamp>,
    /// It may run.
    pub running: bool,
}

/// The anchor (D7).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// Switched off in the configuration.
    Off,
    /// Seen, with its UID.
    Seen(String),
    /// Wanted, not among the related objects.
    Missing,
}

/// The previous status, reduced to what M3 allows: a start, pages, an end, and condition times.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Previous {
    /// `state`, if it is one of ours.
    pub state: Option<CrawlState>,
    /// `stopReason`.
    pub stop_reason: Option<StopReason>,
    /// `startedAt`.
    pub started_at: Option<Timestamp>,
    /// `finishedAt`.
    pub finished_at: Option<Timestamp>,
    /// `pagesFound`.
    pub pages_found: u64,
    /// `pagesDone`.
    pub pages_done: u64,
    /// `pagesFailed`.
    pub pages_failed: u64,
    /// `sizePending`.
    pub size_pending: u64,
    /// `crawlExecSeconds`.
    pub crawl_exec_seconds: u64,
    /// `elapsedSeconds`.
    pub elapsed_seconds: u64,
    /// `conditions`.
    pub conditions: Vec<Condition>,
}
