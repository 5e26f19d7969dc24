//! Conditions in the form `kubectl wait` understands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One condition of a status.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What it is about, for example `Complete`.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: ConditionStatus,
    /// One word for programs.
    pub reason: String,
    /// One sentence for people.
    pub message: String,
    /// RFC 3339 time of the last change of `status`.
    pub last_transition_time: String,
}

/// The status of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It can't be said now.
    Unknown,
}
