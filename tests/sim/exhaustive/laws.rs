//! The laws that every step keeps: the invariants I-1 to I-29 as `hooks/crawljob/README.md` has them by now, each with a
//! count of how often it had something to say. A law that never had is as good as none.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rollcall::api::v1::crawljob_status::CrawlState;
use rollcall::desired::Does;
use rollcall::hooks::crawljob::decide::Decision;
use rollcall::hooks::crawljob::observed::Observed;
use rollcall::hooks::crawljob::register::Register;
use rollcall::observed::Timestamp;

use super::call::{Decider, Effect, Target, View, fingerprint, no_status, rule, shown, target};
use super::show;
use super::state::{N, Parent, World};

macro_rules! laws {
    ($($name:ident: $says:literal,)+) => {
        /// What must hold, always.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Law { $(#[doc = $says] $name,)+ }

        impl Law {
            /// Every law with its words.
            pub(super) const ALL: &'static [(Self, &'static str)] = &[$((Self::$name, $says),)+];
        }
    };
}

laws! {
    EqualInputGivesEqualAnswers: "I-2 (M2) equal input gives an equal answer, a second later one with the same children",
    UnsavedPagesKeepTheirVolume: "I-3 (D3, T6) no volume with unsaved pages goes, unless the job is deleted",
    EveryFileIsInTheRegister: "I-4 (T1) when the Redis volume goes, the register has read every file line",
    ScalingDownGoesStepByStep: "I-5 (C2, C3) one step of scaling down a call, from the top",
    WorkIsInterruptedForAReasonOnly: "I-7 (D5) a crawler that has a page or unsaved ones is deleted by S2, R1, Z1, Z3 or a deletion only",
    NothingIsMadeBesideALeavingVolume: "I-8 (D2) no pod is made on a volume that is leaving",
    TheRegisterOnlyGrows: "I-9 (S2, S4, E5) what the register says for good stays said",
    StatusIsOnlyACache: "I-11 (M3) without its status the answer has the same children",
    AVerdictKnowsEveryFile: "I-16 (S3) a result is written with every announced file counted",
    FinalizedMeansNothingIsLeft: "I-19 (T4) finalized is said when nothing is shown, and then always (I-22)",
    TeardownKeepsItsOrder: "I-23 (T1) crawlers, then Redis, then volumes",
    AnUnreachableStoreConcludesNothing: "I-24 (S1) without the store nothing is called back but by O5, R1, Z1 and Z3",
    CompleteMeansComplete: "E1 a crawl that nobody stopped is complete with every page done and saved",
    FaultsFailNoCrawl: "E2 (E3) crawlers that do not fail make no failed crawl",
    TheRegisterStays: "D8 only a deletion takes the register",
}

impl Law {
    pub(super) fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

/// How often each law was put to the test, and what was seen on the way.
#[derive(Debug)]
pub(super) struct Tally {
    judged: Vec<AtomicU64>,
    states: Mutex<BTreeSet<CrawlState>>,
    rules: Mutex<BTreeSet<&'static str>>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            judged: Law::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            states: Mutex::default(),
            rules: Mutex::default(),
        }
    }

    /// Counts a law that has something to say; gives its bit when it is broken.
    pub(super) fn judge(&self, law: Law, applies: bool, kept: bool) -> u32 {
        if applies {
            self.judged[law as usize].fetch_add(1, Ordering::Relaxed);
        }
        if applies && !kept { law.bit() } else { 0 }
    }

    pub(super) fn judged(&self, law: Law) -> u64 {
        self.judged[law as usize].load(Ordering::Relaxed)
    }

    /// States that were shown.
    pub(super) fn states(&self) -> BTreeSet<CrawlState> {
        self.states.lock().unwrap().clone()
    }

    /// Rules that called a child back.
    pub(super) fn rules(&self) -> BTreeSet<&'static str> {
        self.rules.lock().unwrap().clone()
    }

    pub(super) fn note(&self, decision: &Decision) {
        self.states.lock().unwrap().insert(decision.status.state);
        let called_back = decision
            .verdicts
            .iter()
            .filter(|verdict| verdict.does == Does::CallBack);
        self.rules
            .lock()
            .unwrap()
            .extend(called_back.map(|verdict| verdict.rule));
    }
}

