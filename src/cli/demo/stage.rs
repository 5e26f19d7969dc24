//! The stage: world and service together, one step at a time, and what was learnt of each child on the way.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::record::Recorder;
use super::service::Service;
use super::{CliError, explain};
use crate::clock::ManualClock;
use crate::config::Config;
use crate::desired::{Does, Verdict};
use crate::outside::memory::MemoryStores;
use crate::sim::api_server::Key;
use crate::sim::caller::{Call, Reply};
use crate::sim::clock::{Millis, instant};
use crate::sim::metacontroller::{Controller, HookCall, Kind};
use crate::sim::site::Site;
use crate::sim::world::{Settings, Turn, World};

/// The namespace of the story.
pub(super) const NAMESPACE: &str = "crawls";
/// The job of the story.
pub(super) const JOB: &str = "news";
/// Pages of its site.
pub(super) const PAGES: u64 = 90;
/// 2026-12-01T09:00:00Z, where the clock starts.
const START: Millis = 1_796_115_600_000;
const CONTROLLER: &str = include_str!("../../../hooks/crawljob/controller.yaml");

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) at: Millis,
    pub(super) who: &'static str,
    pub(super) what: String,
}

/// A child that was called back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CalledBack {
    pub(super) name: String,
    uid: String,
    pub(super) rule: &'static str,
    pub(super) reason: String,
}

