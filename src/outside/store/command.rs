//! The commands behind one read and one write, with the names of the keys: facts shared by Redis and the store in this
//! process, so that both are asked the same. Takes a job and typed wishes, gives [`Look`]s and [`Change`]s; sends
//! nothing.

use super::{FileLines, Mark, StoreQuestion, StoreWrite};
use crate::api::v1::crawljob_names as names;

/// Announced files, oldest first. The crawlers' name; not prefixed with the job.
const FILES: &str = "crawls-done";
const MARK: &str = "rollcall:mark";
const EXEC: &str = "rollcall:exec";
const IDLE: &str = "rollcall:idle";
const RATE_LIMITED: &str = "rollcall:rate-limited";
const FLAGGED: &str = "rollcall:flagged";

/// What every flag is set to; crawlers take anything else as not set.
pub(crate) const SET: &str = "1";

/// The crawlers' word for an instance that ended with work left.
const INTERRUPTED: &str = "interrupted";

/// A command that looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Look {
    /// `CONFIG GET dbfilename`: whose store it is (S1).
    DumpName,
    Get(String),
    Exists(String),
    HGetAll(String),
    HLen(String),
    SCard(String),
    SMembers(String),
    LLen(String),
    LIndex(String, i64),
    LRange(String, i64, i64),
    ZCard(String),
}

/// A command that changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Set(String, String),
    SetNx(String, String),
    Del(Vec<String>),
    HSet(String, String, String),
    HDel(String, String),
    SAdd(String, String),
    SRem(String, String),
}

/// How many commands one read has; [`super::view`] takes as many replies, in the same order.
pub(crate) const READ: usize = 24;

/// The commands of one read. Lists are looked at, never popped (S3).
pub(crate) fn read(job: &str, question: &StoreQuestion) -> [Look; READ] {
    let key = |name: &str| format!("{job}:{name}");
    let from = i64::try_from(question.lines_from).unwrap_or(i64::MAX);
    let to = from.saturating_add_unsigned(FileLines::MAX as u64 - 1);
    [
        Look::DumpName,
        Look::Get(MARK.to_owned()),
        Look::HGetAll(key("status")),
        Look::HGetAll(key("size")),
        Look::Get(key("d")),
        Look::SCard(key("s")),
        Look::LLen(key("extraSeeds")),
        Look::SCard(key("excluded")),
        Look::LLen(key("f")),
        Look::ZCard(key("q")),
        Look::HLen(key("p")),
        Look::Exists(key("rateLimited")),
        Look::Get(key("failReason")),
        Look::Get(key("stopping")),
        Look::Get(key("canceled")),
        Look::Get(key("paused")),
        Look::HGetAll(key("stopone")),
        Look::LLen(FILES.to_owned()),
        Look::LIndex(FILES.to_owned(), 0),
        Look::LRange(FILES.to_owned(), from, to),
        Look::HGetAll(EXEC.to_owned()),
        Look::Get(IDLE.to_owned()),
        Look::Get(RATE_LIMITED.to_owned()),
        Look::SMembers(FLAGGED.to_owned()),
    ]
}

/// The commands of some writes, in their order.
pub(crate) fn write(job: &str, writes: &[StoreWrite]) -> Vec<Change> {
    writes.iter().map(|wish| change(job, wish)).collect()
}

fn change(job: &str, wish: &StoreWrite) -> Change {
    let key = |name: &str| format!("{job}:{name}");
    let set = || SET.to_owned();
    match wish {
        StoreWrite::SetMark(mark) => Change::SetNx(MARK.to_owned(), mark.word().to_owned()),
        StoreWrite::ForgetInstances => Change::Del(vec![key("status"), key("size")]),
        // A plain SET, which heals a flag that holds anything else: an unreadable flag reads as unset.
        StoreWrite::SetStopping => Change::Set(key("stopping"), set()),
        StoreWrite::SetCanceled => Change::Set(key("canceled"), set()),
        StoreWrite::DeleteCanceled => Change::Del(vec![key("canceled")]),
        StoreWrite::SetPaused => Change::Set(key("paused"), set()),
        StoreWrite::DeletePaused => Change::Del(vec![key("paused")]),
        StoreWrite::SetStopOne(index) => Change::HSet(key("stopone"), names::crawler(job, *index), set()),
        StoreWrite::DeleteStopOne(index) => Change::HDel(key("stopone"), names::crawler(job, *index)),
        StoreWrite::SetInterrupted(index) => {
            Change::HSet(key("status"), names::crawler(job, *index), INTERRUPTED.to_owned())
        }
        StoreWrite::DeleteEntry(index) => Change::HDel(key("status"), names::crawler(job, *index)),
        StoreWrite::DeleteSize(index) => Change::HDel(key("size"), names::crawler(job, *index)),
        StoreWrite::SetExecSeconds(run, seconds) => Change::HSet(EXEC.to_owned(), run.clone(), seconds.to_string()),
        StoreWrite::SetIdleSince(since) => Change::SetNx(IDLE.to_owned(), since.to_string()),
        StoreWrite::DeleteIdle => Change::Del(vec![IDLE.to_owned()]),
        StoreWrite::SetRateLimit(limit) => {
            Change::SetNx(RATE_LIMITED.to_owned(), format!("{} {}", limit.since, limit.done))
        }
        StoreWrite::DeleteRateLimit => Change::Del(vec![RATE_LIMITED.to_owned()]),
        StoreWrite::SetFlagged(uid) => Change::SAdd(FLAGGED.to_owned(), uid.clone()),
        StoreWrite::DeleteFlagged(uid) => Change::SRem(FLAGGED.to_owned(), uid.clone()),
    }
}

impl Mark {
    /// What `rollcall:mark` holds for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Renewed => "renewed",
        }
    }
}
