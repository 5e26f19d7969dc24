//! What one decision comes to, as plain data, and its two forms: tables for people, JSON for programs. The JSON is these
//! types; what does not apply is left out, and fields are only ever added.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use crate::api::v1::Condition;
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::cli::CliError;
use crate::cli::text::{plain, table};
use crate::desired::{Finalized, Wake};
use crate::hooks::crawljob::decide::Decision;
use crate::hooks::crawljob::observed::Observed;
use crate::observed::Timestamp;
use crate::outside::redis::spelled;
use crate::outside::store::{StoreReading, Unreachable};

/// The whole account: what `--json` prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Account {
    job: JobLine,
    /// `sync` or `finalize`.
    call: &'static str,
    now: String,
    /// `reachable`, or the word for why it could not be asked.
    store: &'static str,
    /// In the order of the decision.
    children: Vec<ChildLine>,
    state: CrawlState,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<StopReason>,
    /// Left out when only an event brings the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    wake_after_seconds: Option<u32>,
    /// Only in finalize.
    #[serde(skip_serializing_if = "Option::is_none")]
    finalized: Option<bool>,
    conditions: Vec<Condition>,
    /// Each a Redis command in words.
    store_writes: Vec<Vec<String>>,
}

/// Who is asked about.
#[derive(Debug, Serialize)]
pub(super) struct JobLine {
    namespace: String,
    name: String,
}

/// One child.
#[derive(Debug, Serialize)]
pub(super) struct ChildLine {
    kind: &'static str,
    name: String,
    /// `keep`, `make`, `call back` or `ignore`.
    verdict: &'static str,
    rule: &'static str,
    reason: String,
}

impl Account {
    pub(super) fn of(observed: &Observed, decision: &Decision, now: Timestamp) -> Self {
        let status = &decision.status;
        let children = decision.verdicts.iter().map(|verdict| ChildLine {
            kind: verdict.kind,
            name: verdict.name.clone(),
            verdict: verdict.does.word(),
            rule: verdict.rule,
            reason: verdict.reason.to_string(),
        });
        Self {
            job: JobLine {
                namespace: observed.job.namespace.clone(),
                name: observed.job.name.clone(),
            },
            call: if observed.finalizing { "finalize" } else { "sync" },
            now: now.to_string(),
            store: match &observed.store {
                StoreReading::Reachable(_) => "reachable",
                StoreReading::Unreachable(why) => why.word(),
            },
            children: children.collect(),
            state: status.state,
            stop_reason: status.stop_reason,
            wake_after_seconds: match decision.wake {
                Wake::OnEvent => None,
                Wake::After(seconds) => Some(seconds),
            },
            finalized: match decision.finalized {
                Finalized::NotAsked => None,
                Finalized::No => Some(false),
                Finalized::Yes => Some(true),
            },
            conditions: status.conditions.clone(),
            store_writes: spelled(&observed.job.name, &decision.effects),
        }
    }

    pub(super) fn write_json(&self, out: &mut impl Write) -> Result<(), CliError> {
        let json = serde_json::to_string_pretty(self).map_err(CliError::failed)?;
        writeln!(out, "{json}").map_err(CliError::failed)
    }

    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let JobLine { namespace, name } = &self.job;
        writeln!(
            out,
            "CrawlJob {}/{}, {} at {}\n",
            plain(namespace),
            plain(name),
            self.call,
            self.now
        )?;
        table(&self.child_rows(), out)?;
        writeln!(out)?;
        table(&self.facts(), out)?;
        writeln!(out)?;
        table(&self.condition_rows(), out)?;
        if self.store_writes.is_empty() {
            return writeln!(out, "\nNothing would be written to the store.");
        }
        writeln!(out, "\nWould be written to the store:")?;
        for command in &self.store_writes {
            writeln!(out, "  {}", plain(&command.join(" ")))?;
        }
        Ok(())
    }

    fn child_rows(&self) -> Vec<[String; 5]> {
        let head = ["KIND", "NAME", "VERDICT", "RULE", "REASON"].map(str::to_owned);
        let children = self.children.iter().map(|child| {
            let ChildLine {
                kind,
                name,
                verdict,
                rule,
                reason,
            } = child;
            [kind, name.as_str(), verdict, rule, reason.as_str()].map(plain)
        });
        std::iter::once(head).chain(children).collect()
    }

    fn facts(&self) -> Vec<[String; 2]> {
        let wake = self.wake_after_seconds.map_or_else(
            || "at the next event".to_owned(),
            |seconds| format!("after {seconds} s"),
        );
        let finalized = self.finalized.map(|yes| {
            let answer = if yes { "yes, the CrawlJob may go" } else { "not yet" };
            ["finalized", answer].map(str::to_owned)
        });
        let facts = [
            ["state".to_owned(), self.state.word().to_owned()],
            [
                "stop reason".to_owned(),
                self.stop_reason.map_or("none".to_owned(), word),
            ],
            ["next call".to_owned(), wake],
            ["store".to_owned(), self.store_in_words()],
        ];
        facts.into_iter().chain(finalized).collect()
    }

    fn store_in_words(&self) -> String {
        match Unreachable::from_word(self.store) {
            None => "was read".to_owned(),
            Some(Unreachable::NoPod) => "not asked: there is no Redis pod".to_owned(),
            Some(Unreachable::NotRunning) => "not asked: the Redis pod does not run".to_owned(),
            Some(Unreachable::Disabled) => "not asked: name it with --store or --store-file".to_owned(),
            Some(Unreachable::OtherJob) => {
                "it is the store of another job: CONFIG GET dbfilename does not name this one".to_owned()
            }
            Some(
                why @ (Unreachable::Refused | Unreachable::Timeout | Unreachable::ErrorAnswer | Unreachable::Garbage),
            ) => format!("no answer: {}", why.word()),
        }
    }

    fn condition_rows(&self) -> Vec<[String; 4]> {
        let head = ["CONDITION", "STATUS", "REASON", "MESSAGE"].map(str::to_owned);
        let conditions = self.conditions.iter().map(|condition| {
            let status = format!("{:?}", condition.status);
            [&condition.r#type, &status, &condition.reason, &condition.message].map(|cell| plain(cell))
        });
        std::iter::once(head).chain(conditions).collect()
    }
}

/// The word that the status has for it.
fn word(reason: StopReason) -> String {
    match serde_json::to_value(reason) {
        Ok(Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}
