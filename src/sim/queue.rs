//! The caller's work queue: each parent at most once, the earliest time wins, failures back off. A parent that is being
//! worked on is not started a second time; it waits until that call is over.

use std::collections::{BTreeMap, BTreeSet};

use super::clock::{Millis, millis};
use super::metacontroller::retry;

/// A parent: index of its controller, namespace, name.
pub type Parent = (usize, String, String);

/// The queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Queue {
    due: BTreeMap<Parent, Millis>,
    alarms: BTreeMap<Parent, Millis>,
    working: BTreeSet<Parent>,
    failures: BTreeMap<Parent, u32>,
}

impl Queue {
    /// Wanted now.
    pub fn add(&mut self, now: Millis, parent: Parent) {
        earlier(&mut self.due, now, parent);
    }

    /// Wanted once more at `at`, or earlier if that was asked before: there is one alarm for each parent. A call for
    /// another reason does not take it back.
    pub fn add_at(&mut self, at: Millis, parent: Parent) {
        earlier(&mut self.alarms, at, parent);
    }

    /// A call failed: once more after the back-off.
    pub fn add_after_failure(&mut self, now: Millis, parent: Parent) {
        let failures = self.failures.entry(parent.clone()).or_insert(0);
        let wait = millis(retry::backoff(*failures));
        *failures = failures.saturating_add(1);
        self.add_at(now + wait, parent);
    }

    /// A call succeeded: the back-off starts anew.
    pub fn forget(&mut self, parent: &Parent) {
        self.failures.remove(parent);
    }

    /// When the next call can start.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        let free = self.due.iter().filter(|(parent, _)| !self.working.contains(*parent));
        free.map(|(_, due)| *due).chain(self.alarms.values().copied()).min()
    }

    /// Takes the parent that is due at `now`, the longest waiting first.
    pub fn take(&mut self, now: Millis) -> Option<Parent> {
        let ripe: Vec<Parent> = self
            .alarms
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|(parent, _)| parent.clone())
            .collect();
        for parent in ripe {
            if let Some(at) = self.alarms.remove(&parent) {
                self.add(at, parent);
            }
        }
        let free = self
            .due
            .iter()
            .filter(|(parent, due)| **due <= now && !self.working.contains(*parent));
        let parent = free
            .min_by_key(|(parent, due)| (**due, *parent))
            .map(|(parent, _)| parent.clone())?;
        self.due.remove(&parent);
        self.working.insert(parent.clone());
        Some(parent)
    }

    /// Its call is over.
    pub fn done(&mut self, parent: &Parent) {
        self.working.remove(parent);
    }
}

fn earlier(times: &mut BTreeMap<Parent, Millis>, at: Millis, parent: Parent) {
    times
        .entry(parent)
        .and_modify(|time| *time = (*time).min(at))
        .or_insert(at);
}
