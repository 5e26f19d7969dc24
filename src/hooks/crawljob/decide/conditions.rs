//! Conditions (the table of the README): what people wait for and programs read. Sorted by type; a transition time changes
//! only when the status does.
//!
//! Takes the facts and the state; gives the list. Only condition times may differ after the status was wiped (M3).

pub(super) mod meaning;
pub(super) mod said;

use self::meaning::{Hindrance, of_complete, outcome};
use self::said::{Echo, Maximum, Reading, Said, StoreWord};
use super::super::observed::{Anchor, Observed};
use super::super::register::RegisterSeen;
use super::instance::Instances;
use super::ledger::lines_complete;
use super::sight::{Sight, StoreSight};
use super::volumes;
use super::words::Judgement;
use crate::api::v1::Condition;
use crate::api::v1::crawljob_status::CrawlState;
use crate::observed::Timestamp;
use crate::observed::time::whole_seconds;
use crate::outside::store::StoreReading;

/// Conditions in the making.
#[derive(Debug)]
pub(super) struct Conditions<'a> {
    previous: &'a [Condition],
    now: Timestamp,
    list: Vec<Condition>,
}

impl<'a> Conditions<'a> {
    fn new(observed: &'a Observed, now: Timestamp) -> Self {
        Self {
            previous: &observed.previous.conditions,
            now,
            list: Vec::new(),
        }
    }

