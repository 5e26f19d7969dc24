//! The copy for `rollcall recover`, and previous answers of every quality.

use proptest::prelude::{any, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::{compact, job, previous};
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::request::Parent;

fn parent(metadata: &str) -> String {
    format!(
        r#"{{"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob", "status": {{"state": "running"}}, "metadata": {metadata},
            "spec": {{ "scale" : 2,  "config": {{"x": "a  \" b", "n": 1.50e400}} }} }}"#
    )
}

#[test]
fn the_copy_holds_what_apply_needs_and_nothing_of_the_server() {
    let text = parent(
        r#"{"name": "news", "namespace": "crawls", "uid": "u", "resourceVersion": "7", "generation": 3, "managedFields": [{}],
            "finalizers": ["f"], "labels": {"b": "2", "a": "1"}, "annotations": {"note": "é",
            "kubectl.kubernetes.io/last-applied-configuration": "{}"}}"#,
    );
    let parent: Parent<'_> = serde_json::from_str(&text).unwrap();
    let expected = concat!(
        r#"{"apiVersion":"rollcall.dev/v1","kind":"CrawlJob","metadata":{"name":"news","namespace":"crawls","#,
        r#""labels":{"a":"1","b":"2"},"annotations":{"note":"é"}},"#,
        r#""spec":{"scale":2,"config":{"x":"a  \" b","n":1.50e400}}}"#,
    );
    assert_eq!(job(&parent).recoverable, expected);
}

#[test]
fn a_parent_without_labels_or_spec_is_copied_too() {
    let text = r#"{"apiVersion": "a", "kind": "K", "metadata": {"name": "n", "namespace": "s", "uid": "u", "labels": null,
        "creationTimestamp": "never", "deletionTimestamp": "2999-01-01T00:00:00Z", "finalizers": ["x", "orphan"]}, "spec": null}"#;
    let job = job(&serde_json::from_str(text).unwrap());
    assert_eq!(
        job.recoverable,
        r#"{"apiVersion":"a","kind":"K","metadata":{"name":"n","namespace":"s"}}"#
    );
    assert_eq!((job.created, job.terminating, job.orphan), (None, true, true));
}

#[test]
fn a_previous_answer_gives_what_it_says() {
    let status = json!({"state": "stopped_by_user", "stopReason": "stopped_by_user", "startedAt": "2026-11-30T12:00:00Z",
        "finishedAt": "2026-11-30T13:00:00+00:00", "pagesFound": 3, "pagesDone": 2, "pagesFailed": 1, "sizePending": 9,
        "crawlExecSeconds": 60, "elapsedSeconds": 30, "pods": {"0": {}}, "conditions": [
            {"type": "Complete", "status": "True", "reason": "R", "message": "M", "lastTransitionTime": "T"}, {"type": 1}]});
    let previous = previous(Some(&status.to_string()));
    assert_eq!(
        (previous.state, previous.stop_reason),
        (Some(CrawlState::StoppedByUser), Some(StopReason::StoppedByUser))
    );
    assert!(previous.finished_at > previous.started_at && previous.started_at.is_some());
    assert_eq!(
        (
            previous.pages_found,
            previous.pages_done,
            previous.pages_failed,
            previous.size_pending
        ),
        (3, 2, 1, 9)
    );
    assert_eq!(
        (
            previous.crawl_exec_seconds,
            previous.elapsed_seconds,
            previous.conditions.len()
        ),
        (60, 30, 1)
    );
}

#[test]
fn one_unreadable_field_costs_no_other() {
    let status = json!({"state": "dancing", "stopReason": 1, "startedAt": "soon", "finishedAt": {}, "pagesFound": -1,
        "pagesDone": 7, "pagesFailed": "x", "sizePending": 1.5, "conditions": "none", "elapsedSeconds": null});
    let previous = previous(Some(&status.to_string()));
    assert_eq!(
        (
            previous.state,
            previous.started_at,
            previous.pages_found,
            previous.pages_done
        ),
        (None, None, 0, 7)
    );
    assert!(previous.conditions.is_empty());
}

#[test]
fn no_previous_answer_is_an_empty_one() {
    for status in [
        None,
        Some("null"),
        Some("[]"),
        Some("7"),
        Some("{}"),
        Some("\"running\""),
    ] {
        let previous = previous(status);
        assert_eq!(
            (previous.state, previous.pages_found, previous.conditions.len()),
            (None, 0, 0),
            "{status:?}"
        );
    }
}

proptest! {
    #[test]
    fn compacting_changes_no_value(key in any::<String>(), text in any::<String>(), number in any::<i64>()) {
        let value = json!({key: [text, number, {"a": null}]});
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(compact(&pretty), value.to_string());
        prop_assert_eq!(serde_json::from_str::<Value>(&compact(&pretty)).unwrap(), value);
    }
}
