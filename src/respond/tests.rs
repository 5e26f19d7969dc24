//! Answers: order, strictness, and what is never written.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::{Value, json};

use super::*;

fn config_map(name: Option<&str>) -> Child {
    let mut map = ConfigMap::default();
    map.metadata.name = name.map(Into::into);
    Child::ConfigMap(Box::new(map))
}

fn pod(name: &str) -> Child {
    let mut pod = Pod::default();
    pod.metadata.name = Some(name.into());
    Child::Pod(Box::new(pod))
}

fn written(children: &[Child]) -> Value {
    serde_json::from_slice(&strict::to_vec(&sorted(children).unwrap()).unwrap()).unwrap()
}

#[test]
fn children_are_sorted_by_kind_then_name_and_say_what_they_are() {
    let children = written(&[pod("b"), pod("a"), config_map(Some("z"))]);
    assert_eq!(
        children,
        json!([
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "z"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}},
        ])
    );
}

#[test]
fn a_reference_and_a_full_pod_of_one_name_are_the_same_child() {
    let reference = Child::Reference(Reference {
        api_version: "v1",
        kind: "Pod",
        namespace: "crawls".into(),
        name: "a".into(),
        labels: vec![],
    });
    let fault = sorted(&[reference, pod("a")]).err();
    assert_eq!(
        fault,
        Some(AnswerFault::Twice {
            kind: "Pod",
            name: "a".into()
        })
    );
}

#[test]
fn a_child_without_a_name_is_refused() {
    assert_eq!(
        sorted(&[config_map(None)]).err(),
        Some(AnswerFault::Nameless { kind: "ConfigMap" })
    );
}

#[test]
fn a_null_or_a_number_that_json_lacks_is_refused() {
    assert!(strict::to_vec(&json!({"status": {"state": null}})).is_err());
    assert!(strict::to_vec(&f64::NAN).is_err());
    assert_eq!(strict::to_vec(&json!({"a": "null"})).unwrap(), br#"{"a":"null"}"#);
}

#[test]
fn a_problem_is_short_and_whole_characters_stay_whole() {
    let body = problem(400, "Bad Request", "not-json", &"\u{e4}\n".repeat(1000));
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem["detail"].as_str().unwrap().chars().count(), 512);
    assert_eq!(problem["type"], "about:blank");
    assert_eq!(problem["status"], 400);
    assert!(body.len() < 2048);
}
