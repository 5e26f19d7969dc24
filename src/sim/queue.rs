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
    delayed: BTreeSet<(Millis, Parent)>,
    working: BTreeSet<Parent>,
    failures: BTreeMap<Parent, u32>,
}

impl Queue {
    /// Wanted now.
    pub fn add(&mut self, now: Millis, parent: Parent) {
        self.due
            .entry(parent)
            .and_modify(|due| *due = (*due).min(now))
            .or_insert(now);
    }

    /// Wanted once more at `at`. An earlier call does not take it back.
    pub fn add_at(&mut self, at: Millis, parent: Parent) {
        self.delayed.insert((at, parent));
    }

    /// A call failed: once more after the back-off.
    pub fn add_after_failure(&mut self, now: Millis, parent: Parent) {
        let failures = self.failures.entry(parent.clone()).or_insert(0);
        let wait = millis(retry::backoff(*failures));
        *failures += 1;
        self.add_at(now + wait, parent);
    }

    /// A call succeeded: the back-off starts anew.
    pub fn forget(&mut self, parent: &Parent) {
        self.failures.remove(parent);
    }

    /// When the next call can start.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        let free = self
            .due
            .iter()
            .filter(|(parent, _)| !self.working.contains(*parent))
            .map(|(_, due)| *due)
            .min();
        let delayed = self.delayed.first().map(|(at, _)| *at);
        free.into_iter().chain(delayed).min()
    }

    /// Takes the parent that is due at `now`, the longest waiting first.
    pub fn take(&mut self, now: Millis) -> Option<Parent> {
        while let Some((at, parent)) = self.delayed.first().filter(|(at, _)| *at <= now).cloned() {
            self.delayed.remove(&(at, parent.clone()));
            self.add(at, parent);
        }
        let free = self
            .due
            .iter()
            .filter(|(parent, due)| **due <= now && !self.working.contains(*parent));
        let parent = free
            .min_by_key(|(parent, due)| (**due, (*parent).clone()))
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
