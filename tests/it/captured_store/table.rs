//! Answers as two tables to read: the life of each recording, and what other fates of its pods would have changed. Takes
//! calls, gives text; judges nothing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::cluster::Wish;
use super::film::{Film, Step};
use super::pods::Fate;
use super::recording::{Recording, Snapshot};
use crate::decided::called_back;
use crate::judge::made;

const COLUMNS: [&str; 9] = [
    "snapshot", "wish", "pods", "entries", "state", "pages", "files", "says", "children",
];

/// The rows of one recording.
pub(super) struct Life<'a> {
    recording: &'a Recording,
    rows: Vec<[String; 9]>,
}

impl<'a> Life<'a> {
    pub(super) fn head() -> String {
        "Every recording as its cluster would show it, one row whenever more than the pages differs from the row before.\n\
         pages: done/found, and failed ones; says: conditions that are not as usual, and what is written into the register;\n\
         children: + made, - left out and why. A snapshot has several rows when its answer rests only after several calls.\n"
            .to_owned()
    }

    pub(super) fn of(recording: &'a Recording) -> Self {
        Self {
            recording,
            rows: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, snapshot: &Snapshot, step: &Step) {
        let row = [
            snapshot.name.clone(),
            wish(self.recording, step.wish),
            pods(step),
            entries(snapshot),
            state(step),
            pages(&step.answer["status"]),
            step.answer["status"]["filesAdded"].to_string(),
            says(step),
            children(step),
        ];
        let telling = |row: &[String; 9]| (row[1..5].to_vec(), row[6..].to_vec());
        if self.rows.last().is_none_or(|last| telling(last) != telling(&row)) {
            self.rows.push(row);
        }
    }

    pub(super) fn text(&self) -> String {
        let head = COLUMNS.map(str::to_owned);
        let rows: Vec<&[String; 9]> = std::iter::once(&head).chain(&self.rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let mut text = format!("\n{}: {}\n", self.recording.name, self.recording.about);
        for row in &rows {
            let cells = row
                .iter()
                .enumerate()
                .map(|(at, cell)| format!("{cell:<0$}", width(at)));
            let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        text
    }
}

/// What other fates would have changed, for every situation that the rules tell apart.
pub(super) struct Fates {
    known: BTreeSet<String>,
    blocks: Vec<(String, Vec<(Fate, String)>)>,
}

impl Fates {
    pub(super) fn new() -> Self {
        Self {
            known: BTreeSet::new(),
            blocks: Vec::new(),
        }
    }

    /// Whether a situation is met for the first time; its answers are added next.
    pub(super) fn is_new(&mut self, film: &Film<'_>, snapshot: &Snapshot) -> bool {
        let situation = situation(film, snapshot);
        let is_new = self.known.insert(situation.clone());
        if is_new {
            let title = format!("{} {}: {situation}", film.recording().name, snapshot.name);
            self.blocks.push((title, Vec::new()));
        }
        is_new
    }

    pub(super) fn add(&mut self, fate: Fate, steps: &[Step]) {
        let mut told: Vec<String> = Vec::new();
        for step in steps {
            let parts = [state(step), says(step), children(step)];
            let filled: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let line = filled.join("; ");
            if told.last() != Some(&line) {
                told.push(line);
            }
        }
        if let Some((_, answers)) = self.blocks.last_mut() {
            answers.push((fate, told.join("  >  ")));
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text =
            "Snapshots beside pods that were not recorded. What several fates have in common is told once.\n\
             >: the next answer, once the register shows what this one wrote.\n"
                .to_owned();
        for (title, answers) in &self.blocks {
            let _ = writeln!(text, "\n{title}");
            let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
            for (fate, answer) in answers {
                match told.iter_mut().find(|(known, _)| known == answer) {
                    Some((_, fates)) => fates.push(fate.word()),
                    None => told.push((answer, vec![fate.word()])),
                }
            }
            for (answer, fates) in told {
                let _ = writeln!(text, "    {}: {answer}", fates.join(", "));
            }
        }
        text
    }
}

/// What the rules can tell apart in a snapshot.
fn situation(film: &Film<'_>, snapshot: &Snapshot) -> String {
    let members = |key: &str| {
        let value = &snapshot.keys.get(key).map_or(&Value::Null, |kept| &kept["value"]);
        value
            .as_array()
            .map_or_else(|| value.as_object().map_or(0, serde_json::Map::len), Vec::len)
    };
    let some = |count: usize| match count {
        0 => "no",
        1 => "one",
        _ => "many",
    };
    let sizes = snapshot
        .keys
        .get("news:size")
        .map_or(&Value::Null, |kept| &kept["value"]);
    let sizes = sizes.as_object().into_iter().flatten().map(|(_, size)| {
        let bytes: u64 = size.as_str().and_then(|text| text.parse().ok()).unwrap_or(0);
        if bytes <= 4096 { "empty" } else { "unsaved" }
    });
    let wished = Wish::at(film.recording(), snapshot);
    // Only a pause looks at what is not saved while nothing is over (P1).
    let sizes: Vec<&str> = sizes.filter(|_| wished.paused).collect();
    let done = snapshot.keys.contains_key("news:d");
    let queue = members("news:q") + members("news:p");
    let register = film.register();
    let mut words = vec![
        entries(snapshot),
        sizes.join("+"),
        format!("{} page seen", some(members("news:s"))),
        if done { "some done" } else { "none done" }.to_owned(),
        format!("{} queued", if queue == 0 { "none" } else { "some" }),
        format!("{} file", some(members("crawls-done"))),
        wish(film.recording(), wished),
    ];
    for field in ["flushed", "result"] {
        match &register[field] {
            Value::Bool(true) => words.push(field.to_owned()),
            Value::String(result) => words.push(format!("register says {result}")),
            Value::Null | Value::Bool(false) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words.join(", ")
}

fn wish(recording: &Recording, wish: Wish) -> String {
    let mut words = Vec::new();
    if wish.scale < recording.scale() {
        words.push(format!("scale {}", wish.scale));
    }
    let flags = [
        (wish.paused, "pause"),
        (wish.stopping, "stop"),
        (wish.deleted, "delete"),
    ];
    words.extend(
        flags
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, word)| word.to_owned()),
    );
    words.join(" ")
}

fn pods(step: &Step) -> String {
    let words = step.pods.iter().map(|(index, pod)| format!("{index} {}", pod.word()));
    words.collect::<Vec<_>>().join(", ")
}

fn entries(snapshot: &Snapshot) -> String {
    let kept = snapshot
        .keys
        .get("news:status")
        .map_or(&Value::Null, |kept| &kept["value"]);
    let words = kept.as_object().into_iter().flatten().map(|(name, entry)| {
        let index = name.strip_prefix("crawl-news-").unwrap_or(name);
        format!("{index} {}", entry.as_str().unwrap_or_default())
    });
    words.collect::<Vec<_>>().join(", ")
}

fn state(step: &Step) -> String {
    step.answer["status"]["state"].as_str().unwrap_or_default().to_owned()
}

fn pages(status: &Value) -> String {
    let failed = match status["pagesFailed"].as_u64() {
        Some(0) | None => String::new(),
        Some(failed) => format!(" {failed} failed"),
    };
    format!("{}/{}{failed}", status["pagesDone"], status["pagesFound"])
}

/// Conditions that are not as usual, the stop reason, and what the register is told that matters later.
fn says(step: &Step) -> String {
    let status = &step.answer["status"];
    let mut words = Vec::new();
    for condition in status["conditions"].as_array().into_iter().flatten() {
        let word = |field: &str| condition[field].as_str().unwrap_or_default();
        let usual = match word("type") {
            "SpecValid" | "StoreReachable" | "RegisterWritten" => "True",
            "Complete" | "Failed" | "Paused" | "Queued" => word("status"),
            _ => "",
        };
        if word("status") != usual {
            words.push(format!("{} {}", word("type"), word("reason")));
        }
    }
    if let Some(reason) = status["stopReason"].as_str() {
        words.push(format!("stop reason {reason}"));
    }
    let (before, after) = (&step.register, &step.written);
    if before["result"].is_null() && !after["result"].is_null() {
        words.push(format!("writes {}: {}", after["result"], after["because"]).replace('"', ""));
    }
    if before["flushed"] != after["flushed"] && !after.is_null() {
        words.push(format!("writes flushed {}", after["flushed"]));
    }
    words.join(", ")
}

/// Made and left out.
fn children(step: &Step) -> String {
    let short = |kind: &str| match kind {
        "PersistentVolumeClaim" => "PVC".to_owned(),
        "ConfigMap" => "CM".to_owned(),
        other => other.to_owned(),
    };
    let made = made(&step.body, &step.answer).into_iter();
    let made = made.map(|(kind, name)| format!("+{}/{name}", short(&kind)));
    let gone = called_back(&step.decision).map(|verdict| {
        let kind = short(verdict.kind);
        format!("-{kind}/{} ({} {})", verdict.name, verdict.rule, verdict.reason)
    });
    made.chain(gone).collect::<Vec<_>>().join(" ")
}
