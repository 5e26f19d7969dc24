//! A scene for tests of the decision: one observation built from small words, decided at one instant.

use std::collections::{BTreeMap, BTreeSet};

mod objects;

use objects::{config_map, file, previous, readable, spec, view, volume};
pub(super) use objects::{exit, pod};

use crate::api::v1::crawljob_names as names;
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::{Child, Does};
use crate::hooks::crawljob::decide::{Decision, decide};
use crate::hooks::crawljob::observed::{Anchor, Crawler, Job, Observed, RedisPod, Strangers};
use crate::hooks::crawljob::register::RegisterSeen;
use crate::hooks::crawljob::register::{Counters, FilesRead, InstanceLine, State};
use crate::hooks::crawljob::sample::policy;
use crate::hooks::crawljob::spec::Spec;
use crate::observed::{PodState, Timestamp};
use crate::outside::store::{Entry, FileLines, StoreReading, StoreView, Unreachable};
use crate::policy::CrawlPolicy;

/// The instant of every scene.
pub(super) fn now() -> Timestamp {
    "2026-11-30T13:00:00Z".parse().unwrap()
}

/// Seconds before [`now`].
pub(super) fn ago(seconds: i64) -> Timestamp {
    Timestamp::from_second(now().as_second() - seconds).unwrap()
}

/// An observation in the making.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) observed: Observed,
    pub(super) policy: CrawlPolicy,
    pub(super) now: Timestamp,
}

impl Scene {
    /// A job of this scale, observed with its first register, nothing else there.
    pub(super) fn new(scale: u32) -> Self {
        let policy = policy();
        let observed = Observed {
            job: Job {
                name: "news".into(),
                namespace: "crawls".into(),
                created: Some(ago(600)),
                terminating: false,
                orphan: false,
                recoverable: "{}".into(),
            },
            spec: Ok(spec(scale, &policy)),
            finalizing: false,
            crawlers: BTreeMap::new(),
            volumes: BTreeMap::new(),
            redis: None,
            redis_volume: None,
            config: Some(config_map("crawl-config-news")),
            register: readable(State {
                most_scale: scale.max(1),
                ..State::blank_page()
            }),
            ticket: None,
            tickets: Vec::new(),
            anchor: Anchor::Off,
            previous: previous(),
            store: StoreReading::Unreachable(Unreachable::NoPod),
            ignored: Vec::new(),
            strangers: Strangers::none(),
        };
        Self {
            observed,
            policy,
            now: now(),
        }
    }

    /// A crawl in full swing: started and marked, Redis up, `scale` crawlers running, ten pages found, five done.
    pub(super) fn running(scale: u32) -> Self {
        let mut scene = Self::new(scale).started().with_redis();
        for index in 0..scale {
            scene = scene.crawler(index, PodState::Running).entry(index, Entry::Running);
        }
        scene
    }

    /// The register says started, marked and knows the pages.
    pub(super) fn started(self) -> Self {
        self.state(|state| {
            state.started = true;
            state.marked = true;
            state.started_at = Some("2026-11-30T12:50:00Z".into());
            state.counters = Some(Counters {
                found: 10,
                done: 0,
                failed: 0,
                exec_seconds: 0,
                elapsed_seconds: 0,
            });
        })
    }

    /// A running Redis pod with its volume and a reachable store.
    pub(super) fn with_redis(mut self) -> Self {
        self.observed.redis = Some(RedisPod {
            pod: pod("redis-news", PodState::Running),
            memory: None,
        });
        self.observed.redis_volume = Some(volume("redis-news"));
        self.observed.store = StoreReading::Reachable(Box::new(view()));
        self
    }

    /// A crawler in this state, with its volume.
    pub(super) fn crawler(mut self, index: u32, state: PodState) -> Self {
        let name = names::crawler("news", index);
        self.observed.volumes.insert(index, volume(&name));
        let crawler = Crawler {
            pod: pod(&name, state),
            restart_time: None,
            workers: Some(2),
            memory: None,
        };
        self.observed.crawlers.insert(index, crawler);
        self
    }

    /// A volume without a pod.
    pub(super) fn volume(mut self, index: u32) -> Self {
        self.observed
            .volumes
            .insert(index, volume(&names::crawler("news", index)));
        self
    }

    /// Changes one crawler pod.
    pub(super) fn pod(mut self, index: u32, change: impl FnOnce(&mut Crawler)) -> Self {
        change(self.observed.crawlers.get_mut(&index).expect("the crawler is there"));
        self
    }

    /// The latest exit of one crawler.
    pub(super) fn exit(self, index: u32, code: i32) -> Self {
        self.pod(index, |crawler| crawler.pod.last_exit = Some(exit(code)))
    }

