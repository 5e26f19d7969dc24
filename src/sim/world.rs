//! The cluster as one value: everything that happens, in one order, on one clock, drawn from one seed.
//!
//! [`World::step`] does the next thing; when that is a call to a hook it gives the call, and whoever drives the world
//! brings the answer to [`World::reply`]. Other things may happen in between. A clone goes its own way.

use std::collections::BTreeMap;

use serde_json::Value;

use super::api_server::{ApiServer, CLAIM, Change, Key, POD};
use super::caller::{Call, Caller, Done, Reply, Start, Write};
use super::clock::Millis;
use super::collector;
use super::metacontroller::{Controller, HookCall, terminating, text};
use super::rng::Rng;
use super::run::Run;
use super::storage::{Bucket, Disk};

mod acts;
mod look;
mod settings;

pub use settings::{Counters, Line, Loss, Settings};

/// What a step was.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Something happened inside.
    Moved,
    /// Carry this to the hook.
    Call(Box<Call>),
    /// Nothing will ever happen again by itself.
    Still,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Event {
    /// A cache hears of a change.
    Deliver(String),
    /// A pod's kubelet or process does something.
    Pod(String),
    /// The garbage collector passes.
    Collect,
    /// A controller calls all its parents.
    Resync(usize),
}

/// The cluster.
#[derive(Debug, Clone)]
pub struct World {
    pub(super) now: Millis,
    pub(super) rng: Rng,
    pub(super) settings: Settings,
    pub(super) api: ApiServer,
    pub(super) caller: Caller,
    timeline: BTreeMap<(Millis, u64), Event>,
    serial: u64,
    pub(super) runs: BTreeMap<String, Run>,
    pub(super) disks: BTreeMap<String, Disk>,
    pub(super) bucket: Bucket,
    pub(super) losses: Vec<Loss>,
    /// What an object last was before it went.
    pub(super) gone: BTreeMap<Key, Value>,
    pub(super) lines: Vec<Line>,
    pub(super) counters: Counters,
    pub(super) addresses: u32,
}

