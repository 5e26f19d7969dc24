//! One call: what the caches and the store show, the shipped decision about it, and the effects that the caller draws from
//! the answer, in its order. Decisions are kept by view: many states of the cluster look the same to the hook.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rollcall::api::v1::CrawlJobStatus;
use rollcall::api::v1::crawljob_status::CrawlState;
use rollcall::desired::{Child, Does, Finalized};
use rollcall::hooks::crawljob::decide::{Decision, decide};
use rollcall::hooks::crawljob::observed::{Observed, Previous};
use rollcall::hooks::crawljob::register::{self, Register, RegisterSeen};
use rollcall::observed::{ConfigMap, Timestamp, time};
use rollcall::outside::store::StoreWrite;
use rollcall::policy::CrawlPolicy;

use super::laws::{self, Tally};
use super::mutants::Mutant;
use super::show;
use super::state::{Maps, Parent, Pods, Store, Volumes};

/// What one request and one read of the store show.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct View {
    pub(super) parent: Arc<Parent>,
    pub(super) pods: Pods,
    pub(super) volumes: Volumes,
    pub(super) maps: Arc<Maps>,
    /// Unset: there was nobody to ask, or no answer.
    pub(super) store: Option<Store>,
}

/// A child by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Crawler(usize),
    CrawlerVolume(usize),
    Redis,
    RedisVolume,
    Config,
    Register,
}

/// What the caller does with an answer, or the hook with the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Effect {
    Tell(StoreWrite),
    /// Left out, so deleted: with the rule that says so.
    Delete(Target, &'static str),
    Make(Target),
    MakeCrawler {
        index: usize,
        restarted: bool,
        memory: u64,
    },
    Register(Arc<Register>),
    Status(Arc<Previous>),
    /// The finalizer goes; nothing else is done.
    Finalized,
}

/// What comes of one view.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Outcome {
    pub(super) effects: Vec<Effect>,
    /// Laws of one answer that it broke.
    pub(super) broken: u32,
}

/// The decision behind every call of a search, right or wrong on purpose.
#[derive(Debug)]
pub(super) struct Decider {
    pub(super) policy: CrawlPolicy,
    pub(super) mutant: Option<Mutant>,
    pub(super) tally: Arc<Tally>,
    known: Vec<Mutex<HashMap<View, Arc<Outcome>>>>,
}

const SHARDS: usize = 16;

impl Decider {
    pub(super) fn new(mutant: Option<Mutant>) -> Self {
        Self {
            policy: show::policy(),
            mutant,
            tally: Arc::new(Tally::new()),
            known: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }

    /// Different views that were decided.
    pub(super) fn views(&self) -> usize {
        self.known.iter().map(|shard| shard.lock().unwrap().len()).sum()
    }

    pub(super) fn outcome(&self, view: &View) -> Arc<Outcome> {
        let shard = &self.known[usize::try_from(fingerprint(view)).unwrap_or(0) % SHARDS];
        if let Some(known) = shard.lock().unwrap().get(view) {
            return Arc::clone(known);
        }
        let outcome = Arc::new(self.work_out(view));
        shard.lock().unwrap().entry(view.clone()).or_insert(outcome).clone()
    }

    /// The decision about `observed`, as the mutant would have it.
    pub(super) fn decide(&self, observed: &Observed, now: Timestamp) -> Decision {
        let Some(mutant) = self.mutant else {
            return decide(observed, now, &self.policy);
        };
        let seen = mutant.sees(observed.clone());
        mutant.does(observed, decide(&seen, now, &self.policy))
    }

    pub(super) fn work_out(&self, view: &View) -> Outcome {
        let observed = show::observed(view, &self.policy);
        let decision = self.decide(&observed, show::now());
        self.tally.note(&decision);
        let effects = effects(view, &observed, &decision);
        let broken = laws::of_one_answer(self, view, &observed, &decision) | laws::of_status(self, view, &effects);
        Outcome { effects, broken }
    }
}

pub(super) fn fingerprint(view: &View) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    view.hash(&mut hasher);
    hasher.finish()
}

/// The store is told before the answer is sent; the caller deletes first, then makes and updates, then writes the status.
fn effects(view: &View, observed: &Observed, decision: &Decision) -> Vec<Effect> {
    let mut effects: Vec<Effect> = decision.effects.iter().cloned().map(Effect::Tell).collect();
    match decision.finalized {
        Finalized::Yes => {
            effects.push(Effect::Finalized);
            return effects;
        }
        Finalized::No | Finalized::NotAsked => {}
    }
    let answered: Vec<Target> = decision.children.iter().map(target).collect();
    for one in shown(view) {
        if !answered.contains(&one) {
            effects.push(Effect::Delete(one, rule(decision, one)));
        }
    }
    for child in &decision.children {
        effects.extend(made(view, child));
    }
    let status = Arc::new(previous(&decision.status));
    if *status != observed.previous {
        effects.push(Effect::Status(status));
    }
    effects
}