    fn say(&mut self, said: Said, message: &str) {
        let (r#type, status) = (said.r#type(), said.status());
        let same = |old: &&Condition| old.r#type == r#type && old.status == status;
        let last_transition_time = self
            .previous
            .iter()
            .find(same)
            .map_or_else(|| whole_seconds(self.now), |old| old.last_transition_time.clone());
        self.list.push(Condition {
            r#type: r#type.to_owned(),
            status,
            reason: said.reason(),
            message: message.to_owned(),
            last_transition_time,
        });
    }

    fn sorted(mut self) -> Vec<Condition> {
        self.list.sort_by(|a, b| a.r#type.cmp(&b.r#type));
        self.list
    }

    /// A job that is not over.
    pub(super) fn live(
        sight: &Sight<'a>,
        instances: &Instances<'_>,
        judgement: &Judgement,
        state: CrawlState,
    ) -> Vec<Condition> {
        let mut conditions = Self::new(sight.observed, sight.now);
        conditions.of_state(state, Hindrance::of(sight), None);
        conditions.store(sight);
        conditions.spec_times(&sight.spec.unreadable_times);
        conditions.register(sight, judgement);
        conditions.anchor(sight.observed);
        conditions.maximum(sight, instances);
        conditions.unsaved(&volumes::kept_unsaved(sight, instances));
        if state == CrawlState::RateLimited {
            let since = sight
                .usable()
                .and_then(|view| view.rate_limit)
                .map_or(sight.now, |limit| limit.since);
            let message = format!("The sites limit every crawler since {}.", whole_seconds(since));
            conditions.say(Said::RateLimited, &message);
        }
        conditions.sorted()
    }

    /// A job that is over.
    pub(super) fn after_result(
        observed: &'a Observed,
        result: CrawlState,
        unsaved: &[u32],
        now: Timestamp,
    ) -> Vec<Condition> {
        let mut conditions = Self::new(observed, now);
        conditions.of_state(result, Hindrance::Nothing, because(observed));
        conditions.around(observed);
        conditions.unsaved(unsaved);
        conditions.sorted()
    }

    /// A job that is being deleted.
    pub(super) fn finalizing(observed: &'a Observed, result: CrawlState, now: Timestamp) -> Vec<Condition> {
        let mut conditions = Self::new(observed, now);
        conditions.of_state(result, Hindrance::Nothing, because(observed));
        conditions.around(observed);
        conditions.sorted()
    }

    /// Nothing is judged (steps 1 and 3); a spec that can't be used is named.
    pub(super) fn unchanged(observed: &'a Observed, state: CrawlState, now: Timestamp) -> Vec<Condition> {
        let mut conditions = Self::new(observed, now);
        conditions.of_state(state, Hindrance::Nothing, because(observed));
        conditions.around(observed);
        conditions.sorted()
    }

    /// D8 and E5.
    pub(super) fn waiting_for_register(observed: &'a Observed, state: CrawlState, now: Timestamp) -> Vec<Condition> {
        let mut conditions = Self::new(observed, now);
        conditions.of_state(state, Hindrance::Nothing, None);
        conditions.answered(observed);
        conditions.spec_of(observed);
        conditions.not_yet(observed);
        conditions.anchor(observed);
        conditions.sorted()
    }

    /// `Complete`, `Failed` and `Paused` follow the state; `Queued` while waiting for the org.
    /// A result says why it is one, as far as that is recorded.
    fn of_state(&mut self, state: CrawlState, hindrance: Hindrance, because: Option<&str>) {
        let (complete, failed) = outcome(state);
        let (_, message) = of_complete(state, hindrance);
        let because = because.map_or_else(String::new, |because| format!(" Why: {because}."));
        let with_reason =
            |holds: bool, message: &str| format!("{message}{}", if holds { because.as_str() } else { "" });
        self.say(Said::Complete(state, hindrance), &with_reason(complete, message));
        let message = if failed {
            "The crawl failed."
        } else {
            "The crawl has not failed."
        };
        self.say(Said::Failed(state), &with_reason(failed, message));
        self.say(
            Said::Paused(state),
            if state == CrawlState::Paused {
                "The crawl is paused."
            } else {
                "The crawl is not paused."
            },
        );
        self.say(
            Said::Queued(state),
            if state == CrawlState::WaitingOrgLimit {
                "The crawl waits for a place in its org."
            } else {
                "The crawl waits for no place."
            },
        );
    }

    fn store(&mut self, sight: &Sight<'_>) {
        match sight.store {
            StoreSight::Blank(_) => {
                let message = "The store answers, but it lost its data.";
                self.say(Said::StoreReachable(StoreWord::LostItsData), message);
            }
            StoreSight::Usable(_) | StoreSight::Unreachable => self.answered(sight.observed),
        }
    }

    fn answered(&mut self, observed: &Observed) {
        let (word, message) = match &observed.store {
            StoreReading::Reachable(_) => (StoreWord::Answered, "The store answers."),
            StoreReading::Unreachable(why) => (StoreWord::Unasked(*why), "The store can't be asked now."),
        };
        self.say(Said::StoreReachable(word), message);
    }

    fn spec_of(&mut self, observed: &Observed) {
        match &observed.spec {
            Ok(spec) => self.spec_times(&spec.unreadable_times),
            Err(fault) => {
                let message: String = fault.to_string().chars().take(1024).collect();
                self.say(Said::SpecValid(Reading::Unusable), &message);
            }
        }
    }

    /// O10: an unreadable time counts as unset and is named.
    fn spec_times(&mut self, unreadable: &[&'static str]) {
        if unreadable.is_empty() {
            self.say(Said::SpecValid(Reading::Read), "The spec can be used.");
        } else {
            let message = format!("Not an RFC 3339 time, counted as unset: {}.", unreadable.join(", "));
            self.say(Said::SpecValid(Reading::TimeIgnored), &message);
        }
    }

    /// What is said alike of every job that is not judged: store, spec, register and anchor.
    fn around(&mut self, observed: &Observed) {
        self.answered(observed);
        self.spec_of(observed);
        match &observed.register {
            RegisterSeen::Readable(..) => {
                self.say(Said::RegisterWritten(Echo::Observed), "The register is there.");
            }
            RegisterSeen::Missing | RegisterSeen::Unreadable(_) => self.not_yet(observed),
        }
        self.anchor(observed);
    }

    /// D8 and E5: something is asked of the register and not seen in it.
    fn not_yet(&mut self, observed: &Observed) {
        let (echo, message) = match &observed.register {
            RegisterSeen::Unreadable(_) => (
                Echo::Unreadable,
                "The register is there and can't be read: repair its state.json, or delete it: then it is asked for anew.",
            ),
            RegisterSeen::Readable(..) => (Echo::NotObserved, "The result is not seen in the register yet."),
            RegisterSeen::Missing => (Echo::NotObserved, "The register is not seen yet."),
        };
        self.say(Said::RegisterWritten(echo), message);
    }

    /// E5: false while a proposed result is not observed.
    fn register(&mut self, sight: &Sight<'_>, judgement: &Judgement) {
        match judgement {
            Judgement::Final(verdict) => {
                let lines = if lines_complete(sight) {
                    ""
                } else {
                    ", once every file line is written"
                };
                let message = format!("To be written{lines}: {} ({}).", verdict.because, verdict.rule);
                self.say(Said::RegisterWritten(Echo::ResultNotObserved), &message);
            }
            Judgement::Open | Judgement::RateLimited => {
                self.say(Said::RegisterWritten(Echo::Observed), "The register is there.");
            }
        }
    }

    /// D7.
    fn anchor(&mut self, observed: &Observed) {
        if observed.anchor == Anchor::Missing {
            let message = "The anchor ConfigMap is not there: children would go with the CrawlJob or its CRD.";
            self.say(Said::AnchorMissing, message);
        }
    }

    /// T6: volumes that stay because something on them is nowhere else.
    fn unsaved(&mut self, instances: &[u32]) {
        if instances.is_empty() {
            return;
        }
        let names: Vec<String> = instances.iter().take(20).map(u32::to_string).collect();
        let message = format!(
            "Volumes of instances {} may hold data that was not uploaded.",
            names.join(", ")
        );
        self.say(Said::UnsavedData, &message);
    }

    /// Z1: out of memory at the maximum.
    fn maximum(&mut self, sight: &Sight<'_>, instances: &Instances<'_>) {
        let at = |bytes: Option<u64>, max: u64| bytes.is_some_and(|bytes| bytes >= max);
        let crawler = instances
            .iter()
            .find(|instance| at(instance.line.and_then(|line| line.memory), sight.policy.memory_max));
        if let Some(instance) = crawler {
            let message = format!(
                "Instance {} ran out of memory at the largest size allowed.",
                instance.index
            );
            self.say(Said::AtMaximum(Maximum::Memory), &message);
        } else if at(sight.state().redis_memory, sight.policy.redis.memory_max) {
            let message = "Redis ran out of memory at the largest size allowed.";
            self.say(Said::AtMaximum(Maximum::RedisMemory), message);
        }
    }
}

/// Why the result is what it is, as the register says.
fn because(observed: &Observed) -> Option<&str> {
    match &observed.register {
        RegisterSeen::Readable(register, _) => register.state.because.as_deref(),
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => None,
    }
}
