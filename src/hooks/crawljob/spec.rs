//! A CrawlJob's spec as a decision uses it: read once, checked, with the configuration's defaults filled in.
//!
//! Takes the raw JSON of `spec` and the policy; gives a [`Spec`] or the first fault, which becomes
//! `SpecValid=False` and never an HTTP error.

mod check;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::api::v1::crawljob::Priority;
use crate::observed::Timestamp;

pub use check::name_problem;
pub use read::MAX_CONFIG_BYTES;

/// A usable spec.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spec {
    /// 0 to the policy's maximum.
    pub scale: u32,
    /// `workers`, when the spec sets it (Z3).
    pub workers_set: Option<u32>,
    /// Browsers per pod, with the default.
    pub workers: u32,
    /// A channel that exists in the policy.
    pub channel: String,
    /// `stopping`.
    pub stopping: bool,
    /// `pausedAt`, unless unset, empty or unreadable.
    pub paused_at: Option<Timestamp>,
    /// `restartTime`, unless unset, empty or unreadable.
    pub restart_time: Option<Timestamp>,
    /// Fields whose time could not be read (O10): they count as unset and are named in a condition.
    pub unreadable_times: Vec<&'static str>,
    /// Seconds of running time; unset = none.
    pub timeout: Option<u64>,
    /// Bytes; unset = none.
    pub max_size: Option<u64>,
    /// The org; unset = no queue.
    pub org: Option<String>,
    /// `userId`.
    pub user_id: Option<String>,
    /// Storage; unset = files stay on the volume.
    pub storage: Option<Storage>,
    /// `profileFilename`.
    pub profile: Option<String>,
    /// `saveProfile`.
    pub save_profile: bool,
    /// `proxy.secretName`.
    pub proxy_secret: Option<String>,
    /// `warcPrefix`.
    pub warc_prefix: Option<String>,
    /// `extraArgs`, all of them allowed.
    pub extra_args: Vec<String>,
    /// `env`.
    pub env: BTreeMap<String, String>,
    /// `ephemeral`.
    pub ephemeral: bool,
    /// Millicores of a crawler.
    pub cpu_millis: u64,
    /// Bytes of memory a crawler starts with.
    pub memory: u64,
    /// Bytes of a crawler's volume.
    pub volume: u64,
    /// `priority`.
    pub priority: Priority,
    /// The crawler's configuration.
    pub config: Config,
}

/// Where the crawler's configuration is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Config {
    /// In the spec: compact JSON with sorted keys.
    Inline(String),
    /// In a ConfigMap of the user's, mounted, never copied.
    From {
        /// Its name.
        name: String,
        /// Its key.
        key: String,
    },
}

/// Where archives go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Storage {
    /// Secret with the `STORE_*` variables.
    pub secret: String,
    /// `STORE_PATH`.
    pub path: Option<String>,
    /// `STORE_FILENAME`.
    pub filename: Option<String>,
}

/// Why a spec can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("spec{}{field}: {problem}", if .field.is_empty() { "" } else { "." })]
pub struct SpecFault {
    /// Path below `spec`; empty for the whole.
    pub field: String,
    /// What is wrong and what to do.
    pub problem: String,
}

impl SpecFault {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }
}