/// Children that the caches show.
pub(super) fn shown(view: &View) -> Vec<Target> {
    let mut all = Vec::new();
    for index in 0..super::state::N {
        all.extend(view.pods.crawlers[index].map(|_| Target::Crawler(index)));
    }
    all.extend(view.pods.redis.map(|_| Target::Redis));
    for index in 0..super::state::N {
        all.extend(view.volumes.crawlers[index].map(|_| Target::CrawlerVolume(index)));
    }
    all.extend(view.volumes.redis.map(|_| Target::RedisVolume));
    all.extend(view.maps.config.then_some(Target::Config));
    all.extend(view.maps.register.as_ref().map(|_| Target::Register));
    all
}

/// The child that an answer names.
pub(super) fn target(child: &Child) -> Target {
    let named = |kind: &str, name: &str| named(kind, name).unwrap_or_else(|| panic!("{kind} {name} is no child"));
    match child {
        Child::Reference(one) => named(one.kind, &one.name),
        Child::Pod(one) => named("Pod", one.metadata.name.as_deref().unwrap()),
        Child::Volume(one) => named("PersistentVolumeClaim", one.metadata.name.as_deref().unwrap()),
        Child::ConfigMap(one) => named("ConfigMap", one.metadata.name.as_deref().unwrap()),
    }
}

fn named(kind: &str, name: &str) -> Option<Target> {
    let index = || name.strip_prefix("crawl-news-")?.parse().ok();
    match (kind, name) {
        ("Pod", "redis-news") => Some(Target::Redis),
        ("PersistentVolumeClaim", "redis-news") => Some(Target::RedisVolume),
        ("Pod", _) => index().map(Target::Crawler),
        ("PersistentVolumeClaim", _) => index().map(Target::CrawlerVolume),
        ("ConfigMap", "crawl-config-news") => Some(Target::Config),
        ("ConfigMap", "crawl-register-news") => Some(Target::Register),
        _ => None,
    }
}

/// The rule of the verdict that leaves this child out.
pub(super) fn rule(decision: &Decision, one: Target) -> &'static str {
    let verdict = decision
        .verdicts
        .iter()
        .find(|verdict| verdict.does == Does::CallBack && named(verdict.kind, &verdict.name) == Some(one));
    verdict.map_or("", |verdict| verdict.rule)
}

/// What has to be made or changed for one child of the answer.
fn made(view: &View, child: &Child) -> Option<Effect> {
    let one = target(child);
    let exists = shown(view).contains(&one);
    match child {
        Child::ConfigMap(map) if one == Target::Register => {
            let register = read(map);
            let same = view.maps.register.as_deref() == Some(&register);
            (!same).then(|| Effect::Register(Arc::new(register)))
        }
        _ if exists => None,
        Child::Pod(pod) => Some(match one {
            Target::Crawler(index) => {
                let notes = pod.metadata.annotations.clone().unwrap_or_default();
                let memory = notes
                    .get("rollcall.dev/memory")
                    .and_then(|text| rollcall::quantity::bytes(text));
                Effect::MakeCrawler {
                    index,
                    restarted: notes.contains_key("rollcall.dev/restart-time"),
                    memory: memory.unwrap_or(0),
                }
            }
            other => Effect::Make(other),
        }),
        // A reference to what is not there makes nothing that could run.
        Child::Reference(_) => None,
        Child::Volume(_) | Child::ConfigMap(_) => Some(Effect::Make(one)),
    }
}

/// The register as an answer has it.
pub(super) fn read(map: &k8s_openapi::api::core::v1::ConfigMap) -> Register {
    let seen = register::read(ConfigMap {
        name: "crawl-register-news".to_owned(),
        uid: String::new(),
        terminating: false,
        data: map.data.clone().unwrap_or_default(),
        anchor: None,
    });
    match seen {
        RegisterSeen::Readable(register, _) => *register,
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => panic!("our own register can't be read"),
    }
}

/// The status as the next call reads it, as far as anything but the next status may depend on it (M3, D8, E5): a final or
/// resting state, a start and an end. All that goes on is one state here.
fn previous(status: &CrawlJobStatus) -> Previous {
    let instant = |text: &Option<String>| text.as_deref().and_then(time::read);
    let tells = status.state.is_final() || status.state == CrawlState::Paused;
    Previous {
        state: Some(if tells { status.state } else { CrawlState::Running }),
        started_at: instant(&status.started_at),
        finished_at: instant(&status.finished_at),
        ..no_status()
    }
}

/// A status that says nothing.
pub(super) fn no_status() -> Previous {
    Previous {
        state: None,
        stop_reason: None,
        started_at: None,
        finished_at: None,
        pages_found: 0,
        pages_done: 0,
        pages_failed: 0,
        size_pending: 0,
        crawl_exec_seconds: 0,
        elapsed_seconds: 0,
        conditions: Vec::new(),
    }
}
