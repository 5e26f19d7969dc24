//! `CrawlJob` status: a cache of children, store and register, never a source (rule M).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Condition;

/// What was observed of a crawl, rebuilt in every call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlJobStatus {
    /// Where the crawl is.
    pub state: CrawlState,
    /// Why it was stopped, once it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Pages seen that are in scope.
    pub pages_found: u64,
    /// Pages finished.
    pub pages_done: u64,
    /// Pages that failed after all retries.
    pub pages_failed: u64,
    /// Bytes of recorded files and of unfinished instances.
    pub size: u64,
    /// Bytes not uploaded yet.
    pub size_pending: u64,
    /// `size` for people.
    pub size_human: String,
    /// Instances that have a pod or an unfinished entry.
    pub scale: u32,
    /// The spec's scale.
    pub desired_scale: u32,
    /// Files recorded in the register.
    pub files_added: u64,
    /// Their bytes.
    pub files_added_size: u64,
    /// RFC 3339 time at which the first crawler ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// RFC 3339 time of the final state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Running seconds of all pods together.
    pub crawl_exec_seconds: u64,
    /// Running seconds of the longest instance.
    pub elapsed_seconds: u64,
    /// Per instance; beyond 200 pods only those that need attention.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pods: BTreeMap<String, PodStatus>,
    /// Counts per pod state, only beyond 200 pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pod_counts: BTreeMap<String, u32>,
    /// The Redis pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RedisStatus>,
    /// The place in the org's queue, while waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueStatus>,
    /// Conditions, sorted by type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Added by metacontroller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// The closed list of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrawlState {
    /// No crawler runs yet, within the start window.
    Starting,
    /// No crawler runs, the start window is over.
    WaitingCapacity,
    /// Waiting for a place in the org.
    WaitingOrgLimit,
    /// Crawling.
    Running,
    /// Workers finished, waiting for the last fetches.
    #[serde(rename = "pending-wait")]
    PendingWait,
    /// Building the archive.
    #[serde(rename = "generate-wacz")]
    GenerateWacz,
    /// Uploading the archive.
    #[serde(rename = "uploading-wacz")]
    UploadingWacz,
    /// Every crawler was rate limited by the sites.
    #[serde(rename = "rate-limited")]
    RateLimited,
    /// Pause asked, not everything flushed.
    Pausing,
    /// Paused.
    Paused,
    /// Finished.
    Complete,
    /// Ended by the user.
    StoppedByUser,
    /// Ended because the pause expired.
    StoppedPauseExpired,
    /// Canceled.
    Canceled,
    /// Failed.
    Failed,
    /// Failed because the profile is not logged in.
    FailedNotLoggedIn,
}

impl CrawlState {
    /// The word in the status.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::WaitingCapacity => "waiting_capacity",
            Self::WaitingOrgLimit => "waiting_org_limit",
            Self::Running => "running",
            Self::PendingWait => "pending-wait",
            Self::GenerateWacz => "generate-wacz",
            Self::UploadingWacz => "uploading-wacz",
            Self::RateLimited => "rate-limited",
            Self::Pausing => "pausing",
            Self::Paused => "paused",
            Self::Complete => "complete",
            Self::StoppedByUser => "stopped_by_user",
            Self::StoppedPauseExpired => "stopped_pause_expired",
            Self::Canceled => "canceled",
            Self::Failed => "failed",
            Self::FailedNotLoggedIn => "failed_not_logged_in",
        }
    }

    /// No later observation changes such a state (E5).
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Complete
            | Self::StoppedByUser
            | Self::StoppedPauseExpired
            | Self::Canceled
            | Self::Failed
            | Self::FailedNotLoggedIn => true,
            Self::Starting
            | Self::WaitingCapacity
            | Self::WaitingOrgLimit
            | Self::Running
            | Self::PendingWait
            | Self::GenerateWacz
            | Self::UploadingWacz
            | Self::RateLimited
            | Self::Pausing
            | Self::Paused => false,
        }
    }
}

/// Why a crawl was stopped before its queue was empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// `spec.stopping`.
    StoppedByUser,
    /// `spec.timeout` reached.
    TimeLimit,
    /// `spec.maxCrawlSize` reached.
    SizeLimit,
    /// Rate limited for longer than the configured limit.
    RateLimited,
    /// Paused for longer than the configured expiry.
    PauseExpired,
}

/// One instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodStatus {
    /// What the pod is doing.
    pub state: String,
    /// Why, in Kubernetes' words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Code of the latest exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// RFC 3339 time of the latest exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_time: Option<String>,
    /// Container restarts.
    pub restarts: u32,
    /// Memory request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Volume request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
}

/// The Redis pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedisStatus {
    /// What the pod is doing.
    pub state: String,
    /// Why, in Kubernetes' words, or why the store can't be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A place in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueStatus {
    /// 1 is next.
    pub position: u32,
    /// Jobs running or waiting ahead.
    pub ahead: u32,
}
