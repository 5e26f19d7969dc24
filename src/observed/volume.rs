//! One PersistentVolumeClaim as observed. Takes a raw claim, gives a [`Volume`]; its request, class and modes are kept
//! in the server's words, because an existing claim is answered with them unchanged (D3).

use super::AnchorRef;

/// A claim that is ours.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Volume {
    /// `metadata.name`.
    pub name: String,
    /// `deletionTimestamp` is present (O4).
    pub terminating: bool,
    /// `status.phase`.
    pub phase: VolumePhase,
    /// `spec.resources.requests.storage`, as written.
    pub request: Option<String>,
    /// The same in bytes, rounded up.
    pub request_bytes: Option<u64>,
    /// `status.capacity.storage` in bytes.
    pub capacity_bytes: Option<u64>,
    /// `spec.storageClassName`.
    pub class: Option<String>,
    /// `spec.accessModes`, as written.
    pub access_modes: Vec<String>,
    /// `spec.volumeMode`, as written.
    pub volume_mode: Option<String>,
    /// The anchor reference it carries, if any.
    pub anchor: Option<AnchorRef>,
}

/// `status.phase` of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VolumePhase {
    /// Waiting for a volume or for its first consumer: normal (D2).
    Pending,
    /// Bound to a volume.
    Bound,
    /// Its volume is gone.
    Lost,
    /// Missing or unheard-of.
    Unknown,
}
