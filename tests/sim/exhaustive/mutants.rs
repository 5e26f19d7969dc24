//! Decisions that are wrong on purpose, one for each law at least: a wrong look at what is there, or a wrong answer about it.
//! A search that does not find them would not find a bug either.

use std::sync::atomic::{AtomicBool, Ordering};

use rollcall::desired::{Child, Finalized};
use rollcall::hooks::crawljob::decide::Decision;
use rollcall::hooks::crawljob::observed::Observed;
use rollcall::hooks::crawljob::register::{Register, RegisterSeen};
use rollcall::hooks::crawljob::spec::Storage;
use rollcall::outside::store::{Entry, StoreReading, StoreView};

use super::call::{Target, target};
use super::laws::Law;

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

fn other_order(_: &Observed, decision: &mut Decision) {
    static ODD: AtomicBool = AtomicBool::new(false);
    if ODD.fetch_xor(true, Ordering::Relaxed) {
        decision.children.reverse();
    }
}

fn saved_is_done(observed: &mut Observed) {
    if let Ok(spec) = &mut observed.spec {
        spec.storage.get_or_insert(Storage {
            secret: "storage-default".to_owned(),
            path: None,
            filename: None,
        });
    }
}

/// Leaves out the children of this kind; no verdict says so.
fn leave_out(decision: &mut Decision, out: impl Fn(Target) -> bool) {
    decision.children.retain(|child| !out(target(child)));
}

fn no_redis_volume(observed: &Observed, decision: &mut Decision) {
    let done = store(observed).is_some_and(|view| view.files.total > 0);
    if done {
        leave_out(decision, |one| one == Target::RedisVolume);
    }
}

fn all_at_once(observed: &Observed, decision: &mut Decision) {
    let scale = observed.spec.as_ref().map_or(0, |spec| spec.scale as usize);
    if decision.verdicts.iter().any(|verdict| verdict.rule == "C2") {
        leave_out(decision, |one| match one {
            Target::Crawler(index) | Target::CrawlerVolume(index) => index >= scale,
            Target::Redis | Target::RedisVolume | Target::Config | Target::Register => false,
        });
        for verdict in &mut decision.verdicts {
            if verdict.kind == "PersistentVolumeClaim" {
                verdict.rule = "C3";
                verdict.does = rollcall::desired::Does::CallBack;
            }
        }
    }
}

fn kill_to_stop(observed: &Observed, decision: &mut Decision) {
    if observed.spec.as_ref().is_ok_and(|spec| spec.stopping) {
        leave_out(decision, |one| matches!(one, Target::Crawler(_)));
    }
}

fn nothing_leaves(observed: &mut Observed) {
    for volume in observed.volumes.values_mut().chain(&mut observed.redis_volume) {
        volume.terminating = false;
    }
}

/// Changes the register that is answered.
fn rewrite(decision: &mut Decision, change: impl Fn(&mut Register)) {
    for child in &mut decision.children {
        if target(child) != Target::Register {
            continue;
        }
        if let Child::ConfigMap(map) = child {
            let mut register = super::call::read(map);
            change(&mut register);
            map.data = Some(rollcall::hooks::crawljob::register::encode(&register, "{}"));
        }
    }
}

fn forget_renewed(observed: &Observed, decision: &mut Decision) {
    let known = readable(observed).is_some_and(|register| register.state.renewed);
    rewrite(decision, |register| register.state.renewed &= !known);
}

fn trust_the_status(observed: &Observed, decision: &mut Decision) {
    if observed.previous.state.is_none() && readable(observed).is_some() {
        decision.children.retain(|child| !matches!(child, Child::Pod(_)));
    }
}

fn skip_lines(observed: &mut Observed) {
    let total = store(observed).map_or(0, |view| view.files.total);
    let hash = store(observed).and_then(|view| view.files.first_hash.clone());
    if let RegisterSeen::Readable(register, _) = &mut observed.register {
        register.state.files.lines = total;
        register.state.files.first_hash = hash;
    }
    if let StoreReading::Reachable(view) = &mut observed.store {
        view.files.from = total;
        view.files.lines.clear();
    }
}

fn finalized_early(observed: &Observed, decision: &mut Decision) {
    if observed.finalizing && observed.crawlers.is_empty() && observed.redis.is_none() {
        decision.finalized = Finalized::Yes;
    }
}

fn no_order(observed: &Observed, decision: &mut Decision) {
    if observed.finalizing {
        decision.children.clear();
    }
}

fn silence_is_empty(observed: &mut Observed) {
    let StoreReading::Unreachable(_) = observed.store else {
        return;
    };
    let started = readable(observed).is_some_and(|register| register.state.started);
    if started {
        observed.store = StoreReading::Reachable(Box::new(super::show::empty_store()));
    }
}

fn missing_is_done(observed: &mut Observed) {
    let present: Vec<u32> = observed.crawlers.keys().copied().collect();
    if let StoreReading::Reachable(view) = &mut observed.store {
        for (index, entry) in &mut view.entries {
            if !present.contains(index) {
                *entry = Entry::Done;
            }
        }
    }
}

fn interrupted_is_failed(observed: &mut Observed) {
    if let StoreReading::Reachable(view) = &mut observed.store {
        for entry in view.entries.values_mut() {
            if *entry == Entry::Interrupted {
                *entry = Entry::Failed;
            }
        }
    }
}

fn no_register(observed: &Observed, decision: &mut Decision) {
    if observed.crawlers.is_empty() && readable(observed).is_some_and(|register| register.state.result.is_some()) {
        leave_out(decision, |one| one == Target::Register);
    }
}

fn never_again(observed: &Observed, decision: &mut Decision) {
    if observed.volumes.values().next().is_some() {
        decision
            .children
            .retain(|child| !matches!(child, Child::Pod(_)) || target(child) == Target::Redis);
    }
}

fn store(observed: &Observed) -> Option<&StoreView> {
    match &observed.store {
        StoreReading::Reachable(view) => Some(view),
        StoreReading::Unreachable(_) => None,
    }
}

fn readable(observed: &Observed) -> Option<&Register> {
    match &observed.register {
        RegisterSeen::Readable(register, _) => Some(register),
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => None,
    }
}
