//! What happened in one call, for the log line and the metrics. Holds names, counts, sizes and durations; never a body.

use std::collections::BTreeMap;
use std::time::Duration;

use tracing::{error, info, warn};

use super::Call;
use crate::desired::{Does, Verdict};
use crate::hooks::Told;

/// Longest name that Kubernetes allows; what is longer was never an object's.
const NAME_MAX: usize = 253;

/// Call-backs named in one log line; the count says how many there were.
const CALL_BACKS_MAX: usize = 20;

/// A step of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Bytes into a request.
    Read,
    /// Request and outside into an observation.
    Observe,
    /// Observation into a decision.
    Decide,
    /// Telling the outside.
    Act,
    /// Decision into bytes.
    Respond,
}

/// One call.
#[derive(Debug)]
pub struct Report {
    /// The hook.
    pub hook: &'static str,
    /// What was asked.
    pub call: Call,
    /// Bytes of the request.
    pub bytes_in: usize,
    /// Bytes of the answer.
    pub bytes_out: usize,
    /// Effects that failed.
    pub failed_effects: usize,
    namespace: String,
    name: String,
    told: Told,
    verdicts: [usize; 4],
    called_back: Vec<String>,
    call_backs: BTreeMap<&'static str, u64>,
    micros: [u64; 5],
}

impl Report {
    /// An empty one.
    #[must_use]
    pub fn new(hook: &'static str, call: Call) -> Self {
        Self {
            hook,
            call,
            bytes_in: 0,
            bytes_out: 0,
            failed_effects: 0,
            namespace: String::new(),
            name: String::new(),
            told: Told {
                state: None,
                store: None,
            },
            verdicts: [0; 4],
            called_back: Vec::new(),
            call_backs: BTreeMap::new(),
            micros: [0; 5],
        }
    }

    /// Whom the call is about.
    pub fn parent(&mut self, namespace: &str, name: &str) {
        self.namespace = namespace.chars().take(NAME_MAX).collect();
        self.name = name.chars().take(NAME_MAX).collect();
    }

    /// A step is over.
    pub fn took(&mut self, step: Step, time: Duration) {
        let place = match step {
            Step::Read => 0,
            Step::Observe => 1,
            Step::Decide => 2,
            Step::Act => 3,
            Step::Respond => 4,
        };
        self.micros[place] = micros(time);
    }

    /// The decision is made.
    pub fn decided(&mut self, verdicts: &[Verdict], told: Told) {
        for verdict in verdicts {
            let place = match verdict.does {
                Does::Keep => 0,
                Does::Make => 1,
                Does::CallBack => 2,
                Does::Ignore => 3,
            };
            self.verdicts[place] += 1;
        }
        let called_back = || verdicts.iter().filter(|verdict| verdict.does == Does::CallBack);
        self.called_back = called_back().take(CALL_BACKS_MAX).map(named).collect();
        for verdict in called_back() {
            *self.call_backs.entry(verdict.rule).or_default() += 1;
        }
        self.told = told;
    }

    /// `status.state` of the answer, if the decision was made.
    #[must_use]
    pub fn state(&self) -> Option<&'static str> {
        self.told.state
    }

    /// How many children were called back by each rule.
    pub fn call_backs(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.call_backs.iter().map(|(rule, count)| (*rule, *count))
    }

    /// Why the store could not be asked, if it was to be asked.
    #[must_use]
    pub fn store_unreachable(&self) -> Option<&'static str> {
        match self.told.store {
            Some(Err(reason)) => Some(reason.word()),
            Some(Ok(())) | None => None,
        }
    }

    /// Writes the log line. `code` is the problem's, or empty.
    pub fn log(&self, status: u16, code: &str, total: Duration) {
        let [keep, make, call_back, ignore] = self.verdicts;
        let [read_us, observe_us, decide_us, act_us, respond_us] = self.micros;
        let store = match self.told.store {
            None => "",
            Some(Ok(())) => "reachable",
            Some(Err(reason)) => reason.word(),
        };
        macro_rules! line {
            ($level:ident) => {
                $level!(
                    hook = self.hook,
                    call = self.call.name(),
                    namespace = self.namespace,
                    name = self.name,
                    status,
                    code,
                    state = self.told.state.unwrap_or_default(),
                    store,
                    keep,
                    make,
                    call_back,
                    called_back = self.called_back.join("; "),
                    ignore,
                    failed_effects = self.failed_effects,
                    bytes_in = self.bytes_in,
                    bytes_out = self.bytes_out,
                    read_us,
                    observe_us,
                    decide_us,
                    act_us,
                    respond_us,
                    total_us = micros(total),
                    "call"
                )
            };
        }
        match status {
            500 => line!(error),
            400.. => line!(warn),
            _ if self.failed_effects > 0 => line!(warn),
            _ => line!(info),
        }
    }
}

/// A call-back as people look for it: `Pod crawl-news-1 (O5: the pod is lost)`.
fn named(verdict: &Verdict) -> String {
    let name: String = verdict.name.chars().take(NAME_MAX).collect();
    format!("{} {name} ({}: {})", verdict.kind, verdict.rule, verdict.reason)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
