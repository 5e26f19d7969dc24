//! What a world is made of, and the plain records that it keeps of what happened.

use crate::sim::clock::Millis;
use crate::sim::metacontroller::Kind;
use crate::sim::site::Site;

/// What a world is made of.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Draws everything.
    pub seed: u64,
    /// Where its clock starts.
    pub start: Millis,
    /// What crawlers crawl.
    pub site: Site,
    /// Prefix of what crawlers upload.
    pub bucket: String,
    /// Milliseconds by which a cache is behind, least and most.
    pub lag: (u64, u64),
    /// Pods that fit on the nodes.
    pub capacity: usize,
    /// Kinds the API server knows.
    pub kinds: Vec<Kind>,
}

/// Something that happened, for logs and for comparing runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// When.
    pub at: Millis,
    /// Who: `kubelet`, `crawler`, `user`, `metacontroller`, `collector`, `api`.
    pub who: &'static str,
    /// What.
    pub what: String,
}

/// A volume that went away with data that was nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loss {
    /// The volume.
    pub volume: String,
    /// Pages on it.
    pub pages: Vec<String>,
}

/// How often things happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Calls to hooks: sync.
    pub syncs: u64,
    /// Calls to hooks: finalize.
    pub finalizes: u64,
    /// Calls to hooks: customize.
    pub customizes: u64,
    /// Calls that got no usable answer.
    pub failures: u64,
    /// Children made.
    pub creates: u64,
    /// Children patched.
    pub updates: u64,
    /// Children deleted.
    pub deletes: u64,
    /// Status writes.
    pub statuses: u64,
}
