//! One PersistentVolumeClaim as observed. Takes a raw claim, gives a [`Volume`]; its request, class and modes are kept
//! in the server's words, because an existing claim is answered with them unchanged (D3).

use super::{AnchorRef, owner};
use crate::quantity;
use crate::request::RawVolume;
use crate::request::text::Text;

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

impl Volume {
    /// Reads a raw claim.
    #[must_use]
    pub fn read(raw: &RawVolume<'_>) -> Self {
        let RawVolume { metadata, spec, status } = raw;
        let text = |value: &Option<Text<'_>>| value.as_deref().map(str::to_owned);
        Self {
            name: metadata.name.to_string(),
            terminating: metadata.terminating,
            phase: VolumePhase::read(status.phase.as_deref()),
            request: text(&spec.resources.requests.storage),
            request_bytes: spec.resources.requests.storage.as_deref().and_then(quantity::bytes),
            capacity_bytes: status.capacity.storage.as_deref().and_then(quantity::bytes),
            class: text(&spec.storage_class_name),
            access_modes: spec.access_modes.iter().map(|mode| mode.to_string()).collect(),
            volume_mode: text(&spec.volume_mode),
            anchor: owner::anchor(metadata),
        }
    }
}

impl VolumePhase {
    fn read(phase: Option<&str>) -> Self {
        match phase {
            Some("Pending") => Self::Pending,
            Some("Bound") => Self::Bound,
            Some("Lost") => Self::Lost,
            Some(_) | None => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Volume, VolumePhase};

    fn read(claim: &Value) -> Volume {
        Volume::read(&serde_json::from_str(&claim.to_string()).unwrap())
    }

    #[test]
    fn a_claim_keeps_the_servers_words_and_is_measured_in_bytes() {
        let volume = read(
            &json!({"metadata": {"name": "crawl-news-0", "deletionTimestamp": "2999-01-01T00:00:00Z"},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "standard", "volumeMode": "Filesystem",
                "resources": {"requests": {"storage": "1.5Gi"}}},
            "status": {"phase": "Bound", "capacity": {"storage": "2Gi"}}}),
        );
        assert_eq!((volume.phase, volume.terminating), (VolumePhase::Bound, true));
        assert_eq!(
            (volume.request.as_deref(), volume.request_bytes),
            (Some("1.5Gi"), Some(3 << 29))
        );
        assert_eq!(
            (volume.capacity_bytes, volume.class.as_deref()),
            (Some(2 << 30), Some("standard"))
        );
        assert_eq!(
            (volume.access_modes, volume.volume_mode.as_deref()),
            (vec!["ReadWriteOnce".to_owned()], Some("Filesystem"))
        );
    }

    #[test]
    fn missing_parts_are_unknown() {
        let volume = read(&json!({"metadata": {"name": "v"}, "spec": null, "status": {"capacity": null}}));
        assert_eq!(
            (volume.phase, volume.request, volume.request_bytes),
            (VolumePhase::Unknown, None, None)
        );
        let odd = read(&json!({"metadata": {"name": "v"}, "spec": {"resources": {"requests": {"storage": "much"}}}}));
        assert_eq!((odd.request.as_deref(), odd.request_bytes), (Some("much"), None));
    }
}
