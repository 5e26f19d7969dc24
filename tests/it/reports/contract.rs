//! What the caller expects of every answer: declared kinds, the labels that select them, fields that the CRD keeps, and the
//! same answer whatever the keys of a call are.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::call::Call;
use super::seen::Seen;
use super::states::{backing_off, unschedulable};
use crate::contract::manifest;

/// What the server would store of a value: fields that no schema names go. Gives the paths of those.
fn pruned(schema: &Value, value: &Value, path: &str, lost: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let inner = [&schema["properties"][name], &schema["additionalProperties"]]
                    .into_iter()
                    .find(|inner| inner.is_object());
                match inner {
                    Some(inner) => pruned(inner, field, &format!("{path}.{name}"), lost),
                    None => lost.push(format!("{path}.{name}")),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| pruned(&schema["items"], item, path, lost)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Without a status subresource every write of the status is a new generation, and a field that the schema does not name
/// is lost and written again.
#[tokio::test]
async fn b05_the_status_is_a_subresource_and_keeps_every_field() {
    let yaml = rollcall::api::crds_yaml().expect("the CRD can be written");
    let crd: Value = serde_saphyr::from_str(yaml.trim_start_matches("---")).expect("YAML");
    let version = &crd["spec"]["versions"][0];
    assert_eq!(version["subresources"]["status"], json!({}));
    let schema = &version["schema"]["openAPIV3Schema"]["properties"]["status"];
    let mut queued = Call::new().spec("org", "acme").register(json!({"started": false}));
    queued.config.crawl.max_concurrent = 1;
    let calls = [
        Call::new(),
        Call::at_work(2).crawler(0, backing_off(137)),
        Call::at_work(250).crawler(3, unschedulable()),
        Call::at_work(1).unreachable("timeout"),
        Call::at_work(1)
            .register(json!({"result": "complete", "finishedAt": "2026-11-30T12:30:00Z", "stopReason": "time_limit"})),
        Call::at_work(1).finalizing(),
        queued,
    ];
    for call in calls {
        let seen = call.ask().await;
        let mut lost = Vec::new();
        // Added by the caller.
        let mut status = seen.answer["status"].clone();
        status["observedGeneration"] = 1.into();
        pruned(schema, &status, "status", &mut lost);
        assert!(lost.is_empty(), "{lost:?}");
    }
}

fn children(seen: &Seen) -> Vec<Value> {
    seen.answer["children"].as_array().cloned().unwrap_or_default()
}

/// One child without a label of the parent's selector stops the whole sync, the status as well.
#[tokio::test]
async fn b13_every_child_carries_the_labels_that_select_it() {
    let mut queued = Call::at_work(1).spec("org", "acme");
    queued.config.crawl.max_concurrent = 1;
    let copied = queued.clone().edit("Pod", "crawl-news-0", |pod| {
        pod["metadata"]["labels"] = json!({"controller-uid": "5c1", "rollcall.dev/crawl": "another"});
    });
    let calls = [
        Call::new(),
        queued.clone(),
        copied,
        queued.clone().finalizing(),
        queued.clone().spec("crawlerChannel", "none such"),
        Call::at_work(1).without("Pod", "redis-news"),
        queued.register(json!({"result": "failed"})),
    ];
    for call in calls {
        let seen = call.ask().await;
        for child in children(&seen) {
            assert_eq!(child["metadata"]["labels"]["rollcall.dev/crawl"], "news", "{child}");
            assert_eq!(child["metadata"]["labels"]["controller-uid"], Value::Null, "{child}");
        }
    }
    // A second label is refused by the design: the selector is the name and nothing else, so that a job made again adopts.
    for labels in [
        json!({"rollcall.dev/crawl": "news", "tier": "x"}),
        json!({"tier": "x"}),
        json!({"rollcall.dev/crawl": "blog"}),
        json!({}),
    ] {
        let seen = Call::new().spec("selector", json!({"matchLabels": labels})).ask().await;
        assert_eq!(
            (seen.condition("SpecValid"), seen.lists().as_str()),
            ("False", ""),
            "{labels}"
        );
        assert!(seen.message("SpecValid").contains("selector.matchLabels"), "{labels}");
    }
}

/// A child of a kind that the controller does not declare is made once, never seen, and never agreed on.
#[tokio::test]
async fn b14_only_declared_kinds_in_the_namespace_of_the_parent() {
    let declared = manifest("crawljob");
    let declared: BTreeSet<&str> = declared["spec"]["childResources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|kind| kind["resource"].as_str())
        .collect();
    let mut queued = Call::at_work(2).spec("org", "acme").without("Pod", "redis-news");
    queued.config.crawl.max_concurrent = 1;
    for call in [
        Call::new(),
        queued,
        Call::at_work(2).without("Pod", "crawl-news-1"),
        Call::at_work(1).finalizing(),
    ] {
        let elsewhere = call.clone().meta("namespace", "elsewhere").send().await;
        for (seen, namespace) in [(call.ask().await, "crawls"), (elsewhere, "elsewhere")] {
            for child in children(&seen) {
                let plural = format!("{}s", child["kind"].as_str().unwrap_or_default().to_lowercase());
                assert!(declared.contains(plural.as_str()), "{plural}");
                assert_eq!(
                    (&child["metadata"]["namespace"], &child["apiVersion"]),
                    (&json!(namespace), &json!("v1"))
                );
            }
        }
    }
}

/// A value that is made up in each call is a difference in each call.
#[tokio::test]
async fn b29_what_is_made_is_the_same_in_every_call() {
    let missing = Call::at_work(2)
        .without("Pod", "crawl-news-1")
        .without("PersistentVolumeClaim", "crawl-news-1");
    let store_gone = Call::at_work(1)
        .without("Pod", "redis-news")
        .without("PersistentVolumeClaim", "redis-news");
    for call in [
        Call::new(),
        missing,
        store_gone,
        Call::new().register(json!({"started": false})),
    ] {
        let first = call.ask().await;
        for later in ["2026-11-30T13:00:01Z", "2026-11-30T14:00:00Z", "2027-06-01T00:00:00Z"] {
            let again = call.clone().at(later).ask().await;
            assert_eq!(again.answer["children"], first.answer["children"], "{later}");
        }
    }
}

/// The keys of hook version v2 carry the namespace, and a look-up by bare name missed every child.
#[tokio::test]
async fn b30_children_are_known_by_their_names_and_not_by_the_keys() {
    let call = Call::at_work(2);
    let expected = call.ask().await.bytes;
    for key in ["{name}", "crawls/{name}", "elsewhere/{name}", "{number}"] {
        let mut other = call.clone();
        for (_, group) in other.body["children"].as_object_mut().expect("groups") {
            let objects = group
                .as_object_mut()
                .map(std::mem::take)
                .unwrap_or_default()
                .into_iter()
                .enumerate();
            let renamed = objects.map(|(number, (_, object))| {
                let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
                (
                    key.replace("{name}", &name)
                        .replace("{number}", &format!("{}", 9 - number)),
                    object,
                )
            });
            *group = Value::Object(renamed.collect());
        }
        assert_eq!(other.send().await.bytes, expected, "{key}");
    }
}
