//! The whole cluster of one job as small, hashable data: the objects as they are, what the caller's caches show of them,
//! the store, and what may still go wrong. Data only; `step` changes it.

use std::sync::Arc;

use rollcall::hooks::crawljob::observed::Previous;
use rollcall::hooks::crawljob::register::Register;
use rollcall::outside::store::{Entry, Mark};

use super::call::Outcome;

/// Most instances of a model.
pub(super) const N: usize = 3;

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct World {
    /// What the API server holds.
    pub(super) objects: Objects,
    /// The data on the Redis volume.
    pub(super) store: Store,
    /// What the caller was shown last, by kind; empty once it may not be shown again.
    pub(super) shown: Shown,
    /// A decision that was made and whose effects are still to come.
    pub(super) pending: Option<Arc<Pending>>,
    /// What users and nature may still do.
    pub(super) left: Left,
    /// What happened that no fault-free run has.
    pub(super) past: Past,
    /// Laws that the last step broke, one bit each.
    pub(super) broken: u32,
}

/// Objects of the API server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Objects {
    pub(super) parent: Option<Parent>,
    pub(super) pods: Pods,
    pub(super) volumes: Volumes,
    pub(super) maps: Maps,
}

/// The CrawlJob.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Parent {
    pub(super) spec: Wish,
    pub(super) deleting: bool,
    pub(super) status: Arc<Previous>,
}

/// The part of a spec that users change here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Wish {
    pub(super) scale: u8,
    pub(super) stopping: bool,
    pub(super) pause: Pause,
    pub(super) restart: bool,
    pub(super) storage: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Pause {
    No,
    Wished,
    /// Older than the expiry (P4).
    Expired,
}

/// Pods of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pods {
    pub(super) crawlers: [Option<Crawler>; N],
    pub(super) redis: Option<Redis>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Crawler {
    pub(super) uid: u8,
    pub(super) phase: Phase,
    pub(super) leaving: bool,
    /// Restarts of the container, counted modulo 4: enough to tell an exit from the one before it.
    pub(super) restarts: u8,
    pub(super) exit: Option<Exit>,
    /// Made for the restart (annotation).
    pub(super) restarted: bool,
    /// Created after the restart was asked for.
    pub(super) newer: bool,
    /// Bytes of memory it was made with (annotation).
    pub(super) memory: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Exit {
    pub(super) code: u8,
    pub(super) out_of_memory: bool,
    /// Restarts when it happened: tells exits apart.
    pub(super) number: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Unplaced,
    Runs(Process),
    /// The container ended with another code than 0 and will be started again.
    Ended,
    Succeeded,
    /// Evicted.
    Lost,
}

/// What a crawler's process does; as `facts/crawler-observed.md` and `src/sim/crawler.rs` have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Process {
    Boot,
    Between,
    Page,
    Upload(End),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum End {
    Finished,
    Stopped,
    Paused,
    Redo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Redis {
    pub(super) uid: u8,
    pub(super) phase: RedisPhase,
    pub(super) leaving: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RedisPhase {
    Unplaced,
    Runs,
    Lost,
}

/// Claims of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Volumes {
    pub(super) crawlers: [Option<Volume>; N],
    pub(super) redis: Option<Volume>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Volume {
    pub(super) uid: u8,
    pub(super) leaving: bool,
    /// Pages on it that are nowhere else.
    pub(super) unsaved: u8,
    /// It holds pages that were uploaded.
    pub(super) saved: bool,
}

/// ConfigMaps of the job.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Maps {
    pub(super) config: bool,
    pub(super) register: Option<Arc<Register>>,
}

/// The store's data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the store")]
pub(super) struct Store {
    pub(super) mark: Option<Mark>,
    pub(super) entries: [Option<Entry>; N],
    /// More than an empty folder?
    pub(super) sizes: [Option<bool>; N],
    pub(super) seen: u8,
    pub(super) queued: u8,
    pub(super) in_progress: u8,
    pub(super) done: u8,
    pub(super) stopping: bool,
    pub(super) canceled: bool,
    pub(super) paused: bool,
    pub(super) stop_one: [bool; N],
    /// Lines of `crawls-done`, and which list it is: another one after each loss.
    pub(super) files: u8,
    pub(super) epoch: u8,
    pub(super) idle: bool,
    pub(super) flagged: Vec<(u8, u8)>,
}

impl Store {
    pub(super) fn empty(epoch: u8) -> Self {
        Self {
            mark: None,
            entries: [None; N],
            sizes: [None; N],
            seen: 0,
            queued: 0,
            in_progress: 0,
            done: 0,
            stopping: false,
            canceled: false,
            paused: false,
            stop_one: [false; N],
            files: 0,
            epoch,
            idle: false,
            flagged: Vec::new(),
        }
    }

    pub(super) fn nothing_left(&self) -> bool {
        self.queued == 0 && self.in_progress == 0
    }
}

/// What a cache showed in the last call, and how many calls old it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Aged<T> {
    pub(super) value: T,
    pub(super) age: u8,
}

/// The caches, one a kind: each lags by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Shown {
    pub(super) parent: Option<Aged<Arc<Parent>>>,
    pub(super) pods: Option<Aged<Pods>>,
    pub(super) volumes: Option<Aged<Volumes>>,
    pub(super) maps: Option<Aged<Arc<Maps>>>,
}

impl Shown {
    pub(super) const NOTHING: Self = Self {
        parent: None,
        pods: None,
        volumes: None,
        maps: None,
    };
}

/// A decision on its way.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Pending {
    pub(super) view: super::call::View,
    pub(super) outcome: Arc<Outcome>,
}

/// Budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Left {
    pub(super) actions: u8,
    pub(super) faults: u8,
    pub(super) crashes: u8,
    pub(super) lags: u8,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Past {
    /// The store lost its data.
    pub(super) store_lost: bool,
    /// Somebody deleted the register, and with it the files it had counted.
    pub(super) register_lost: bool,
    /// Somebody asked for an end.
    pub(super) stopped: bool,
    /// Pages announced in files.
    pub(super) announced: u8,
}
