//! Takes the API server's audit log; gives what the driver wrote in one namespace, in order. Counts are exact whichever
//! driver runs, and whatever it believes it did.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cluster::{User, audit_log};
use crate::kubelet::text;

/// One accepted write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) verb: String,
    /// Plural, with `/status` for that part.
    pub(crate) resource: String,
    pub(crate) name: String,
}

/// The driver's writes in the namespace so far.
pub(crate) fn writes(namespace: &str) -> Vec<Write> {
    let log = std::fs::read_to_string(audit_log()).expect("the audit log is there");
    let lines = log.lines().filter(|line| line.contains(namespace));
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter_map(|event: Value| write(&event, namespace))
        .collect()
}

fn write(event: &Value, namespace: &str) -> Option<Write> {
    let object = &event["objectRef"];
    let driver = [User::Driver, User::Tamed]
        .into_iter()
        .any(|user| event["user"]["username"] == user.name());
    let ours = driver && object["namespace"] == namespace;
    let accepted = event["responseStatus"]["code"].as_u64().is_some_and(|code| code < 300);
    let stage = event["stage"] == "ResponseComplete" && object["resource"] != "events";
    (ours && accepted && stage).then(|| {
        let part = object["subresource"]
            .as_str()
            .map(|part| format!("/{part}"))
            .unwrap_or_default();
        let resource = format!("{}{part}", text(&object["resource"]));
        Write {
            verb: text(&event["verb"]),
            resource,
            name: text(&object["name"]),
        }
    })
}

/// Writes that the user had no right to.
pub(crate) fn forbidden(user: User) -> Vec<String> {
    let log = std::fs::read_to_string(audit_log()).expect("the audit log is there");
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let refused =
        events.filter(|event| event["responseStatus"]["code"] == 403 && event["user"]["username"] == user.name());
    refused
        .map(|event| format!("{} {}", text(&event["verb"]), text(&event["requestURI"])))
        .collect()
}

/// How often each kind of write happened, for a test's report.
pub(crate) fn counts(writes: &[Write]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for write in writes {
        *counts.entry(format!("{} {}", write.verb, write.resource)).or_default() += 1;
    }
    counts
}
