//! Decisions that are wrong on purpose, one for each law at least: a wrong look at what is there, or a wrong answer about it.
//! A search that does not find them would not find a bug either.

mod ideas;

use rollcall::hooks::crawljob::decide::Decision;
use rollcall::hooks::crawljob::observed::Observed;

use super::laws::Law;
use ideas::{
    all_at_once, finalized_early, forget_renewed, interrupted_is_failed, kill_to_stop, missing_is_done, never_again,
    no_order, no_redis_volume, no_register, nothing_leaves, other_order, saved_is_done, silence_is_empty, skip_lines,
    trust_the_status,
};

/// One wrong idea, and who must notice: a law, or nobody but the settling (unset).
#[derive(Debug, Clone, Copy)]
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) breaks: Option<Law>,
    /// Name of the model in which it is looked for.
    pub(super) model: &'static str,
    idea: Idea,
}

#[derive(Debug, Clone, Copy)]
enum Idea {
    Sees(fn(&mut Observed)),
    Does(fn(&Observed, &mut Decision)),
}

impl Mutant {
    pub(super) fn sees(&self, mut observed: Observed) -> Observed {
        if let Idea::Sees(wrong) = self.idea {
            wrong(&mut observed);
        }
        observed
    }

    pub(super) fn does(&self, observed: &Observed, mut decision: Decision) -> Decision {
        if let Idea::Does(wrong) = self.idea {
            wrong(observed, &mut decision);
        }
        decision
    }
}

const fn sees(name: &'static str, model: &'static str, breaks: Law, wrong: fn(&mut Observed)) -> Mutant {
    Mutant {
        name,
        breaks: Some(breaks),
        model,
        idea: Idea::Sees(wrong),
    }
}

const fn does(name: &'static str, model: &'static str, breaks: Law, wrong: fn(&Observed, &mut Decision)) -> Mutant {
    Mutant {
        name,
        breaks: Some(breaks),
        model,
        idea: Idea::Does(wrong),
    }
}

pub(super) const ALL: &[Mutant] = &[
    does(
        "answers every other call in another order",
        "undisturbed",
        Law::EqualInputGivesEqualAnswers,
        other_order,
    ),
    sees(
        "takes a done crawler for a saved one",
        "no storage",
        Law::UnsavedPagesKeepTheirVolume,
        saved_is_done,
    ),
    does(
        "lets the Redis volume go with the crawlers",
        "undisturbed",
        Law::EveryFileIsInTheRegister,
        no_redis_volume,
    ),
    does(
        "scales down all at once",
        "scaling",
        Law::ScalingDownGoesStepByStep,
        all_at_once,
    ),
    does(
        "stops crawlers by deleting them",
        "pausing",
        Law::WorkIsInterruptedForAReasonOnly,
        kill_to_stop,
    ),
    sees(
        "does not see that a volume leaves",
        "scaling",
        Law::NothingIsMadeBesideALeavingVolume,
        nothing_leaves,
    ),
    does(
        "forgets that the store was renewed",
        "losing the store",
        Law::TheRegisterOnlyGrows,
        forget_renewed,
    ),
    does(
        "needs the status to go on",
        "losing pods",
        Law::StatusIsOnlyACache,
        trust_the_status,
    ),
    sees(
        "skips file lines",
        "undisturbed",
        Law::AVerdictKnowsEveryFile,
        skip_lines,
    ),
    does(
        "lets the parent go before its volumes",
        "cancel",
        Law::FinalizedMeansNothingIsLeft,
        finalized_early,
    ),
    does(
        "takes down everything in one call",
        "cancel",
        Law::TeardownKeepsItsOrder,
        no_order,
    ),
    sees(
        "takes silence for an empty store",
        "losing pods",
        Law::AnUnreachableStoreConcludesNothing,
        silence_is_empty,
    ),
    sees(
        "counts a missing pod as done",
        "losing pods",
        Law::CompleteMeansComplete,
        missing_is_done,
    ),
    sees(
        "takes interrupted for failed",
        "restarting",
        Law::FaultsFailNoCrawl,
        interrupted_is_failed,
    ),
    does(
        "drops the register with the pods",
        "undisturbed",
        Law::TheRegisterStays,
        no_register,
    ),
    Mutant {
        name: "tells the store nothing",
        breaks: None,
        model: "pausing",
        idea: Idea::Does(|_, decision| decision.effects.clear()),
    },
    Mutant {
        name: "never makes a pod again",
        breaks: None,
        model: "losing pods",
        idea: Idea::Does(never_again),
    },
];