/// Laws that one answer can break.
pub(super) fn of_one_answer(decider: &Decider, view: &View, observed: &Observed, decision: &Decision) -> u32 {
    let tally = &*decider.tally;
    let left_out = left_out(view, decision);
    equal_answers(decider, view, observed, decision)
        | finalized(tally, view, decision)
        | order(tally, view, &left_out)
        | unreachable_store(tally, view, &left_out)
        | scaling_down(tally, view, &left_out)
        | made_beside_a_leaving_volume(tally, view, decision)
}

/// One call of eight is made again, and a second later.
fn equal_answers(decider: &Decider, view: &View, observed: &Observed, decision: &Decision) -> u32 {
    if !fingerprint(view).is_multiple_of(8) {
        return 0;
    }
    let later = Timestamp::from_second(show::now().as_second() + 1).unwrap();
    let equal = decider.decide(observed, show::now()) == *decision;
    let names = |decision: &Decision| decision.children.iter().map(target).collect::<Vec<_>>();
    let stays = names(&decider.decide(observed, later)) == names(decision);
    decider
        .tally
        .judge(Law::EqualInputGivesEqualAnswers, true, equal && stays)
}

fn left_out(view: &View, decision: &Decision) -> Vec<(Target, &'static str)> {
    let answered: Vec<Target> = decision.children.iter().map(target).collect();
    let missing = shown(view).into_iter().filter(|one| !answered.contains(one));
    missing.map(|one| (one, rule(decision, one))).collect()
}

/// M3 with its exceptions: D8 while no register is observed, E5 for a final status that the register does not know.
pub(super) fn of_status(decider: &Decider, view: &View, effects: &[Effect]) -> u32 {
    let blank = no_status();
    let status = &view.parent.status;
    let over = status.state.is_some_and(CrawlState::is_final);
    if view.maps.register.is_none() || over || **status == blank {
        return 0;
    }
    let amnesic = View {
        parent: Arc::new(Parent {
            status: Arc::new(blank),
            ..(*view.parent).clone()
        }),
        ..view.clone()
    };
    let others = |effects: &[Effect]| -> Vec<Effect> {
        let others = effects.iter().filter(|effect| !matches!(effect, Effect::Status(_)));
        others.cloned().collect()
    };
    let kept = others(&decider.outcome(&amnesic).effects) == others(effects);
    decider.tally.judge(Law::StatusIsOnlyACache, true, kept)
}

fn finalized(tally: &Tally, view: &View, decision: &Decision) -> u32 {
    use rollcall::desired::Finalized;
    let nothing = shown(view).is_empty();
    let kept = (decision.finalized == Finalized::Yes) == nothing;
    tally.judge(Law::FinalizedMeansNothingIsLeft, view.parent.deleting, kept)
}

