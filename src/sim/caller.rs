//! The caller as a process: caches, work queue, calls in flight, and the writes an answer causes.
//!
//! Sans I/O: [`Caller::start`] gives a [`Call`], whoever carries it to a hook brings the [`Reply`] to
//! [`Caller::finish`]. What it decides is [`super::metacontroller`]'s; what it keeps is lost when it is made anew.

use std::collections::BTreeMap;

use serde_json::Value;

use super::api_server::{ApiServer, Change, Key};
use super::clock::{Millis, instant};
use super::metacontroller::related::{self, Rule};
use super::metacontroller::retry::{self, Verdict};
use super::metacontroller::{Controller, HookCall, Kind, Objects, answer, plan, text};
use super::queue::{Parent, Queue};
use super::views::Views;

mod carry;
mod events;
mod prepare;

pub use carry::{Done, Write};
pub(super) use prepare::add_finalizer;

/// One HTTP call to a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Sync, finalize or customize.
    pub hook: HookCall,
    /// The hook's name: that of its controller.
    pub controller: String,
    /// The body.
    pub body: Value,
    /// The parent's name.
    pub parent: String,
    flight: Flight,
}

/// What is remembered until the answer is there: the caller compares it with what it showed, not with what is.
#[derive(Debug, Clone, PartialEq)]
struct Flight {
    queued: Parent,
    parent: Value,
    children: Objects,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// An HTTP answer.
    Http {
        /// Its status code.
        status: u16,
        /// `Retry-After`.
        retry_after: Option<String>,
        /// Its body.
        body: Vec<u8>,
    },
    /// None: refused, reset or timed out.
    Nothing,
}

/// What a start gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// Carry this to the hook.
    Call(Box<Call>),
    /// Nothing had to be asked: the parent is gone, or a write of our own came first.
    Nothing,
}

/// The process.
#[derive(Debug, Clone)]
pub struct Caller {
    /// What the API server knows.
    pub kinds: Vec<Kind>,
    /// Its controllers.
    pub controllers: Vec<Controller>,
    views: Views,
    queue: Queue,
    rules: BTreeMap<(String, i64), Vec<Rule>>,
}

impl Caller {
    /// Without controllers.
    #[must_use]
    pub fn new(kinds: Vec<Kind>) -> Self {
        Self {
            kinds,
            controllers: Vec::new(),
            views: Views::default(),
            queue: Queue::default(),
            rules: BTreeMap::new(),
        }
    }

    /// Killed and started anew: queue, back-off and kept answers are gone; its caches are filled from a fresh list.
    pub fn restart(&mut self, now: Millis, api: &ApiServer) {
        *self = Self {
            controllers: std::mem::take(&mut self.controllers),
            ..Self::new(std::mem::take(&mut self.kinds))
        };
        for (key, object) in api.all() {
            self.announce(Change {
                key: key.clone(),
                old: None,
                new: Some(object.clone()),
            });
            self.deliver(now, &key.kind);
        }
    }

    /// A change happened; [`Self::deliver`] makes it known.
    pub fn announce(&mut self, change: Change) {
        self.views.announce(change);
    }

    /// Changes of a kind that its cache has not heard of.
    #[must_use]
    pub fn behind(&self, kind: &str) -> usize {
        self.views.behind(kind)
    }

    /// When the next call can start.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        self.queue.next_due()
    }

    /// Starts the call that is due.
    pub fn start(&mut self, now: Millis, api: &mut ApiServer) -> Start {
        let Some(queued) = self.queue.take(now) else {
            return Start::Nothing;
        };
        match self.prepare(&queued, api) {
            Ok(Some(call)) => Start::Call(Box::new(call)),
            Ok(None) => {
                self.queue.done(&queued);
                self.queue.forget(&queued);
                Start::Nothing
            }
            Err(()) => {
                self.queue.done(&queued);
                self.queue.add_after_failure(now, queued);
                Start::Nothing
            }
        }
    }

    /// Does what an answer says, or what its failure means.
    pub fn finish(&mut self, now: Millis, api: &mut ApiServer, call: &Call, reply: &Reply) -> Done {
        let queued = call.flight.queued.clone();
        self.queue.done(&queued);
        let verdict = match reply {
            Reply::Nothing => Verdict::BackOff,
            Reply::Http {
                status, retry_after, ..
            } => retry::classify(*status, retry_after.as_deref(), instant(now)),
        };
        let (Verdict::Decode, Reply::Http { body, .. }) = (verdict, reply) else {
            let status = match reply {
                Reply::Nothing => "no connection".to_owned(),
                Reply::Http { status, .. } => status.to_string(),
            };
            self.come_again(now, queued, verdict);
            return Done {
                writes: Vec::new(),
                faults: vec![status],
            };
        };
        let done = match call.hook {
            HookCall::Customize => self.keep_rules(now, &call.flight, body),
            HookCall::Sync | HookCall::Finalize => self.carry_out(now, api, &call.flight, body),
        };
        if done.faults.is_empty() {
            self.queue.forget(&queued);
        } else {
            self.queue.add_after_failure(now, queued);
        }
        done
    }

    fn come_again(&mut self, now: Millis, queued: Parent, verdict: Verdict) {
        match verdict {
            Verdict::After(wait) => self.queue.add_at(now + super::clock::millis(wait), queued),
            Verdict::BackOff | Verdict::Decode => self.queue.add_after_failure(now, queued),
        }
    }

    /// A customize answer: kept by UID and generation; the sync follows at once.
    fn keep_rules(&mut self, now: Millis, flight: &Flight, body: &[u8]) -> Done {
        match related::decode(body) {
            Ok(rules) => {
                self.rules.insert(rules_key(&flight.parent), rules);
                self.queue.add(now, flight.queued.clone());
                Done {
                    writes: Vec::new(),
                    faults: Vec::new(),
                }
            }
            Err(fault) => Done {
                writes: Vec::new(),
                faults: vec![fault.to_string()],
            },
        }
    }

    fn carry_out(&mut self, now: Millis, api: &mut ApiServer, flight: &Flight, body: &[u8]) -> Done {
        let answer = match answer::decode(body) {
            Ok(answer) => answer,
            Err(fault) => {
                return Done {
                    writes: Vec::new(),
                    faults: vec![fault.to_string()],
                };
            }
        };
        let Some(controller) = self.controllers.get(flight.queued.0) else {
            return Done {
                writes: Vec::new(),
                faults: vec!["the controller is gone".to_owned()],
            };
        };
        let plan = plan::plan(controller, &flight.parent, &flight.children, &answer);
        let parent = (
            Key::new(&controller.parent.key(), &flight.queued.1, &flight.queued.2),
            &flight.parent,
        );
        let queue = &mut self.queue;
        carry::carry_out(now, api, &parent, &plan, |at| queue.add_at(at, flight.queued.clone()))
    }
}

fn rules_key(parent: &Value) -> (String, i64) {
    let metadata = &parent["metadata"];
    (
        text(metadata, "uid").to_owned(),
        metadata["generation"].as_i64().unwrap_or(0),
    )
}
