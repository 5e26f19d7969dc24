//! The store of a crawl in typed words: what one read shows, what one write asks for, and the port that does both.
//!
//! The contents are written by crawlers and are untrusted (S6): counts and lines are capped, unknown instances ignored.
//! Lists are read, never popped (S3).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::observed::Timestamp;

pub(crate) mod command;
mod line;
pub(crate) mod reply;
mod view;

pub(crate) use line::hash;

/// Where the store of one job is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StoreAddress {
    /// The job's namespace and name; the name is also the key prefix and the name of the dump file.
    pub namespace: String,
    /// The job's name.
    pub job: String,
    /// The Redis pod's IP.
    pub ip: IpAddr,
    /// Its port.
    pub port: u16,
}

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreQuestion {
    /// First line of `crawls-done` to read: the number of lines that the observed register has read (S3).
    pub lines_from: u64,
}

/// What one read gave.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StoreReading {
    /// The store answered for this job.
    Reachable(Box<StoreView>),
    /// It could not be asked, or did not answer in time, or answered nonsense.
    Unreachable(Unreachable),
}

/// Why the store could not be asked (S1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub enum Unreachable {
    /// There is no Redis pod.
    NoPod,
    /// The Redis pod is not Running, has no IP, or is terminating.
    NotRunning,
    /// Reading stores is switched off (`--store none`).
    Disabled,
    /// Connection refused or reset.
    Refused,
    /// No answer within the deadline.
    Timeout,
    /// An error answer, loading included.
    ErrorAnswer,
    /// Not the protocol, or not the expected shape.
    Garbage,
    /// It is the store of another job (a reused IP).
    OtherJob,
}

impl Unreachable {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::NoPod,
        Self::NotRunning,
        Self::Disabled,
        Self::Refused,
        Self::Timeout,
        Self::ErrorAnswer,
        Self::Garbage,
        Self::OtherJob,
    ];

    /// The word for it in logs, metrics and store files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NoPod => "no-pod",
            Self::NotRunning => "not-running",
            Self::Disabled => "disabled",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::ErrorAnswer => "error-answer",
            Self::Garbage => "garbage",
            Self::OtherJob => "other-job",
        }
    }

    /// The reason of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

/// Everything a decision needs of the store, from one atomic read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StoreView {
    /// `rollcall:mark`.
    pub mark: Option<Mark>,
    /// `<id>:status`, by instance.
    pub entries: BTreeMap<u32, Entry>,
    /// `<id>:size`, by instance, bytes.
    pub sizes: BTreeMap<u32, u64>,
    /// `<id>:d`.
    pub done: u64,
    /// `SCARD <id>:s`.
    pub seen: u64,
    /// `LLEN <id>:extraSeeds`.
    pub extra_seeds: u64,
    /// `SCARD <id>:excluded`.
    pub excluded: u64,
    /// `LLEN <id>:f`.
    pub failed: u64,
    /// `ZCARD <id>:q`.
    pub queued: u64,
    /// `HLEN <id>:p`.
    pub in_progress: u64,
    /// `<id>:rateLimited` is set.
    pub rate_limited: bool,
    /// `<id>:failReason` is `not_logged_in`.
    pub not_logged_in: bool,
    /// The flags as they are.
    pub flags: Flags,
    /// `crawls-done`, from the asked line on.
    pub files: FileLines,
    /// `rollcall:exec`: running seconds by pod uid and restart count.
    pub exec_seconds: BTreeMap<String, u64>,
    /// `rollcall:idle`: since when Redis idles.
    pub idle_since: Option<Timestamp>,
    /// `rollcall:rate-limited`: the sites limit every crawler.
    pub rate_limit: Option<RateLimit>,
    /// `rollcall:flagged`: pod UIDs that ran in a call that read `paused` as set (P1).
    pub flagged: BTreeSet<String>,
}

/// A time in which the sites limit every crawler. It lasts until a page is done (E6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RateLimit {
    /// When every crawler was first seen to be limited.
    pub since: Timestamp,
    /// Pages done then.
    pub done: u64,
}

/// The mark that tells a store that lost its data from one that never had any (S2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// Set in a store that never lost anything.
    First,
    /// Set after a loss.
    Renewed,
}

/// `<id>:status` of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entry {
    /// `running`.
    Running,
    /// `pending-wait`.
    PendingWait,
    /// `generate-wacz`, `generate-cdx`, `generate-warc`.
    GenerateWacz,
    /// `uploading-wacz`.
    UploadingWacz,
    /// `interrupted`: restartable, and the resting value while paused.
    Interrupted,
    /// `done`.
    Done,
    /// `canceled`.
    Canceled,
    /// `failed`.
    Failed,
    /// Any other word: not final.
    Other,
}

/// The flags that we set and crawlers read (S4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Flags {
    /// `<id>:stopping`.
    pub stopping: bool,
    /// `<id>:canceled`.
    pub canceled: bool,
    /// `<id>:paused`.
    pub paused: bool,
    /// `<id>:stopone`, by instance.
    pub stop_one: BTreeSet<u32>,
}

/// A read of `crawls-done`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileLines {
    /// `LLEN`.
    pub total: u64,
    /// Hash of the first line, if there is one (16 hexadecimal digits of SHA-256).
    pub first_hash: Option<String>,
    /// The asked position: `lines[0]` is line number `from`.
    pub from: u64,
    /// At most [`FileLines::MAX`] lines from there; an unreadable line is `None`, so that positions stay right.
    pub lines: Vec<Option<FileLine>>,
}

impl FileLines {
    /// Lines read in one call.
    pub const MAX: usize = 500;
}

/// One uploaded file, as its crawler announced it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct FileLine {
    /// Full name; a file counts once, by it.
    pub filename: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal, if it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The user, as echoed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// One change to ask of the store. Each is safe to repeat.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoreWrite {
    /// `SET NX rollcall:mark`.
    SetMark(Mark),
    /// Delete every entry and size: the store lost its data and nobody works (S2).
    ForgetInstances,
    /// `SET <id>:stopping 1`.
    SetStopping,
    /// `SET <id>:canceled 1`.
    SetCanceled,
    /// `DEL <id>:canceled`: the job was made again after a forced removal (I1).
    DeleteCanceled,
    /// `SET <id>:paused 1`.
    SetPaused,
    /// `DEL <id>:paused`.
    DeletePaused,
    /// `HSET <id>:stopone <instance> 1`.
    SetStopOne(u32),
    /// `HDEL <id>:stopone <instance>`.
    DeleteStopOne(u32),
    /// `HSET <id>:status <instance> interrupted`: it has no pod, and goes on with what its volume holds (C4).
    SetInterrupted(u32),
    /// Delete the entry of a dropped or wrongly failed instance (C3, P1).
    DeleteEntry(u32),
    /// Delete the size of a dropped instance (C3).
    DeleteSize(u32),
    /// `HSET rollcall:exec <run> <seconds>`, only sent when it rises (E7).
    SetExecSeconds(String, u64),
    /// `SET NX rollcall:idle <now>`.
    SetIdleSince(Timestamp),
    /// `DEL rollcall:idle`.
    DeleteIdle,
    /// `SET NX rollcall:rate-limited <now> <pages done>`.
    SetRateLimit(RateLimit),
    /// `DEL rollcall:rate-limited`.
    DeleteRateLimit,
    /// `SADD rollcall:flagged <uid>`.
    SetFlagged(String),
    /// `SREM rollcall:flagged <uid>`.
    DeleteFlagged(String),
}