impl World {
    /// An empty cluster.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            now: settings.start,
            rng: Rng::new(settings.seed),
            api: ApiServer::new(),
            caller: Caller::new(settings.kinds.clone()),
            settings,
            timeline: BTreeMap::new(),
            serial: 0,
            runs: BTreeMap::new(),
            disks: BTreeMap::new(),
            bucket: Bucket::default(),
            losses: Vec::new(),
            gone: BTreeMap::new(),
            lines: Vec::new(),
            counters: Counters::default(),
            addresses: 0,
        }
    }

    /// Installs a controller: from now on its parents are called about.
    pub fn install(&mut self, controller: Controller) {
        let index = self.caller.controllers.len();
        if let Some(period) = controller.resync_period {
            self.after(period.saturating_mul(1000), Event::Resync(index));
        }
        self.caller.controllers.push(controller);
    }

    /// The clock.
    #[must_use]
    pub const fn now(&self) -> Millis {
        self.now
    }

    /// When the next thing happens.
    #[must_use]
    pub fn next_time(&self) -> Option<Millis> {
        let event = self.timeline.first_key_value().map(|((at, _), _)| *at);
        event.into_iter().chain(self.caller.next_due()).min()
    }

    /// Moves the clock without anything happening; never back, and never beyond [`Self::next_time`].
    pub fn wait_until(&mut self, at: Millis) {
        self.now = self.now.max(self.next_time().map_or(at, |next| next.min(at)));
    }

    /// Does the next thing.
    pub fn step(&mut self) -> Turn {
        let event = self.timeline.first_key_value().map(|((at, _), _)| *at);
        let call = self.caller.next_due();
        let turn = match (event, call) {
            (None, None) => return Turn::Still,
            (Some(at), call) if call.is_none_or(|due| at <= due) => {
                self.now = self.now.max(at);
                if let Some((_, event)) = self.timeline.pop_first() {
                    self.happen(event);
                }
                Turn::Moved
            }
            (_, due) => {
                self.now = self.now.max(due.unwrap_or(self.now));
                match self.caller.start(self.now, &mut self.api) {
                    Start::Call(call) => Turn::Call(call),
                    Start::Nothing => Turn::Moved,
                }
            }
        };
        self.notice();
        turn
    }

    /// Brings the answer to a call, and does what it says.
    pub fn reply(&mut self, call: &Call, reply: &Reply) -> Done {
        match call.hook {
            HookCall::Sync => self.counters.syncs += 1,
            HookCall::Finalize => self.counters.finalizes += 1,
            HookCall::Customize => self.counters.customizes += 1,
        }
        let done = self.caller.finish(self.now, &mut self.api, call, reply);
        for write in &done.writes {
            self.count(write);
        }
        if !done.faults.is_empty() {
            self.counters.failures += 1;
            self.note(
                "metacontroller",
                format!(
                    "{} of {} failed: {}",
                    call.hook.name(),
                    call.parent,
                    done.faults.join("; ")
                ),
            );
        }
        self.notice();
        done
    }

    fn count(&mut self, write: &Write) {
        let what = match write {
            Write::Create(key) => {
                self.counters.creates += 1;
                format!("makes {} {}", short(&key.kind), key.name)
            }
            Write::Update(key) => {
                self.counters.updates += 1;
                format!("updates {} {}", short(&key.kind), key.name)
            }
            Write::Delete(key) => {
                self.counters.deletes += 1;
                format!("deletes {} {}", short(&key.kind), key.name)
            }
            Write::Status => {
                self.counters.statuses += 1;
                return;
            }
            Write::Finalizer => "takes its finalizer off".to_owned(),
        };
        self.note("metacontroller", what);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Deliver(kind) => self.caller.deliver(self.now, &kind),
            Event::Pod(uid) => self.pod_step(&uid),
            Event::Collect => {
                for key in collector::collect(self.now, &mut self.api) {
                    self.note("collector", format!("collects {} {}", short(&key.kind), key.name));
                }
            }
            Event::Resync(index) => {
                self.caller.resync(self.now, index);
                let period = self
                    .caller
                    .controllers
                    .get(index)
                    .and_then(|controller| controller.resync_period);
                self.after(period.unwrap_or(3600).saturating_mul(1000), Event::Resync(index));
            }
        }
    }

    pub(super) fn after(&mut self, wait: u64, event: Event) {
        self.serial += 1;
        let at = self.now.saturating_add(Millis::try_from(wait).unwrap_or(Millis::MAX));
        self.timeline.insert((at, self.serial), event);
    }

    pub(super) fn note(&mut self, who: &'static str, what: String) {
        self.lines.push(Line {
            at: self.now,
            who,
            what,
        });
    }

    /// Everybody who watches hears of what was written.
    pub(super) fn notice(&mut self) {
        loop {
            let changes = self.api.drain();
            if changes.is_empty() {
                return;
            }
            for change in changes {
                self.notice_one(change);
            }
        }
    }

    fn notice_one(&mut self, change: Change) {
        let leaves = change.new.as_ref().is_none_or(terminating);
        if leaves && !self.timeline.values().any(|event| *event == Event::Collect) {
            self.after(300, Event::Collect);
        }
        match (change.key.kind.as_str(), &change.old, &change.new) {
            (POD, _, Some(pod)) => self.pod_changed(&change.key, pod),
            (POD, Some(pod), None) => self.pod_gone(&change.key, pod),
            (CLAIM, Some(claim), None) => self.volume_gone(&change.key.name, text(&claim["metadata"], "uid")),
            _ => {}
        }
        if let (Some(old), None) = (&change.old, &change.new) {
            self.gone.insert(change.key.clone(), old.clone());
        }
        let (low, high) = self.settings.lag;
        let lag = self.rng.between(low, high);
        let kind = change.key.kind.clone();
        self.caller.announce(change);
        self.after(lag, Event::Deliver(kind));
    }

    /// A volume's content goes with it.
    pub(super) fn volume_gone(&mut self, name: &str, uid: &str) {
        let Some(disk) = self.disks.remove(uid) else { return };
        if !disk.unsaved.is_empty() {
            self.note(
                "api",
                format!(
                    "volume {name} is gone with {} pages that were nowhere else",
                    disk.unsaved.len()
                ),
            );
            self.losses.push(Loss {
                volume: name.to_owned(),
                pages: disk.unsaved,
            });
        }
    }
}

/// `Pod.v1` as people say it.
pub(super) fn short(kind: &str) -> &str {
    match kind {
        POD => "pod",
        CLAIM => "volume",
        super::api_server::CONFIG_MAP => "configmap",
        other => other,
    }
}
