//! One pod as rules O3 to O8 see it: phase and pod reason first, then the one named container.
//!
//! Takes a raw pod and the name of the container that decides; gives a [`Pod`]. It never looks at another container
//! and never fails: what is not there is unknown (O9).

mod read;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use super::Timestamp;

/// A pod that is ours, reduced to what any hook decides on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent observation")]
pub struct Pod {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`; a call-back is for this UID only (D5).
    pub uid: String,
    /// `metadata.creationTimestamp`; unset when missing or unreadable.
    pub created: Option<Timestamp>,
    /// `deletionTimestamp` is present, whatever its value (O4).
    pub terminating: bool,
    /// Condition `DisruptionTarget` is True: preempted, evicted or drained. How it ends says nothing of the crawler (O8).
    pub disrupted: bool,
    /// `spec.nodeName` is set.
    pub placed: bool,
    /// `status.podIP`, when it is an address.
    pub ip: Option<IpAddr>,
    /// `status.phase`.
    pub phase: Phase,
    /// What the deciding container and the pod's reason say together.
    pub state: PodState,
    /// The deciding container runs now as far as is known: also in a terminating pod and in one whose node is not heard
    /// of, never in a lost one.
    pub container_runs: bool,
    /// Start of the running container.
    pub running_since: Option<Timestamp>,
    /// The deciding container was seen started in this or an earlier run.
    pub ever_started: bool,
    /// Restarts of the deciding container.
    pub restarts: u32,
    /// The latest exit: of `state.terminated`, else of `lastState.terminated` (O7).
    pub last_exit: Option<Exit>,
    /// Memory request of the deciding container in bytes, as the pod's spec says.
    pub memory_request: Option<u64>,
}

/// `status.phase`, closed; what we have never heard of is neither running nor failed (O5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Accepted, not all containers started.
    Pending,
    /// Bound to a node, at least one container started.
    Running,
    /// All containers ended with 0.
    Succeeded,
    /// Failed for any reason.
    Failed,
    /// `Unknown`, missing, or an unheard-of word.
    Unknown,
}

/// What a pod is doing, by rules O5 to O7. Exactly one holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PodState {
    /// Not placed on a node yet; the scheduler's reason if it gave one.
    Unplaced(Option<String>),
    /// Placed; the container is being made, or nothing is said of it yet.
    Starting,
    /// Waiting on anything else than creation: an image, a config, a failing init container (O6).
    Stuck(String),
    /// The container runs.
    Running,
    /// `CrashLoopBackOff`; the exit it backs off from, if shown.
    BackingOff,
    /// The container ended, the pod did not: the kubelet will start it again.
    Ended,
    /// Phase `Succeeded`.
    Succeeded,
    /// Phase `Failed`, or running with such a reason and the container ended (O5): neither done nor crashed.
    Lost(String),
    /// Phase `Unknown`, missing or unheard-of, or reason `NodeLost`: neither running nor failed.
    Unknown,
}

/// One end of the deciding container (O7).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Exit {
    /// What tells two exits apart: the last 12 characters of the container id and the Unix second it finished.
    pub id: String,
    /// Exit code.
    pub code: i32,
    /// `OOMKilled`, `Error`, `Completed`, ...
    pub reason: Option<String>,
    /// Out of memory by rule O8 (not with 143, not in a lost or disrupted pod).
    pub out_of_memory: bool,
    /// Start of that run.
    pub started: Option<Timestamp>,
    /// End of that run.
    pub finished: Option<Timestamp>,
}
