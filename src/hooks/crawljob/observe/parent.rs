//! What the parent says of itself: its identity, the copy that `rollcall recover` prints, and our previous answer.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::api::v1::Condition;
use crate::hooks::crawljob::observed::{Job, Previous};
use crate::observed::{Timestamp, time};
use crate::request::Parent;
use crate::request::text::Pairs;

/// The parent's identity.
pub(super) fn job(parent: &Parent<'_>) -> Job {
    let meta = &parent.metadata;
    Job {
        name: meta.name.to_string(),
        namespace: meta.namespace.to_string(),
        created: meta.creation_timestamp.as_deref().and_then(time::read),
        terminating: meta.terminating,
        orphan: meta.finalizers.iter().any(|finalizer| &**finalizer == "orphan"),
        recoverable: recoverable(parent),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Recoverable<'a> {
    api_version: &'a str,
    kind: &'a str,
    metadata: RecoverableMeta<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct RecoverableMeta<'a> {
    name: &'a str,
    namespace: &'a str,
    #[serde(skip_serializing_if = "Map::is_empty")]
    labels: Map<'a>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    annotations: Map<'a>,
}

type Map<'a> = std::collections::BTreeMap<&'a str, &'a str>;

fn recoverable(parent: &Parent<'_>) -> String {
    fn map<'p>(pairs: &'p Pairs<'_>) -> Map<'p> {
        pairs.iter().map(|(key, value)| (&**key, &**value)).collect()
    }
    let meta = &parent.metadata;
    let recoverable = Recoverable {
        api_version: &parent.api_version,
        kind: &parent.kind,
        metadata: RecoverableMeta {
            name: &meta.name,
            namespace: &meta.namespace,
            labels: map(&meta.labels),
            annotations: map(&meta.annotations),
        },
        spec: parent
            .spec
            .and_then(|spec| RawValue::from_string(compact(spec.get())).ok()),
    };
    // Text and raw JSON only: this always has a form.
    serde_json::to_string(&recoverable).unwrap_or_default()
}

/// The same JSON without the white space between its tokens; numbers and order stay as they are, at any depth.
fn compact(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let kept = json.chars().filter(|c| {
        if escaped {
            escaped = false;
        } else if *c == '"' {
            inside = !inside;
        } else if inside && *c == '\\' {
            escaped = true;
        }
        inside || !c.is_ascii_whitespace()
    });
    kept.collect()
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawPrevious<'a> {
    #[serde(borrow)]
    state: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_reason: Option<&'a RawValue>,
    #[serde(borrow)]
    started_at: Option<&'a RawValue>,
    #[serde(borrow)]
    finished_at: Option<&'a RawValue>,
    #[serde(borrow)]
    pages_found: Option<&'a RawValue>,
    #[serde(borrow)]
    pages_done: Option<&'a RawValue>,
    #[serde(borrow)]
    pages_failed: Option<&'a RawValue>,
    #[serde(borrow)]
    size_pending: Option<&'a RawValue>,
    #[serde(borrow)]
    crawl_exec_seconds: Option<&'a RawValue>,
    #[serde(borrow)]
    elapsed_seconds: Option<&'a RawValue>,
    #[serde(borrow)]
    conditions: Option<&'a RawValue>,
}

/// Our previous answer. Each field stands for itself: one that can't be read is unset, the others count.
pub(super) fn previous(status: Option<&str>) -> Previous {
    let raw: RawPrevious<'_> = status
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    Previous {
        state: value(raw.state),
        stop_reason: value(raw.stop_reason),
        started_at: instant(raw.started_at),
        finished_at: instant(raw.finished_at),
        pages_found: value(raw.pages_found).unwrap_or(0),
        pages_done: value(raw.pages_done).unwrap_or(0),
        pages_failed: value(raw.pages_failed).unwrap_or(0),
        size_pending: value(raw.size_pending).unwrap_or(0),
        crawl_exec_seconds: value(raw.crawl_exec_seconds).unwrap_or(0),
        elapsed_seconds: value(raw.elapsed_seconds).unwrap_or(0),
        conditions: conditions(raw.conditions),
    }
}

fn value<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

fn instant(raw: Option<&RawValue>) -> Option<Timestamp> {
    time::read(&value::<String>(raw)?)
}

fn conditions(raw: Option<&RawValue>) -> Vec<Condition> {
    let each: Vec<&RawValue> = value(raw).unwrap_or_default();
    each.into_iter().filter_map(|one| value(Some(one))).collect()
}
