//! The CRDs as the API server will read them: structural, complete for what we write, and quiet.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::v1::crawljob_status::{CrawlState, PodStatus, QueueStatus, RedisStatus, StopReason};
use super::v1::{Condition, ConditionStatus, CrawlJobStatus};
use super::{crds, crds_yaml};

fn schema() -> Value {
    json!(crds()[0])["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Every schema below `schema`, with the path to it.
fn walk(path: &str, schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
    visit(path, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(&format!("{path}.{name}"), property, visit);
    }
    for (word, inner) in [("[]", &schema["items"]), ("{}", &schema["additionalProperties"])] {
        if inner.is_object() {
            walk(&format!("{path}{word}"), inner, visit);
        }
    }
}

/// What the API server stores of `value`: unknown fields go.
fn pruned(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(fields) if schema["x-kubernetes-preserve-unknown-fields"] != true => {
            let inner = |name: &str| {
                match &schema["properties"][name] {
                    Value::Null => &schema["additionalProperties"],
                    property => property,
                }
                .as_object()
            };
            let kept = fields.iter().filter(|(name, _)| inner(name).is_some());
            kept.map(|(name, field)| (name.clone(), pruned(&json!(inner(name)), field)))
                .collect()
        }
        Value::Array(items) => items.iter().map(|item| pruned(&schema["items"], item)).collect(),
        other => other.clone(),
    }
}

fn every_field() -> CrawlJobStatus {
    let text = || Some("text".to_owned());
    CrawlJobStatus {
        state: CrawlState::PendingWait,
        stop_reason: Some(StopReason::TimeLimit),
        pages_found: 9,
        pages_done: 7,
        pages_failed: 1,
        size: 5,
        size_pending: 4,
        size_human: "5 B".to_owned(),
        scale: 2,
        desired_scale: 2,
        files_added: 3,
        files_added_size: 1,
        started_at: text(),
        finished_at: text(),
        crawl_exec_seconds: 60,
        elapsed_seconds: 60,
        pods: BTreeMap::from([(
            "0".to_owned(),
            PodStatus {
                state: "running".to_owned(),
                reason: text(),
                exit_code: Some(11),
                exit_time: text(),
                restarts: 1,
                memory: text(),
                storage: text(),
            },
        )]),
        pod_counts: BTreeMap::from([("running".to_owned(), 1)]),
        redis: Some(RedisStatus {
            state: "running".to_owned(),
            reason: text(),
        }),
        queue: Some(QueueStatus { position: 1, ahead: 0 }),
        conditions: vec![Condition {
            r#type: "Complete".to_owned(),
            status: ConditionStatus::False,
            reason: "Crawling".to_owned(),
            message: "Pages are left.".to_owned(),
            last_transition_time: "2026-12-01T09:00:00Z".to_owned(),
        }],
        observed_generation: Some(1),
    }
}

#[test]
fn every_field_of_a_status_outlives_pruning() {
    let status = json!(every_field());
    assert_eq!(status.as_object().unwrap().len(), 22, "a field is left out above");
    assert_eq!(pruned(&schema()["properties"]["status"], &status), status);
    assert_ne!(
        pruned(&schema()["properties"]["status"], &json!({"unknown": 1})),
        json!({"unknown": 1})
    );
}

#[test]
fn the_crawlers_own_configuration_outlives_pruning() {
    let spec = json!({"config": {"seeds": [{"url": "https://example.org/", "depth": null}], "new": {"option": 1}}});
    assert_eq!(pruned(&schema()["properties"]["spec"], &spec), spec);
}

#[test]
fn the_schema_is_structural_and_has_only_formats_that_the_api_server_knows() {
    walk("", &schema(), &mut |path, schema| {
        assert!(
            schema["type"].is_string() || schema["x-kubernetes-int-or-string"] == true,
            "{path} has no type"
        );
        for word in ["anyOf", "oneOf", "allOf", "not", "$ref", "nullable"] {
            assert!(schema[word].is_null(), "{path} has {word}");
        }
        let format = schema["format"].as_str();
        assert!(
            matches!(format, None | Some("int32" | "int64")),
            "{path} has {format:?}"
        );
        assert!(
            path.is_empty() || path.ends_with(['}', ']']) || schema["description"].is_string(),
            "{path}"
        );
    });
}

#[test]
fn nothing_of_a_status_is_required() {
    assert!(schema()["properties"]["status"]["required"].is_null());
}

#[test]
fn the_yaml_reads_back_as_the_same_crd() {
    let yaml: Value = serde_saphyr::from_str(&crds_yaml().unwrap()).unwrap();
    assert_eq!(yaml, json!(crds()[0]));
}
