//! The one reader of replies, whoever gave them: Redis or the store in this process. Takes the replies to
//! [`command::read`], gives a [`StoreView`] or why it is none. It trusts nothing (S6): unknown instances are ignored,
//! what is kept is bounded, counts saturate, and an unreadable size is unknown, never 0.

use std::collections::{BTreeMap, BTreeSet};

use super::command::READ;
use super::line;
use super::reply::{Reply, is_set, number, short_text};
use super::{Entry, FileLines, Flags, Mark, RateLimit, StoreQuestion, StoreReading, StoreView, Unreachable};
use crate::api::v1::crawljob_names as names;

/// Instances have indices below this.
const MAX_INDEX: u32 = 100_000;
/// Instances kept of one hash; the lowest ones.
const MAX_INSTANCES: usize = 10_000;
/// Entries kept of one of our own keys.
const MAX_OWN: usize = 50_000;
impl StoreReading {
    /// Reads the replies to [`command::read`].
    pub(crate) fn from_replies(job: &str, question: &StoreQuestion, replies: Vec<Reply>) -> Self {
        match StoreView::from_raw(job, question, replies) {
            Ok(view) => Self::Reachable(Box::new(view)),
            Err(reason) => Self::Unreachable(reason),
        }
    }
}

impl StoreView {
    /// Reads the replies to [`command::read`]. One error answer makes all of it unreadable: a half-read store would
    /// be taken for one that has lost the other half.
    pub(crate) fn from_raw(job: &str, question: &StoreQuestion, replies: Vec<Reply>) -> Result<Self, Unreachable> {
        if replies.contains(&Reply::Error) {
            return Err(Unreachable::ErrorAnswer);
        }
        let replies: [Reply; READ] = replies.try_into().map_err(|_| Unreachable::Garbage)?;
        let [
            dump_name,
            mark,
            entries,
            sizes,
            done,
            seen,
            extra_seeds,
            excluded,
            failed,
            queued,
            in_progress,
            rate_limited,
            fail_reason,
            stopping,
            canceled,
            paused,
            stop_one,
            file_count,
            first_file,
            files,
            exec,
            idle,
            rate_limit,
            flagged,
        ] = replies;
        check_dump_name(job, dump_name)?;
        Ok(Self {
            mark: mark.bytes()?.map(|word| Mark::from_bytes(&word)),
            entries: instances(job, entries, |word| Some(Entry::from_bytes(word)))?,
            sizes: instances(job, sizes, number)?,
            done: done.bytes()?.and_then(|text| number(&text)).unwrap_or(0),
            seen: seen.count()?,
            extra_seeds: extra_seeds.count()?,
            excluded: excluded.count()?,
            failed: failed.count()?,
            queued: queued.count()?,
            in_progress: in_progress.count()?,
            rate_limited: rate_limited.count()? > 0,
            not_logged_in: fail_reason.bytes()?.is_some_and(|reason| reason == b"not_logged_in"),
            flags: Flags {
                stopping: stopping.flag()?,
                canceled: canceled.flag()?,
                paused: paused.flag()?,
                stop_one: instances(job, stop_one, |flag| is_set(flag).then_some(()))?
                    .into_keys()
                    .collect(),
            },
            files: FileLines {
                total: file_count.count()?,
                first_hash: first_file.bytes()?.map(|bytes| line::hash(&bytes)),
                from: question.lines_from,
                lines: lines(job, files)?,
            },
            exec_seconds: exec_seconds(exec)?,
            idle_since: idle.instant()?,
            rate_limit: read_rate_limit(rate_limit)?,
            flagged: flagged_uids(flagged)?,
        })
    }
}

/// An instant and a count, as [`command`](super::command) writes them.
fn read_rate_limit(reply: Reply) -> Result<Option<RateLimit>, Unreachable> {
    let read = |bytes: Vec<u8>| {
        let text = short_text(bytes)?;
        let (since, done) = text.split_once(' ')?;
        Some(RateLimit {
            since: since.parse().ok()?,
            done: number(done.as_bytes())?,
        })
    };
    Ok(reply.bytes()?.and_then(read))
}

fn check_dump_name(job: &str, reply: Reply) -> Result<(), Unreachable> {
    match reply.list()?.as_slice() {
        [Reply::Bytes(_), Reply::Bytes(name)] if *name == format!("{job}.rdb").into_bytes() => Ok(()),
        [Reply::Bytes(_), Reply::Bytes(_)] => Err(Unreachable::OtherJob),
        _ => Err(Unreachable::Garbage),
    }
}

/// A hash by instance; fields that name none of this job are left out.
fn instances<T>(job: &str, reply: Reply, read: impl Fn(&[u8]) -> Option<T>) -> Result<BTreeMap<u32, T>, Unreachable> {
    let mut kept = BTreeMap::new();
    for pair in reply.pairs()? {
        let (field, value) = pair?;
        let index = std::str::from_utf8(&field)
            .ok()
            .and_then(|name| names::index_of(job, name));
        if let Some(index) = index.filter(|index| *index < MAX_INDEX)
            && let Some(value) = read(&value)
        {
            kept.insert(index, value);
            if kept.len() > MAX_INSTANCES {
                kept.pop_last();
            }
        }
    }
    Ok(kept)
}

fn lines(job: &str, reply: Reply) -> Result<Vec<Option<super::FileLine>>, Unreachable> {
    let texts = reply.list()?.into_iter().take(FileLines::MAX);
    texts
        .map(|text| Ok(text.bytes()?.and_then(|text| line::read(job, &text))))
        .collect()
}

fn exec_seconds(reply: Reply) -> Result<BTreeMap<String, u64>, Unreachable> {
    let mut kept = BTreeMap::new();
    for pair in reply.pairs()? {
        let (run, seconds) = pair?;
        if let Some(run) = short_text(run)
            && let Some(seconds) = number(&seconds)
        {
            kept.insert(run, seconds);
            if kept.len() > MAX_OWN {
                kept.pop_last();
            }
        }
    }
    Ok(kept)
}

fn flagged_uids(reply: Reply) -> Result<BTreeSet<String>, Unreachable> {
    let mut kept = BTreeSet::new();
    for uid in reply.list()? {
        if let Some(uid) = uid.bytes()?.and_then(short_text) {
            kept.insert(uid);
            if kept.len() > MAX_OWN {
                kept.pop_last();
            }
        }
    }
    Ok(kept)
}

impl Mark {
    /// A mark nobody knows is a mark all the same: without one the store would count as blank, and `SET NX` could
    /// never mend that (S2).
    fn from_bytes(word: &[u8]) -> Self {
        if word == Self::Renewed.word().as_bytes() {
            Self::Renewed
        } else {
            Self::First
        }
    }
}

impl Entry {
    fn from_bytes(word: &[u8]) -> Self {
        match word {
            b"running" => Self::Running,
            b"pending-wait" => Self::PendingWait,
            b"generate-wacz" | b"generate-cdx" | b"generate-warc" => Self::GenerateWacz,
            b"uploading-wacz" => Self::UploadingWacz,
            b"interrupted" => Self::Interrupted,
            b"done" => Self::Done,
            b"canceled" => Self::Canceled,
            b"failed" => Self::Failed,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests;
