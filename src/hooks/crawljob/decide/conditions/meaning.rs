//! What a state means to the conditions that people wait for. Takes a state; gives words and truth values, and knows nothing
//! of the job.

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

pub(super) fn complete_message(state: CrawlState) -> &'static str {
    let (complete, _) = outcome(state);
    match (complete, state.is_final()) {
        (true, _) => "The crawl is complete and every file is recorded.",
        (false, true) => "The crawl is over and is not complete.",
        (false, false) => "The crawl goes on.",
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
