//! What is shown, as plain data: a head, a row for each child, the log. Takes the stage, knows no terminal.

use humansize::{BINARY, format_size};
use serde_json::Value;

use super::script::state;
use super::stage::{Entry, JOB, NAMESPACE, Stage, job_key};
use crate::desired::Does;
use crate::sim::api_server::{CLAIM, CONFIG_MAP};
use crate::sim::clock::Millis;
use crate::sim::metacontroller::{terminating, text};

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) state: String,
    pub(super) doing: String,
    pub(super) does: Option<Does>,
    pub(super) why: String,
}

/// State, pages, files, clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) state: String,
    pub(super) pages: String,
    pub(super) files: String,
    pub(super) hook: &'static str,
    pub(super) clock: String,
}

/// The head.
pub(super) fn head(stage: &Stage) -> Head {
    let job = stage.world().api().get(&job_key());
    let number = |field: &str| job.and_then(|job| job["status"][field].as_u64()).unwrap_or(0);
    Head {
        state: state(stage)
            .filter(|state| !state.is_empty())
            .unwrap_or(if job.is_some() { "-" } else { "gone" })
            .to_owned(),
        pages: job.map_or_else(String::new, |_| {
            format!("{} of {} pages", number("pagesDone"), number("pagesFound"))
        }),
        files: job.map_or_else(String::new, |_| {
            let size = format_size(number("filesAddedSize"), BINARY);
            format!("{} files, {size}", number("filesAdded"))
        }),
        hook: if stage.service.is_up() { "up" } else { "down" },
        clock: clock(stage.world().now()),
    }
}

/// The children, as they are in the cluster.
pub(super) fn rows(stage: &Stage) -> Vec<Row> {
    let world = stage.world();
    let pods = world.pods().map(|pod| pod_row(stage, pod));
    let claims = world.api().list(CLAIM).map(|(_, claim)| {
        let phase = text(&claim["status"], "phase");
        let size = claim["status"]["capacity"]["storage"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        row(stage, "PersistentVolumeClaim", claim, phase.to_owned(), size)
    });
    let maps = world
        .api()
        .list(CONFIG_MAP)
        .filter(|(key, _)| key.namespace == NAMESPACE && key.name.contains(JOB));
    let maps = maps.map(|(_, map)| {
        let bytes = map["data"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, value)| value.as_str().map_or(0, str::len));
        row(
            stage,
            "ConfigMap",
            map,
            String::new(),
            format!("{} bytes", bytes.sum::<usize>()),
        )
    });
    pods.chain(claims).chain(maps).collect()
}

fn pod_row(stage: &Stage, pod: &Value) -> Row {
    let unsaved = stage.world().disk_of(pod).map_or(0, |disk| disk.unsaved.len());
    let doing = stage.world().doing(pod).unwrap_or_default();
    let held = if unsaved > 0 {
        format!("{doing} [{unsaved} unsaved]")
    } else {
        doing.to_owned()
    };
    row(stage, "Pod", pod, pod_state(pod), held)
}

fn row(stage: &Stage, kind: &'static str, object: &Value, phase: String, note: String) -> Row {
    let name = text(&object["metadata"], "name").to_owned();
    let hook_is_up = stage.service.is_up();
    let verdict = stage.verdicts.get(&(kind, name.clone())).filter(|_| hook_is_up);
    Row {
        kind,
        state: if terminating(object) {
            "Terminating".to_owned()
        } else {
            phase
        },
        doing: note,
        does: verdict.map(|verdict| verdict.does),
        why: verdict.map_or_else(
            || if hook_is_up { "" } else { "no answer" }.to_owned(),
            |verdict| format!("{} {}", verdict.rule, verdict.reason),
        ),
        name,
    }
}

fn pod_state(pod: &Value) -> String {
    let status = &pod["status"];
    let container = &status["containerStatuses"][0]["state"];
    let reason = [
        &status["reason"],
        &container["waiting"]["reason"],
        &container["terminated"]["reason"],
    ];
    match reason.iter().find_map(|reason| reason.as_str()) {
        Some(reason) => reason.to_owned(),
        None => text(status, "phase").to_owned(),
    }
}

/// What a verdict does, in one word.
pub(super) fn word(does: Option<Does>) -> &'static str {
    does.map_or("", Does::word)
}

/// A log line as text.
pub(super) fn line(entry: &Entry) -> String {
    format!("{}  {:<14} {}", clock(entry.at), entry.who, entry.what)
}

/// Hours, minutes and seconds of the virtual day.
pub(super) fn clock(at: Millis) -> String {
    let seconds = at.div_euclid(1000).rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