/// T1: a teardown takes Redis once no crawler pod is shown, and volumes once no pod is.
fn order(tally: &Tally, view: &View, left_out: &[(Target, &'static str)]) -> u32 {
    let crawlers = view.pods.crawlers.iter().any(Option::is_some);
    let pods = crawlers || view.pods.redis.is_some();
    let mut broken = 0;
    for (target, rule) in left_out.iter().filter(|(_, rule)| ["T1", "T6", ""].contains(rule)) {
        let early = match target {
            Target::Crawler(_) => false,
            Target::Redis => crawlers,
            Target::CrawlerVolume(_) | Target::RedisVolume => pods || rule.is_empty(),
            Target::Config | Target::Register => pods,
        };
        broken |= tally.judge(Law::TeardownKeepsItsOrder, true, !early);
    }
    broken
}

fn unreachable_store(tally: &Tally, view: &View, left_out: &[(Target, &'static str)]) -> u32 {
    let over = view
        .maps
        .register
        .as_ref()
        .is_some_and(|register| register.state.result.is_some());
    let started = view
        .maps
        .register
        .as_ref()
        .is_some_and(|register| register.state.started);
    if view.store.is_some() || over || view.parent.deleting || !started {
        return 0;
    }
    let kept = left_out.iter().all(|(_, rule)| ["O5", "R1", "Z1", "Z3"].contains(rule));
    tally.judge(Law::AnUnreachableStoreConcludesNothing, !shown(view).is_empty(), kept)
}

fn scaling_down(tally: &Tally, view: &View, left_out: &[(Target, &'static str)]) -> u32 {
    let steps: Vec<_> = left_out
        .iter()
        .filter(|(_, rule)| ["C2", "C3"].contains(rule))
        .collect();
    let scale = usize::from(view.parent.spec.scale);
    let kept = steps.iter().all(|(target, _)| {
        let (Target::Crawler(index) | Target::CrawlerVolume(index)) = *target else {
            return false;
        };
        let higher = (index + 1..N).any(|above| view.pods.crawlers[above].is_some());
        // C4: what was handed back is dropped below the scale too, and made anew.
        let handed_back = view.store.as_ref().is_some_and(|store| store.stop_one[index]);
        handed_back || (index >= scale && !higher)
    });
    tally.judge(
        Law::ScalingDownGoesStepByStep,
        !steps.is_empty(),
        kept && steps.len() == 1 && scale > 0,
    )
}

fn made_beside_a_leaving_volume(tally: &Tally, view: &View, decision: &Decision) -> u32 {
    let leaving: Vec<Target> = (0..N)
        .filter(|index| view.volumes.crawlers[*index].is_some_and(|volume| volume.leaving))
        .map(Target::Crawler)
        .chain(
            view.volumes
                .redis
                .filter(|volume| volume.leaving)
                .map(|_| Target::Redis),
        )
        .collect();
    let shown = shown(view);
    let made = decision.children.iter().map(target).filter(|one| !shown.contains(one));
    let kept = made.into_iter().all(|one| !leaving.contains(&one));
    tally.judge(Law::NothingIsMadeBesideALeavingVolume, !leaving.is_empty(), kept)
}

/// Laws about what the register says from now on.
pub(super) fn of_register(world: &World, before: Option<&Register>, after: &Register, tally: &Tally) -> u32 {
    let mut broken = 0;
    if let Some(before) = before {
        broken |= tally.judge(Law::TheRegisterOnlyGrows, true, grows(before, after));
    }
    let is_new = before.is_none_or(|before| before.state.result.is_none());
    let Some(result) = after.state.result.filter(|_| is_new) else {
        return broken;
    };
    // Those of a list that went with its volume were counted or not: in finalize nothing waits for the register (T2).
    let files = u64::from(world.store.files);
    let all = after.state.files.lines == files && after.state.files.count >= files;
    let undisturbed = !world.past.store_lost && !world.past.register_lost;
    broken |= tally.judge(Law::AVerdictKnowsEveryFile, undisturbed && world.store.files > 0, all);
    let volumes = world.objects.volumes.crawlers.iter().flatten();
    let stays = world.objects.parent.as_ref().is_some_and(|parent| !parent.spec.storage);
    let saved = stays || volumes.map(|volume| volume.unsaved).sum::<u8>() == 0;
    let over = world.store.nothing_left() && saved;
    let whole = result == CrawlState::Complete && after.state.stop_reason.is_none() && undisturbed;
    broken |= tally.judge(Law::CompleteMeansComplete, whole, over);
    broken | tally.judge(Law::FaultsFailNoCrawl, true, result != CrawlState::Failed)
}

fn grows(before: &Register, after: &Register) -> bool {
    let (old, new) = (&before.state, &after.state);
    let flags = new.started >= old.started && new.marked >= old.marked && new.renewed >= old.renewed;
    let reasons = old.stop_reason.is_none() || new.stop_reason == old.stop_reason;
    let results = old.result.is_none() || new.result == old.result;
    let pages = |register: &Register| register.state.counters.map_or((0, 0), |one| (one.found, one.done));
    let (found, done) = (pages(before), pages(after));
    let counted = new.files.count >= old.files.count && done.0 >= found.0 && done.1 >= found.1;
    flags && reasons && results && counted
}
