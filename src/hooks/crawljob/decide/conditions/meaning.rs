//! What a state means to the conditions that people wait for. Takes a state, and whether the store keeps it from becoming
//! another; gives words and truth values.

use super::super::sight::{Sight, StoreSight};
use crate::api::v1::crawljob_status::CrawlState;

/// What a state says to `Complete` and `Failed`.
pub(super) fn outcome(state: CrawlState) -> (bool, bool) {
    match state {
        CrawlState::Complete | CrawlState::StoppedByUser | CrawlState::StoppedPauseExpired => (true, false),
        CrawlState::Failed | CrawlState::FailedNotLoggedIn => (false, true),
        CrawlState::Starting
        | CrawlState::WaitingCapacity
        | CrawlState::WaitingOrgLimit
        | CrawlState::Running
        | CrawlState::PendingWait
        | CrawlState::GenerateWacz
        | CrawlState::UploadingWacz
        | CrawlState::RateLimited
        | CrawlState::Pausing
        | CrawlState::Paused
        | CrawlState::Canceled => (false, false),
    }
}

/// What keeps a crawl from being judged complete, beyond its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub(in super::super) enum Hindrance {
    /// None.
    Nothing,
    /// S1: the store can't be asked.
    StoreUnreachable,
    /// S2: the store lost its data.
    StoreLostItsData,
}

impl Hindrance {
    /// The store counts once it was there, and while somebody needs it: not before the start, while held, or while it idles.
    pub(super) fn of(sight: &Sight<'_>) -> Self {
        let needed = sight.state().started && !sight.hold() && (sight.any_placed() || sight.observed.redis.is_some());
        match sight.store {
            StoreSight::Unreachable if needed => Self::StoreUnreachable,
            StoreSight::Blank(_) => Self::StoreLostItsData,
            StoreSight::Usable(_) | StoreSight::Unreachable => Self::Nothing,
        }
    }
}

/// Message of `Complete`, and the store's reason where it has one; otherwise the state's word is the reason.
pub(super) fn of_complete(state: CrawlState, hindrance: Hindrance) -> (Option<&'static str>, &'static str) {
    let (complete, _) = outcome(state);
    match (complete, state.is_final(), hindrance) {
        (true, _, _) if state == CrawlState::Complete => (None, "The crawl is complete and every file is recorded."),
        (true, _, _) => (None, "The crawl was stopped and every file is recorded."),
        (false, true, _) => (None, "The crawl is over and is not complete."),
        (false, false, Hindrance::Nothing) => (None, "The crawl goes on."),
        (false, false, Hindrance::StoreUnreachable) => (
            Some("StoreUnreachable"),
            "Nothing is concluded while the store can't be asked.",
        ),
        (false, false, Hindrance::StoreLostItsData) => (
            Some("StoreLostItsData"),
            "Nothing is concluded from a store that lost its data.",
        ),
    }
}

/// The state as a condition reason: `pending-wait` gives `PendingWait`.
pub(super) fn state_word(state: CrawlState) -> String {
    let mut reason = String::new();
    let mut upper = true;
    for letter in state.word().chars() {
        if letter == '_' || letter == '-' {
            upper = true;
        } else {
            reason.push(if upper { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        }
    }
    reason
}
