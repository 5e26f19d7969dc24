//! What can be said in a condition: a closed list of types, each with the reasons it may have. Takes facts as words; gives
//! type, truth and reason, so that no condition can hold for a reason that denies it. The sentence is the caller's.

use super::super::words::unreachable_word;
use super::meaning::{Hindrance, of_complete, outcome, state_word};
use crate::api::v1::ConditionStatus;
use crate::api::v1::crawljob_status::CrawlState;
use crate::outside::store::Unreachable;

/// One condition: its type and why it is as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in super::super) enum Said {
    /// No anchor is seen (D7).
    AnchorMissing,
    /// Out of memory at the largest size allowed (Z1).
    AtMaximum(Maximum),
    /// The crawl reached its end in good order; if not, what keeps it from that beside its state.
    Complete(CrawlState, Hindrance),
    /// The crawl failed.
    Failed(CrawlState),
    /// The crawl is paused.
    Paused(CrawlState),
    /// The crawl waits for its org.
    Queued(CrawlState),
    /// The sites limit every crawler (E3).
    RateLimited,
    /// The register is observed and no result waits to be observed in it (E5).
    RegisterWritten(Echo),
    /// The spec can be used.
    SpecValid(Reading),
    /// The store answers and did not lose its data.
    StoreReachable(StoreWord),
    /// Volumes stay because something on them may be nowhere else (T6).
    UnsavedData,
}

/// Whose memory is at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub(in super::super) enum Maximum {
    /// A crawler's.
    Memory,
    /// Redis'.
    RedisMemory,
}

/// What the register was seen to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub(in super::super) enum Echo {
    /// Everything that counts.
    Observed,
    /// It is not there, or does not show a result that only the status knows.
    NotObserved,
    /// It is there and can't be read (D8).
    Unreadable,
    /// A result was proposed and is not seen yet.
    ResultNotObserved,
}

/// How the spec was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub(in super::super) enum Reading {
    /// As it is.
    Read,
    /// A time in it can't be read and counts as unset (O10).
    TimeIgnored,
    /// Not at all.
    Unusable,
}

/// What the store said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in super::super) enum StoreWord {
    /// It answered.
    Answered,
    /// It answered, without its data (S2).
    LostItsData,
    /// It could not be asked (S1).
    Unasked(Unreachable),
}

impl Said {
    /// The condition's type.
    pub(in super::super) const fn r#type(self) -> &'static str {
        match self {
            Self::AnchorMissing => "AnchorMissing",
            Self::AtMaximum(_) => "AtMaximum",
            Self::Complete(_, _) => "Complete",
            Self::Failed(_) => "Failed",
            Self::Paused(_) => "Paused",
            Self::Queued(_) => "Queued",
            Self::RateLimited => "RateLimited",
            Self::RegisterWritten(_) => "RegisterWritten",
            Self::SpecValid(_) => "SpecValid",
            Self::StoreReachable(_) => "StoreReachable",
            Self::UnsavedData => "UnsavedData",
        }
    }

    /// Whether it holds. Those that are there only when they apply always do.
    pub(in super::super) fn status(self) -> ConditionStatus {
        let holds = match self {
            Self::AnchorMissing | Self::AtMaximum(_) | Self::RateLimited | Self::UnsavedData => true,
            Self::Complete(state, _) => outcome(state).0,
            Self::Failed(state) => outcome(state).1,
            Self::Paused(state) => state == CrawlState::Paused,
            Self::Queued(state) => state == CrawlState::WaitingOrgLimit,
            Self::RegisterWritten(echo) => echo == Echo::Observed,
            Self::SpecValid(reading) => reading != Reading::Unusable,
            Self::StoreReachable(word) => word == StoreWord::Answered,
        };
        if holds {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        }
    }

    /// The reason, as one word.
    pub(in super::super) fn reason(self) -> String {
        let word = match self {
            Self::AnchorMissing => "NotFound",
            Self::AtMaximum(Maximum::Memory) => "Memory",
            Self::AtMaximum(Maximum::RedisMemory) => "RedisMemory",
            Self::Complete(state, hindrance) => match of_complete(state, hindrance) {
                (Some(word), _) => word,
                (None, _) => return state_word(state),
            },
            Self::Failed(state) | Self::Paused(state) | Self::Queued(state) => return state_word(state),
            Self::RateLimited => "SitesLimit",
            Self::RegisterWritten(Echo::Observed) => "Observed",
            Self::RegisterWritten(Echo::NotObserved) => "NotObserved",
            Self::RegisterWritten(Echo::Unreadable) => "Unreadable",
            Self::RegisterWritten(Echo::ResultNotObserved) => "ResultNotObserved",
            Self::SpecValid(Reading::Read) => "Read",
            Self::SpecValid(Reading::TimeIgnored) => "TimeIgnored",
            Self::SpecValid(Reading::Unusable) => "Unusable",
            Self::StoreReachable(StoreWord::Answered) => "Answered",
            Self::StoreReachable(StoreWord::LostItsData) => "LostItsData",
            Self::StoreReachable(StoreWord::Unasked(why)) => unreachable_word(why),
            Self::UnsavedData => "VolumeKept",
        };
        word.to_owned()
    }
}
