//! A pod as it lies in the body: only the fields that rules O3 to O8 read. What they mean is said by
//! [`crate::observed::pod`].

use serde::Deserialize;

use super::meta::Meta;
use super::text::{Text, or_default};

/// A raw pod.
#[derive(Debug, Clone, Deserialize)]
pub struct RawPod<'a> {
    /// `metadata`.
    #[serde(borrow)]
    pub metadata: Meta<'a>,
    /// `spec`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub spec: RawPodSpec<'a>,
    /// `status`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub status: RawPodStatus<'a>,
}

/// `spec` of a pod.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawPodSpec<'a> {
    /// `nodeName`.
    #[serde(borrow)]
    pub node_name: Option<Text<'a>>,
    /// `containers`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub containers: Vec<RawContainer<'a>>,
}

/// A container of the spec.
#[derive(Debug, Clone, Deserialize)]
pub struct RawContainer<'a> {
    /// `name`.
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    /// `resources`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub resources: RawResources<'a>,
}

/// `resources` of a container.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RawResources<'a> {
    /// `requests`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub requests: RawRequests<'a>,
}

/// `requests` of a container.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RawRequests<'a> {
    /// `memory`.
    #[serde(borrow)]
    pub memory: Option<Text<'a>>,
}

/// `status` of a pod.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawPodStatus<'a> {
    /// `phase`.
    #[serde(borrow)]
    pub phase: Option<Text<'a>>,
    /// `reason`.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    /// `podIP`.
    #[serde(borrow, rename = "podIP")]
    pub pod_ip: Option<Text<'a>>,
    /// `conditions`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub conditions: Vec<RawCondition<'a>>,
    /// `containerStatuses`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub container_statuses: Vec<RawContainerStatus<'a>>,
    /// `initContainerStatuses`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub init_container_statuses: Vec<RawContainerStatus<'a>>,
}

/// A condition of a pod.
#[derive(Debug, Clone, Deserialize)]
pub struct RawCondition<'a> {
    /// `type`.
    #[serde(borrow)]
    pub r#type: Option<Text<'a>>,
    /// `status`.
    #[serde(borrow)]
    pub status: Option<Text<'a>>,
    /// `reason`.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

/// One of `containerStatuses`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawContainerStatus<'a> {
    /// `name`.
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    /// `restartCount`.
    #[serde(default, deserialize_with = "or_default")]
    pub restart_count: i64,
    /// `state`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub state: RawState<'a>,
    /// `lastState`.
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub last_state: RawState<'a>,
}

/// A container's state; at most one part is there.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RawState<'a> {
    /// `waiting`.
    #[serde(borrow)]
    pub waiting: Option<RawWaiting<'a>>,
    /// `running`.
    #[serde(borrow)]
    pub running: Option<RawRunning<'a>>,
    /// `terminated`.
    #[serde(borrow)]
    pub terminated: Option<RawTerminated<'a>>,
}

/// `waiting`.
#[derive(Debug, Clone, Deserialize)]
pub struct RawWaiting<'a> {
    /// `reason`.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

/// `running`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawRunning<'a> {
    /// `startedAt`.
    #[serde(borrow)]
    pub started_at: Option<Text<'a>>,
}

/// `terminated`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawTerminated<'a> {
    /// `containerID`.
    #[serde(borrow, rename = "containerID")]
    pub container_id: Option<Text<'a>>,
    /// `exitCode`.
    pub exit_code: Option<i32>,
    /// `reason`.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    /// `startedAt`.
    #[serde(borrow)]
    pub started_at: Option<Text<'a>>,
    /// `finishedAt`.
    #[serde(borrow)]
    pub finished_at: Option<Text<'a>>,
}
