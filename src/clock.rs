//! The only reader of time. Gives the instant a decision is made for, and durations for the log.
//!
//! It does not round: which part of an instant matters is a matter of the rules.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::observed::Timestamp;

/// Where the time comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's wall clock.
    System,
    /// One instant for ever: replay.
    Frozen(Timestamp),
    /// Whatever was set last: the demo and the tests.
    Manual(ManualClock),
}

impl Clock {
    /// The instant of this call.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place where time enters")]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Frozen(instant) => *instant,
            Self::Manual(clock) => clock.now(),
        }
    }
}

/// A clock that stands still until it is set; clones share the instant.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<RwLock<Timestamp>>);

impl ManualClock {
    /// Starts at `instant`.
    #[must_use]
    pub fn new(instant: Timestamp) -> Self {
        Self(Arc::new(RwLock::new(instant)))
    }

    /// The instant set last.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        // A plain value can't be left half written, so a panic elsewhere while it was locked does not matter.
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the instant, also backwards.
    pub fn set(&self, instant: Timestamp) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = instant;
    }
}

/// Measures steps, from one lap to the next. Unaffected by changes of the wall clock.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start or the last lap; starts the next.
    pub fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now.saturating_duration_since(self.0);
        self.0 = now;
        lap
    }

    /// Time since the start or the last lap.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_is_shared_and_can_go_back() {
        let (early, late) = (Timestamp::UNIX_EPOCH, Timestamp::MAX);
        let hand = ManualClock::new(late);
        let clock = Clock::Manual(hand.clone());
        hand.set(early);
        assert_eq!(clock.now(), early);
        assert_eq!(clock.now(), early);
    }

    #[test]
    fn a_frozen_clock_stands_still() {
        assert_eq!(Clock::Frozen(Timestamp::UNIX_EPOCH).now(), Timestamp::UNIX_EPOCH);
    }
}