/// The stage.
#[derive(Debug)]
pub(super) struct Stage {
    world: World,
    pub(super) service: Service,
    config: Config,
    clock: ManualClock,
    stores: MemoryStores,
    recorder: Option<Recorder>,
    /// What the story is at, for recorded files.
    pub(super) situation: &'static str,
    /// The latest verdict on each child, by kind and name.
    pub(super) verdicts: BTreeMap<(&'static str, String), Verdict>,
    pub(super) called_back: Vec<CalledBack>,
    pub(super) log: Vec<Entry>,
    seen: usize,
    /// The state that was told last.
    told: String,
    /// Calls without an answer, in a row.
    unanswered: u64,
}

impl Stage {
    pub(super) async fn new(seed: u64, recorder: Option<Recorder>) -> Result<Self, CliError> {
        let config = Config::built_in();
        let (clock, stores) = (ManualClock::new(instant(START)), MemoryStores::new());
        let mut world = World::new(settings(seed));
        let manifest: Value = serde_saphyr::from_str(CONTROLLER).map_err(CliError::failed)?;
        world.install(Controller::read(&manifest, &kinds()).map_err(CliError::failed)?);
        let service = Service::start(config.clone(), clock.clone(), stores.clone()).await?;
        let mut stage = Self {
            world,
            service,
            config,
            clock,
            stores,
            recorder,
            situation: "created",
            verdicts: BTreeMap::new(),
            called_back: Vec::new(),
            log: Vec::new(),
            seen: 0,
            told: String::new(),
            unanswered: 0,
        };
        let address = stage.service.address();
        stage.tell("hook", format!("listens on {address}"));
        Ok(stage)
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// Nothing happens until then.
    pub(super) fn wait_until(&mut self, at: Millis) {
        self.world.wait_until(at);
    }

    /// Lets somebody do something to the world.
    pub(super) fn act<T>(&mut self, act: impl FnOnce(&mut World) -> T) -> T {
        let outcome = act(&mut self.world);
        self.catch_up();
        outcome
    }

    /// A line of the log.
    pub(super) fn tell(&mut self, who: &'static str, what: String) {
        self.catch_up();
        self.log.push(Entry {
            at: self.world.now(),
            who,
            what,
        });
    }

    /// The next thing that happens; a call goes to the service.
    pub(super) async fn step(&mut self) -> Result<(), CliError> {
        if let Turn::Call(call) = self.world.step() {
            self.exchange(&call).await?;
        }
        self.catch_up();
        Ok(())
    }

    async fn exchange(&mut self, call: &Call) -> Result<(), CliError> {
        let now = instant(self.world.now());
        self.clock.set(now);
        self.world.lend_stores(&self.stores);
        let body = call.body.to_string().into_bytes();
        let asks = call.hook != HookCall::Customize;
        let verdicts = if asks && self.service.is_up() {
            explain::verdicts(&body, now, &self.config, &self.service.outside()).await
        } else {
            Vec::new()
        };
        let store = asks.then(|| self.stores.snapshot(NAMESPACE, JOB));
        let path = format!("/{}/{}", call.controller, call.hook.name());
        let reply = self.service.call(&path, body).await;
        self.world.take_stores(&self.stores);
        if let Some(recorder) = &mut self.recorder {
            recorder
                .write(self.situation, now, call, store.as_ref(), &reply)
                .map_err(CliError::failed)?;
        }
        self.learn(call, verdicts, &reply);
        self.world.reply(call, &reply);
        Ok(())
    }

    fn learn(&mut self, call: &Call, verdicts: Vec<Verdict>, reply: &Reply) {
        let Reply::Http { status: 200, body, .. } = reply else {
            self.unanswered += 1;
            return;
        };
        if self.unanswered > 0 {
            self.tell(
                "hook",
                format!("answers again, after {} calls without an answer", self.unanswered),
            );
            self.unanswered = 0;
        }
        self.tell_state(call, body);
        for verdict in verdicts {
            if verdict.does == Does::CallBack {
                self.tell_call_back(call, &verdict);
            }
            self.verdicts.insert((verdict.kind, verdict.name.clone()), verdict);
        }
    }

    /// Once for each object: caches that are behind ask again about what has gone meanwhile.
    fn tell_call_back(&mut self, call: &Call, verdict: &Verdict) {
        let name = format!("{} {}", verdict.kind, verdict.name);
        let group = &call.body["children"][format!("{}.v1", verdict.kind)];
        let child = &group[format!("{NAMESPACE}/{}", verdict.name)]["metadata"];
        let uid = child["uid"].as_str().unwrap_or_default().to_owned();
        let leaving = !child["deletionTimestamp"].is_null();
        if leaving || self.called_back.iter().any(|other| other.uid == uid) {
            return;
        }
        self.tell(
            "hook",
            format!("calls back {name}: {} ({})", verdict.reason, verdict.rule),
        );
        let reason = verdict.reason.to_string();
        self.called_back.push(CalledBack {
            name,
            uid,
            rule: verdict.rule,
            reason,
        });
    }

    fn tell_state(&mut self, call: &Call, body: &[u8]) {
        if call.hook == HookCall::Customize {
            return;
        }
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(state) = answer["status"]["state"].as_str() else {
            return;
        };
        let wiped = call.body["parent"]["status"]["state"].is_null() && !self.told.is_empty();
        if state != self.told {
            self.tell("hook", format!("says the crawl is {state}"));
        } else if wiped && self.situation == "status-wiped" {
            self.situation = "status-restored";
            self.tell("hook", format!("says the crawl is {state}, as before"));
        }
        state.clone_into(&mut self.told);
    }

    fn catch_up(&mut self) {
        let lines = self.world.lines();
        for line in &lines[self.seen.min(lines.len())..] {
            // Retries of one outage are one line.
            let again = self.unanswered > 1 && line.what.contains(" failed: ");
            if !again {
                self.log.push(Entry {
                    at: line.at,
                    who: line.who,
                    what: line.what.clone(),
                });
            }
        }
        self.seen = lines.len();
    }
}

/// The job's key.
pub(super) fn job_key() -> Key {
    Key::new("CrawlJob.rollcall.dev/v1", NAMESPACE, JOB)
}

/// The job as a user writes it.
pub(super) fn job() -> Value {
    json!({
        "apiVersion": "rollcall.dev/v1", "kind": "CrawlJob",
        "metadata": {"namespace": NAMESPACE, "name": JOB},
        "spec": {
            "selector": {"matchLabels": {"rollcall.dev/crawl": JOB}},
            "config": {"seeds": [{"url": "https://example.org/"}], "scopeType": "prefix"},
            "scale": 2,
            "storage": {"secretName": "storage-default", "path": "acme/", "filename": "@ts-@hostsuffix.wacz"},
        },
    })
}

/// The anchor, second owner of every child.
pub(super) fn anchor() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": NAMESPACE, "name": "rollcall-anchor"}})
}

fn settings(seed: u64) -> Settings {
    Settings {
        seed,
        start: START,
        site: Site {
            address: "https://example.org".to_owned(),
            pages: PAGES,
            page_millis: (900, 2600),
            page_bytes: (60_000, 900_000),
        },
        bucket: "s3://archive/".to_owned(),
        lag: (5, 80),
        capacity: 10,
        kinds: kinds(),
    }
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind::new("v1", "Pod", "pods"),
        Kind::new("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
        Kind::new("v1", "ConfigMap", "configmaps"),
        Kind::new("rollcall.dev/v1", "CrawlJob", "crawljobs"),
    ]
}
