//! What a roll call shows, in the words every hook shares.
//!
//! Takes nothing by itself: [`crate::request`] holds the raw bodies, the readers below turn one raw object into
//! one of these owned values (rules O of the CrawlJob README). A value here says what was seen and nothing about
//! what should be done with it. Missing parts are `None` or an `Unknown`, never an error (O9).

pub mod config_map;
pub mod owner;
pub mod pod;
pub mod time;
pub mod volume;

pub use config_map::ConfigMap;
pub use pod::{Exit, Phase, Pod, PodState};
pub use time::Timestamp;
pub use volume::{Volume, VolumePhase};

/// A second, non-controller owner reference seen on a child: the anchor (rule D7).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnchorRef {
    /// Name of the anchor ConfigMap.
    pub name: String,
    /// Its UID, as the child carries it.
    pub uid: String,
}
