//! One browsertrix-crawler process, as the real one was observed against a real Redis: what it does at start, between
//! pages, on flags and signals, and at its end. It acts on a store and a folder and exits with the observed codes.
//!
//! One browser. Not simulated: limits, rate limits, page failures, exclusions, profiles.

use super::clock::{Millis, rfc3339};
use super::rng::Rng;
use super::site::Site;
use super::storage::{Bucket, Disk};
use crate::outside::memory::MemoryStore;

mod ending;
mod keys;
mod start;

use keys::Keys;

/// Before its handlers exist, the process ignores SIGTERM.
const HANDLERS_AFTER: Millis = 1000;
/// Between two tries while the store is away.
const STORE_RETRY: u64 = 500;
/// A page in progress for longer is anybody's again once the queue is empty.
const LOCK_MILLIS: Millis = 90_000;

/// The world around the process.
#[derive(Debug)]
pub struct Env<'a> {
    /// Now.
    pub now: Millis,
    /// `CRAWL_ID`.
    pub id: &'a str,
    /// Hostname: the instance's field in the store.
    pub uid: &'a str,
    /// `STORE_USER`.
    pub user: &'a str,
    /// Where archives go; unset = they stay on the volume.
    pub target: Option<&'a str>,
    /// The store, if it answers.
    pub store: Option<&'a mut MemoryStore>,
    /// The folder.
    pub disk: &'a mut Disk,
    /// The bucket.
    pub bucket: &'a mut Bucket,
    /// The site.
    pub site: &'a Site,
    /// Drawn numbers.
    pub rng: &'a mut Rng,
}

/// What a process does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// Nothing for this many milliseconds.
    After(u64),
    /// It ends with this code.
    Exit(i32),
}

/// The process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Crawler {
    stage: Stage,
    started: Millis,
    terminating: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Stage {
    Boot,
    Between,
    Page(String),
    Flush(End),
    Build(End),
    Upload(End),
}

/// Why the process comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    /// Queue and pages in progress are empty.
    Finished,
    /// `stopping` or `stopone`.
    Stopped,
    /// `paused`.
    Paused,
    /// SIGTERM.
    Signal,
    /// Restarted after it had died while building or uploading.
    Redo,
}

impl Crawler {
    /// Starts it; the first step follows after [`Self::BOOT`].
    #[must_use]
    pub const fn new(now: Millis) -> Self {
        Self {
            stage: Stage::Boot,
            started: now,
            terminating: false,
        }
    }

    /// Milliseconds until it has read its settings.
    pub const BOOT: u64 = 900;

    /// SIGTERM.
    pub const fn terminate(&mut self, now: Millis) {
        self.terminating = self.terminating || now - self.started >= HANDLERS_AFTER;
    }

    /// What it works on, for people.
    #[must_use]
    pub fn doing(&self) -> &str {
        match &self.stage {
            Stage::Boot => "booting",
            Stage::Between => "between pages",
            Stage::Page(url) => url,
            Stage::Flush(_) => "flushing",
            Stage::Build(_) => "building the archive",
            Stage::Upload(_) => "uploading",
        }
    }

    /// One step.
    pub fn tick(&mut self, env: &mut Env<'_>) -> Next {
        let Some(store) = env.store.take() else {
            return self.without_store();
        };
        let mut keys = Keys {
            store,
            id: env.id,
            uid: env.uid,
        };
        if self.terminating && self.stage != Stage::Boot && keys.flag("canceled") {
            return Self::canceled(matches!(self.stage, Stage::Upload(_)), &mut keys, env);
        }
        match self.stage.clone() {
            Stage::Boot => self.boot(&mut keys, env),
            Stage::Between => self.between(&mut keys, env),
            Stage::Page(url) => self.page_done(url, &mut keys, env),
            Stage::Flush(end) => self.flushed(end, &mut keys),
            Stage::Build(end) => self.built(end, &mut keys, env),
            Stage::Upload(end) => Self::uploaded(end, &mut keys, env),
        }
    }

    /// Without Redis it waits, whatever it is told; only while it still boots a signal ends it.
    fn without_store(&self) -> Next {
        if self.terminating && self.stage == Stage::Boot {
            Next::Exit(1)
        } else {
            Next::After(STORE_RETRY)
        }
    }

    fn between(&mut self, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        if keys.flag("canceled") {
            return Self::canceled(false, keys, env);
        }
        if keys.nothing_left() {
            return self.nothing_left(keys);
        }
        if keys.stops() {
            return self.end(End::Stopped, keys);
        }
        if self.terminating {
            return self.end(End::Signal, keys);
        }
        let Some(entry) = keys.pop_page() else {
            keys.requeue_stale(env.now);
            return Next::After(1000);
        };
        keys.begin_page(&entry, env.now);
        self.stage = Stage::Page(entry.url);
        Next::After(env.site.draw_millis(env.rng))
    }

    fn nothing_left(&mut self, keys: &mut Keys<'_>) -> Next {
        if keys.done() > 0 {
            return self.end(End::Finished, keys);
        }
        keys.set_status("interrupted");
        Next::Exit(1)
    }

    fn page_done(&mut self, url: String, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        for link in env.site.links(&url) {
            keys.queue(&link, &rfc3339(env.now));
        }
        keys.finish_page(&url);
        let bytes = env.site.draw_bytes(env.rng);
        env.disk.add(url, bytes);
        keys.set_size(env.disk.size());
        self.stage = Stage::Between;
        // Only here is the flag looked at: an idle process does not notice it.
        if keys.flag("paused") && !keys.nothing_left() {
            return self.end(End::Paused, keys);
        }
        Next::After(50)
    }

    fn end(&mut self, end: End, keys: &mut Keys<'_>) -> Next {
        keys.set_status("pending-wait");
        self.stage = Stage::Flush(end);
        Next::After(300)
    }
}
