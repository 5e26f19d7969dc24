//! The crawl's keys in its store, as the crawler uses them. A key of another type counts as empty: only crawlers and
//! the hook write here, and neither changes a type.

use serde_json::{Value, json};

use super::LOCK_MILLIS;
use crate::outside::memory::MemoryStore;
use crate::sim::clock::{Millis, rfc3339};

/// A store seen by one instance.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    pub(super) store: &'a mut MemoryStore,
    pub(super) id: &'a str,
    pub(super) uid: &'a str,
}

/// An entry of the queue.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) url: String,
    raw: Value,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.id)
    }

    /// A flag of the whole crawl.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.store.get(&self.key(name)).ok().flatten() == Some("1")
    }

    /// `stopping`, or `stopone` for this instance.
    pub(super) fn stops(&self) -> bool {
        self.flag("stopping") || self.store.hget(&self.key("stopone"), self.uid).ok().flatten() == Some("1")
    }

    pub(super) fn status(&self) -> Option<String> {
        self.store
            .hget(&self.key("status"), self.uid)
            .ok()
            .flatten()
            .map(str::to_owned)
    }

    pub(super) fn set_status(&mut self, word: &str) {
        let _ = self.store.hset(&self.key("status"), self.uid, word);
    }

    pub(super) fn set_size(&mut self, bytes: u64) {
        let _ = self.store.hset(&self.key("size"), self.uid, &bytes.to_string());
    }

    /// Pages done by all.
    pub(super) fn done(&self) -> u64 {
        self.store
            .get(&self.key("d"))
            .ok()
            .flatten()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    }

    /// Queue and pages in progress are empty.
    pub(super) fn nothing_left(&self) -> bool {
        self.store.zcard(&self.key("q")).unwrap_or(0) == 0 && self.store.hlen(&self.key("p")).unwrap_or(0) == 0
    }

    /// Reserves the archive's name, once.
    pub(super) fn reserve_name(&mut self, name: &str) {
        let key = self.key("nextWacz");
        if self.store.hget(&key, self.uid).ok().flatten().is_none() {
            let _ = self.store.hset(&key, self.uid, name);
        }
    }

    /// The reserved name.
    pub(super) fn reserved_name(&self) -> Option<String> {
        self.store
            .hget(&self.key("nextWacz"), self.uid)
            .ok()
            .flatten()
            .map(str::to_owned)
    }

    /// Announces an archive; its name is free again.
    pub(super) fn announce(&mut self, line: &Value) {
        let _ = self.store.rpush("crawls-done", &line.to_string());
        let _ = self.store.hdel(&self.key("nextWacz"), self.uid);
    }

    /// Queues a page that was never seen.
    pub(super) fn queue(&mut self, url: &str, now: &str) {
        if self.store.sadd(&self.key("s"), url).unwrap_or(false) {
            let raw = json!({"added": now, "url": url, "seedId": 0, "depth": 1, "extraHops": 0});
            let _ = self.store.zadd(&self.key("q"), 1.0, &raw.to_string());
        }
    }

    pub(super) fn pop_page(&mut self) -> Option<Entry> {
        let (text, _) = self.store.zpopmin(&self.key("q")).ok().flatten()?;
        let raw: Value = serde_json::from_str(&text).ok()?;
        Some(Entry {
            url: raw["url"].as_str()?.to_owned(),
            raw,
        })
    }

    pub(super) fn begin_page(&mut self, entry: &Entry, now: Millis) {
        let mut raw = entry.raw.clone();
        raw["started"] = json!(rfc3339(now));
        raw["startedMillis"] = json!(now);
        let _ = self.store.hset(&self.key("p"), &entry.url, &raw.to_string());
        self.store.set(&self.key(&format!("p:{}", entry.url)), self.uid);
    }

    pub(super) fn finish_page(&mut self, url: &str) {
        let _ = self.store.hdel(&self.key("p"), url);
        self.store.del(&self.key(&format!("p:{url}")));
        let _ = self.store.incr(&self.key("d"));
    }

    /// At start an instance gives up the locks that its former run left.
    pub(super) fn drop_own_locks(&mut self) {
        for url in self.in_progress() {
            let lock = self.key(&format!("p:{url}"));
            if self.store.get(&lock).ok().flatten() == Some(self.uid) {
                self.store.del(&lock);
            }
        }
    }

    /// With an empty queue, pages in progress that nobody holds are queued again; after the third time they vanish.
    pub(super) fn requeue_stale(&mut self, now: Millis) {
        for url in self.in_progress() {
            let lock = self.key(&format!("p:{url}"));
            let text = self
                .store
                .hget(&self.key("p"), &url)
                .ok()
                .flatten()
                .unwrap_or_default()
                .to_owned();
            let mut raw: Value = serde_json::from_str(&text).unwrap_or_default();
            let old = raw["startedMillis"].as_i64().unwrap_or(0) + LOCK_MILLIS < now;
            if self.store.exists(&lock) && !old {
                continue;
            }
            self.store.del(&lock);
            let _ = self.store.hdel(&self.key("p"), &url);
            let retry = raw["retry"].as_u64().unwrap_or(0) + 1;
            if retry < 3 {
                raw["retry"] = json!(retry);
                let _ = self.store.zadd(&self.key("q"), 2e6, &raw.to_string());
            }
        }
    }

    fn in_progress(&self) -> Vec<String> {
        self.store
            .hkeys(&self.key("p"))
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect()
    }
}
