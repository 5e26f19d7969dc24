//! The closed words of one decision: what is judged, why a pod is called back, what a scale-down drops.
//!
//! Data only. The steps make these and read them; the order of [`Reason`] is the order in which reasons are tried.

use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::outside::store::Unreachable;

/// What the facts say about the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It goes on.
    Open,
    /// Every instance was rate limited by the sites (E3).
    RateLimited,
    /// It is over, once the register says so.
    Final(Verdict),
}

/// A final state and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The final state.
    pub(super) state: CrawlState,
    /// The rule that gave it.
    pub(super) rule: &'static str,
    /// One sentence.
    pub(super) because: &'static str,
    /// A stop reason that comes with it.
    pub(super) stop_reason: Option<StopReason>,
    /// The write may say `started` (E4: not this one).
    pub(super) sets_started: bool,
}

impl Verdict {
    pub(super) fn new(state: CrawlState, rule: &'static str, because: &'static str) -> Self {
        Self {
            state,
            rule,
            because,
            stop_reason: None,
            sets_started: true,
        }
    }
}

/// Why a pod is called back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub(super) enum Reason {
    /// Evicted, refused, shut down, or failed otherwise (O5).
    Lost,
    /// The store lost its data (S2).
    Blank,
    /// Nothing of it would be lost, and a pause is wished (P1).
    Flushed,
    /// At or above the scale, and finished or never ran (C2).
    ScaledAway,
    /// Succeeded without a final entry (I1).
    EndedEarly,
    /// A restart is due (R1). Of a crawler only, and of no job that is paused or over (R2).
    Restart,
    /// The register asks for more memory than it has (Z1).
    Grown,
    /// The spec asks for another number of browsers (Z3).
    Workers,
    /// Redis has nothing to do (D4).
    RedisIdle,
    /// The crawl is over, or the job is deleted (T1).
    Teardown,
}

impl Reason {
    /// The rule that gives this reason.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Lost => "O5",
            Self::Blank => "S2",
            Self::Flushed => "P1",
            Self::ScaledAway => "C2",
            Self::EndedEarly => "I1",
            Self::Restart => "R1",
            Self::Grown => "Z1",
            Self::Workers => "Z3",
            Self::RedisIdle => "D4",
            Self::Teardown => "T1",
        }
    }

    /// The reason in words.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Lost => "the pod is lost",
            Self::Blank => "the store lost its data",
            Self::Flushed => "everything it had is saved and a pause is wished",
            Self::ScaledAway => "scaled away",
            Self::EndedEarly => "it ended before its work was done",
            Self::Restart => "a restart was asked for",
            Self::Grown => "it needs more memory",
            Self::Workers => "it needs another number of browsers",
            Self::RedisIdle => "nothing needs Redis",
            Self::Teardown => "the crawl is over",
        }
    }
}

/// Why an observed pod or volume stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Deserialize))]
pub(super) enum Stay {
    /// It is terminating (O4).
    Leaving,
    /// An instance that is wanted has it (D1).
    Wanted,
    /// Its instance is finished, and the crawl is not over (I1).
    Finished,
    /// At or above the scale; it goes from the top, once its work is done (C2).
    ScaledAway,
    /// A pause is wished, and not everything it has is known to be saved (P1).
    Unsaved,
    /// Redis is wanted (D4).
    RedisWanted,
    /// Volumes are listed until they may go (D3).
    VolumeListed,
    /// It may hold what exists nowhere else (T6).
    VolumeUnsaved,
    /// Others go first (T1).
    NotItsTurn,
    /// A result waits to be observed in the register (E5).
    ResultProposed,
    /// The register is not observed (D8).
    NoRegister,
    /// The spec can't be used (D8).
    SpecUnusable,
    /// The parent leaves its children behind (T5).
    Orphaned,
}

impl Stay {
    /// The rule that gives this reason.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Leaving => "O4",
            Self::Wanted => "D1",
            Self::Finished => "I1",
            Self::ScaledAway => "C2",
            Self::Unsaved => "P1",
            Self::RedisWanted => "D4",
            Self::VolumeListed => "D3",
            Self::VolumeUnsaved => "T6",
            Self::NotItsTurn => "T1",
            Self::ResultProposed => "E5",
            Self::NoRegister | Self::SpecUnusable => "D8",
            Self::Orphaned => "T5",
        }
    }

    /// The reason in words.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Leaving => "leaving",
            Self::Wanted => "wanted",
            Self::Finished => "finished; it goes when the crawl is over",
            Self::ScaledAway => "scaled away; it goes in its turn, with its work done",
            Self::Unsaved => "a pause is wished; its work is not saved yet",
            Self::RedisWanted => "the crawl needs its store",
            Self::VolumeListed => "volumes stay listed",
            Self::VolumeUnsaved => "it may hold what is nowhere else",
            Self::NotItsTurn => "crawlers go first, then Redis, then volumes",
            Self::ResultProposed => "the result is not seen in the register yet",
            Self::NoRegister => "the register is not seen",
            Self::SpecUnusable => "the spec can't be used",
            Self::Orphaned => "left behind on purpose",
        }
    }
}

/// What goes in this call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drop {
    /// The pod of this instance.
    Pod(u32),
    /// The volume of this instance.
    Volume(u32),
}

/// Why a store can't be asked, as one word.
pub(super) fn unreachable_word(why: Unreachable) -> &'static str {
    match why {
        Unreachable::NoPod => "NoRedisPod",
        Unreachable::NotRunning => "RedisNotRunning",
        Unreachable::Disabled => "StoreDisabled",
        Unreachable::Refused => "ConnectionRefused",
        Unreachable::Timeout => "Timeout",
        Unreachable::ErrorAnswer => "ErrorAnswer",
        Unreachable::Garbage => "NotUnderstood",
        Unreachable::OtherJob => "StoreOfAnotherJob",
    }
}