    /// Changes the store's view.
    pub(super) fn store(mut self, change: impl FnOnce(&mut StoreView)) -> Self {
        match &mut self.observed.store {
            StoreReading::Reachable(view) => change(view),
            StoreReading::Unreachable(_) => panic!("the scene has no store"),
        }
        self
    }

    /// The store can't be asked.
    pub(super) fn unreachable(mut self, why: Unreachable) -> Self {
        self.observed.store = StoreReading::Unreachable(why);
        self
    }

    /// One entry of the store.
    pub(super) fn entry(self, index: u32, entry: Entry) -> Self {
        self.store(|view| {
            view.entries.insert(index, entry);
        })
    }

    /// Lines of `crawls-done`, read by the register up to `read`.
    pub(super) fn files(self, total: u64, read: u64) -> Self {
        let lines = (read..total).map(|number| Some(file(number))).collect();
        let first_hash = (total > 0).then(|| "aaaaaaaaaaaaaaaa".to_owned());
        let recorded = first_hash.clone().filter(|_| read > 0);
        self.store(|view| {
            view.files = FileLines {
                total,
                first_hash,
                from: read,
                lines,
            }
        })
        .state(|state| {
            state.files = FilesRead {
                lines: read,
                first_hash: recorded,
                count: read,
                bytes: read * 1000,
            };
        })
    }

    /// Changes `state.json`.
    pub(super) fn state(mut self, change: impl FnOnce(&mut State)) -> Self {
        match &mut self.observed.register {
            RegisterSeen::Readable(register, _) => change(&mut register.state),
            RegisterSeen::Missing | RegisterSeen::Unreadable(_) => panic!("the scene has no register"),
        }
        self
    }

    /// Changes one line of the register.
    pub(super) fn line(self, index: u32, change: impl FnOnce(&mut InstanceLine)) -> Self {
        self.state(|state| {
            change(state.instances.entry(index).or_insert_with(InstanceLine::silent));
        })
    }

    /// Changes the spec.
    pub(super) fn spec(mut self, change: impl FnOnce(&mut Spec)) -> Self {
        change(self.observed.spec.as_mut().expect("the scene has a spec"));
        self
    }

    /// Changes anything.
    pub(super) fn seen(mut self, change: impl FnOnce(&mut Observed)) -> Self {
        change(&mut self.observed);
        self
    }

    /// Decides.
    pub(super) fn decide(&self) -> Decision {
        decide(&self.observed, self.now, &self.policy)
    }

    /// What happens to this child, with the rule.
    pub(super) fn verdict(&self, kind: &str, name: &str) -> Option<(Does, &'static str)> {
        let decision = self.decide();
        let found = decision
            .verdicts
            .iter()
            .find(|verdict| verdict.kind == kind && verdict.name == name);
        found.map(|verdict| (verdict.does, verdict.rule))
    }

    /// What happens to this pod, with the rule.
    pub(super) fn pod_verdict(&self, name: &str) -> Option<(Does, &'static str)> {
        self.verdict("Pod", name)
    }

    /// The state shown.
    pub(super) fn shown(&self) -> CrawlState {
        self.decide().status.state
    }

    /// The register that is answered.
    pub(super) fn next(&self) -> State {
        next_state(&self.decide())
    }
}

/// `state.json` of an answer.
pub(super) fn next_state(decision: &Decision) -> State {
    let register = decision.children.iter().find_map(|child| match child {
        Child::ConfigMap(map) if map.metadata.name.as_deref() == Some("crawl-register-news") => Some(map),
        Child::ConfigMap(_) | Child::Reference(_) | Child::Pod(_) | Child::Volume(_) => None,
    });
    let data = register
        .expect("a register is answered")
        .data
        .as_ref()
        .expect("it has data");
    serde_json::from_str(&data["state.json"]).expect("its state is readable")
}

/// Kind and name of every child of an answer, sorted.
pub(super) fn children(decision: &Decision) -> BTreeSet<(&'static str, String)> {
    decision.children.iter().map(kind_and_name).collect()
}

fn kind_and_name(child: &Child) -> (&'static str, String) {
    match child {
        Child::Reference(reference) => (reference.kind, reference.name.clone()),
        Child::Pod(pod) => ("Pod", pod.metadata.name.clone().unwrap_or_default()),
        Child::Volume(claim) => ("PersistentVolumeClaim", claim.metadata.name.clone().unwrap_or_default()),
        Child::ConfigMap(map) => ("ConfigMap", map.metadata.name.clone().unwrap_or_default()),
    }
}
