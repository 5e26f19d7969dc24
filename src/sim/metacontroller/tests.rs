//! One case for each line of what the caller does.

use serde_json::{Value, json};

use super::answer::{AnswerFault, decode};
use super::plan::{Plan, Step, plan};
use super::selector::{Selector, SelectorFault};
use super::{Controller, ControllerFault, HookCall, Kind, claim, related, request, retry};
use crate::sim::apply::LAST_APPLIED;

mod owners;

type Fallible = Result<(), Box<dyn std::error::Error>>;

const FINALIZER: &str = "metacontroller.io/compositecontroller-crawljob";

fn kinds() -> Vec<Kind> {
    vec![
        Kind::new("v1", "Pod", "pods"),
        Kind::new("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
        Kind::new("v1", "ConfigMap", "configmaps"),
        Kind::new("rollcall.dev/v1", "CrawlJob", "crawljobs"),
    ]
}

fn controller() -> Result<Controller, ControllerFault> {
    let object = json!({"metadata": {"name": "crawljob"}, "spec": {
        "parentResource": {"apiVersion": "rollcall.dev/v1", "resource": "crawljobs", "ignoreStatusChanges": true},
        "childResources": [
            {"apiVersion": "v1", "resource": "pods", "updateStrategy": {"method": "OnDelete"}},
            {"apiVersion": "v1", "resource": "configmaps", "updateStrategy": {"method": "InPlace"}},
        ],
        "hooks": {"sync": {}, "finalize": {}, "customize": {}}, "resyncPeriodSeconds": 3600,
    }});
    Controller::read(&object, &kinds())
}

fn parent() -> Value {
    json!({"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob",
        "metadata": {"name": "news", "namespace": "crawls", "uid": "p1", "generation": 3, "finalizers": [FINALIZER]},
        "spec": {"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}}})
}

fn child(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind,
        "metadata": {"name": name, "namespace": "crawls", "labels": {"rollcall.dev/crawl": "news"}}})
}

fn existing(kind: &str, name: &str) -> Value {
    let mut object = child(kind, name);
    object["metadata"]["uid"] = json!(format!("uid-{name}"));
    object
}

fn deleted(mut object: Value) -> Value {
    object["metadata"]["deletionTimestamp"] = json!("2026-12-01T00:10:00Z");
    object
}

fn planned(parent: &Value, observed: &[Value], answer: &Value) -> Result<Plan, Box<dyn std::error::Error>> {
    let controller = controller()?;
    let shown = request::children(&controller, observed);
    Ok(plan(
        &controller,
        parent,
        &shown,
        &decode(answer.to_string().as_bytes())?,
    ))
}

/// The plan in short words.
fn words(plan: &Plan) -> Vec<String> {
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    plan.steps
        .iter()
        .map(|step| match step {
            Step::RequeueAfter(seconds) => format!("requeue {seconds}"),
            Step::RemoveFinalizer(_) => "remove finalizer".to_owned(),
            Step::Delete { object } => format!("delete {}", name(object)),
            Step::Create { object } => format!("create {}", name(object)),
            Step::Update { object } => format!("update {}", name(object)),
            Step::WriteStatus(_) => "status".to_owned(),
        })
        .collect()
}

#[test]
fn every_declared_kind_is_shown_with_names_below_namespaces() -> Fallible {
    let controller = controller()?;
    let children = request::children(&controller, [&existing("Pod", "a")]);
    let body = request::sync_body(&controller, &parent(), &children, &super::Objects::new());
    assert_eq!(body["children"]["Pod.v1"]["crawls/a"]["kind"], "Pod");
    assert_eq!(body["children"]["ConfigMap.v1"], json!({}));
    assert_eq!(body["finalizing"], false);
    assert_eq!(body["controller"], controller.object);
    Ok(())
}

#[test]
fn a_terminating_parent_is_finalized_and_gets_no_finalizer() -> Fallible {
    let controller = controller()?;
    assert_eq!(controller.hook(&parent()), HookCall::Sync);
    let mut leaving = deleted(parent());
    assert_eq!(controller.hook(&leaving), HookCall::Finalize);
    leaving["metadata"]["finalizers"] = json!([]);
    assert!(!controller.wants_finalizer(&leaving));
    leaving["metadata"]["deletionTimestamp"] = Value::Null;
    assert!(controller.wants_finalizer(&leaving));
    Ok(())
}

#[test]
fn unlisted_children_are_deleted_before_anything_is_created_and_status_comes_last() -> Fallible {
    let observed = [existing("Pod", "old"), existing("ConfigMap", "z")];
    let answer = json!({"status": {"state": "running"}, "children": [child("Pod", "new")], "resyncAfterSeconds": 2.5});
    let plan = planned(&parent(), &observed, &answer)?;
    assert_eq!(
        words(&plan),
        ["requeue 2.5", "delete z", "delete old", "create new", "status"]
    );
    assert!(plan.faults.is_empty());
    let Some(Step::WriteStatus(status)) = plan.steps.last() else {
        return Err("no status".into());
    };
    assert_eq!(
        Value::Object(status.clone()),
        json!({"state": "running", "observedGeneration": 3})
    );
    Ok(())
}

#[test]
fn terminating_children_are_neither_deleted_nor_updated() -> Fallible {
    let observed = [deleted(existing("Pod", "old")), deleted(existing("ConfigMap", "c"))];
    let mut changed = child("ConfigMap", "c");
    changed["data"] = json!({"k": "v"});
    let plan = planned(&parent(), &observed, &json!({"children": [changed]}))?;
    assert_eq!(words(&plan), ["status"]);
    Ok(())
}

#[test]
fn an_existing_on_delete_child_is_never_changed() -> Fallible {
    let plan = planned(
        &parent(),
        &[existing("Pod", "a")],
        &json!({"children": [child("Pod", "a")]}),
    )?;
    assert_eq!(words(&plan), ["status"]);
    Ok(())
}

#[test]
fn an_in_place_child_is_merged_and_a_bare_reference_wipes_it() -> Fallible {
    let mut full = child("ConfigMap", "c");
    full["data"] = json!({"k": "v"});
    let mut observed = full.clone();
    observed["metadata"]["annotations"] = json!({ LAST_APPLIED: full.to_string() });
    assert_eq!(
        words(&planned(&parent(), &[observed.clone()], &json!({"children": [full]}))?),
        ["status"]
    );
    let plan = planned(&parent(), &[observed], &json!({"children": [child("ConfigMap", "c")]}))?;
    let Some(Step::Update { object }) = plan.steps.first() else {
        return Err("no update".into());
    };
    assert!(object.get("data").is_none());
    Ok(())
}

#[test]
fn a_created_child_remembers_the_answer_and_has_us_as_controller_behind_other_owners() -> Fallible {
    let mut pod = child("Pod", "a");
    pod["metadata"]["ownerReferences"] = json!([{"name": "rollcall-anchor", "uid": "a1"}]);
    let plan = planned(&parent(), &[], &json!({ "children": [pod] }))?;
    let Some(Step::Create { object }) = plan.steps.first() else {
        return Err("no create".into());
    };
    assert_eq!(object["metadata"]["ownerReferences"][0]["uid"], "a1");
    assert_eq!(object["metadata"]["ownerReferences"][1]["controller"], true);
    let remembered = object["metadata"]["annotations"][LAST_APPLIED]
        .as_str()
        .ok_or("not remembered")?;
    assert!(!remembered.contains("p1"));
    Ok(())
}

#[test]
fn one_label_that_misses_the_selector_refuses_all_and_the_status() -> Fallible {
    let mut stray = child("Pod", "stray");
    stray["metadata"]["labels"] = json!({});
    let answer = json!({"children": [child("Pod", "a"), stray], "status": {"x": 1}, "resyncAfterSeconds": 1});
    let plan = planned(&parent(), &[existing("Pod", "old")], &answer)?;
    assert_eq!(words(&plan), ["requeue 1"]);
    assert_eq!(plan.faults.len(), 1);
    Ok(())
}

#[test]
fn a_finalized_parent_loses_the_finalizer_first_and_its_children_are_left_alone() -> Fallible {
    let plan = planned(&deleted(parent()), &[existing("Pod", "a")], &json!({"finalized": true}))?;
    assert_eq!(words(&plan), ["remove finalizer", "status"]);
    Ok(())
}

#[test]
fn children_are_managed_in_finalize_until_it_is_over_but_not_beside_the_collector() -> Fallible {
    let mut leaving = deleted(parent());
    let answer = json!({"children": [], "finalized": false});
    assert_eq!(
        words(&planned(&leaving, &[existing("Pod", "a")], &answer)?),
        ["delete a", "status"]
    );
    leaving["metadata"]["finalizers"] = json!([FINALIZER, "orphan"]);
    assert_eq!(words(&planned(&leaving, &[existing("Pod", "a")], &answer)?), ["status"]);
    Ok(())
}

#[test]
fn a_child_that_is_too_large_fails_alone_and_the_status_is_still_written() -> Fallible {
    let mut large = child("ConfigMap", "large");
    large["data"] = json!({"k": "x".repeat(262_144)});
    let plan = planned(&parent(), &[], &json!({"children": [large, child("Pod", "a")]}))?;
    assert_eq!(words(&plan), ["create a", "status"]);
    assert_eq!(plan.faults.len(), 1);
    Ok(())
}

#[test]
fn a_missing_status_wipes_the_observed_one() -> Fallible {
    let plan = planned(&parent(), &[], &json!({"children": []}))?;
    let Some(Step::WriteStatus(status)) = plan.steps.first() else {
        return Err("no status".into());
    };
    assert_eq!(status.len(), 1);
    Ok(())
}

#[test]
fn unknown_and_doubled_fields_refuse_the_answer() {
    assert_eq!(
        decode(br#"{"children": [], "extra": 1}"#),
        Err(AnswerFault::UnknownField("extra".to_owned()))
    );
    assert!(matches!(
        decode(br#"{"children": [], "children": []}"#),
        Err(AnswerFault::Json(_))
    ));
    assert!(matches!(
        decode(br#"{"status": {"a": 1, "a": 1}}"#),
        Err(AnswerFault::Json(_))
    ));
    assert!(matches!(decode(br#"{"status": 1}"#), Err(AnswerFault::Type(_))));
    assert!(matches!(
        decode(br#"{"children": [{"kind": "Pod"}]}"#),
        Err(AnswerFault::Type(_))
    ));
}

#[test]
fn a_refusal_backs_off_and_429_waits_as_told_or_not_at_all() -> Fallible {
    let now = "2026-12-01T00:00:00Z".parse()?;
    let after = |text| retry::classify(429, text, now);
    let seconds = std::time::Duration::from_secs;
    assert_eq!(retry::classify(200, None, now), retry::Verdict::Decode);
    assert_eq!(retry::classify(503, Some("7"), now), retry::Verdict::BackOff);
    assert_eq!(after(Some("7")), retry::Verdict::After(seconds(7)));
    assert_eq!(
        after(Some("Tue, 01 Dec 2026 00:00:09 GMT")),
        retry::Verdict::After(seconds(9))
    );
    assert_eq!(after(Some("soon")), retry::Verdict::After(seconds(0)));
    assert_eq!(after(None), retry::Verdict::After(seconds(0)));
    assert_eq!(retry::backoff(0).as_millis(), 5);
    assert_eq!(retry::backoff(3).as_millis(), 40);
    assert_eq!(retry::backoff(60), seconds(1000));
    Ok(())
}

#[test]
fn status_changes_alone_wake_nobody_when_told_to_ignore_them() -> Fallible {
    let controller = controller()?;
    let mut changed = parent();
    changed["status"] = json!({"state": "running"});
    assert!(!controller.wakes_on(&parent(), &changed));
    changed["metadata"]["generation"] = json!(4);
    assert!(controller.wakes_on(&parent(), &changed));
    assert!(controller.wakes_on(&parent(), &deleted(parent())));
    Ok(())
}

#[test]
fn an_empty_selector_of_a_parent_is_refused() {
    let fault = Selector::of_parent(&json!({"spec": {"selector": {}}}));
    assert_eq!(fault, Err(SelectorFault::Empty));
}
