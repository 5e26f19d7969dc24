//! Rule O1: what the job adopted under another name stays as it is until the job is deleted.

use serde_json::{Value, json};

use super::scene::{Scene, children};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::{Child, Does, Finalized};
use crate::hooks::crawljob::observed::Strangers;
use crate::hooks::crawljob::register::{MAX_BYTES, RegisterSeen};
use crate::observed::ConfigMap;
use crate::sim::apply::{LAST_APPLIED, updated};

const KINDS: [(&str, &str); 3] = [
    ("ConfigMap", "notes"),
    ("PersistentVolumeClaim", "scratch"),
    ("Pod", "shell"),
];

fn notes(text: &str) -> ConfigMap {
    ConfigMap {
        name: "notes".into(),
        uid: "notes-uid".into(),
        terminating: false,
        data: [("text".to_owned(), text.to_owned())].into(),
        anchor: None,
    }
}

/// A job that adopted one of each kind.
fn adopted(scene: Scene) -> Scene {
    let volume = Scene::new(1).volume(0).observed.volumes.remove(&0).unwrap();
    let scratch = crate::observed::Volume {
        name: "scratch".into(),
        ..volume
    };
    scene.seen(|seen| {
        seen.strangers = Strangers {
            pods: vec!["shell".into()],
            volumes: vec![scratch],
            config_maps: vec![notes("remember")],
        };
    })
}

fn listed(scene: &Scene) -> usize {
    let children = children(&scene.decide());
    let named = KINDS
        .iter()
        .filter(|(kind, name)| children.contains(&(*kind, (*name).to_owned())));
    named.count()
}

#[test]
fn o1_adopted_children_of_another_name_stay_in_every_answer_and_are_named() {
    let over = adopted(Scene::running(1).state(|state| state.result = Some(CrawlState::Complete)));
    let unusable = adopted(Scene::running(1)).seen(|seen| {
        let problem = "is no number".to_owned();
        seen.spec = Err(crate::hooks::crawljob::spec::SpecFault {
            field: "scale".into(),
            problem,
        });
    });
    let unwritten = adopted(Scene::new(1)).seen(|seen| seen.register = RegisterSeen::Missing);
    for scene in [adopted(Scene::running(1)), over, unusable, unwritten] {
        assert_eq!(listed(&scene), 3);
        assert_eq!(scene.pod_verdict("shell"), Some((Does::Keep, "O1")));
    }
}

#[test]
fn t4_they_go_with_the_job_and_hold_nothing_up() {
    let deleted = adopted(Scene::new(1)).seen(|seen| {
        seen.finalizing = true;
        seen.config = None;
        seen.register = RegisterSeen::Missing;
    });
    assert_eq!(listed(&deleted), 0);
    assert_eq!(deleted.pod_verdict("shell"), Some((Does::CallBack, "O1")), "it is said");
    assert_eq!(deleted.decide().finalized, Finalized::Yes);
    let orphaned = deleted.seen(|seen| seen.job.orphan = true);
    assert_eq!(listed(&orphaned), 3, "T5: everything stays");
}

/// The answer for one of them, as JSON.
fn answer(scene: &Scene, name: &str) -> Value {
    let decision = scene.decide();
    let answers = decision.children.iter().filter_map(|child| match child {
        Child::Volume(claim) => serde_json::to_value(claim).ok(),
        Child::ConfigMap(map) => serde_json::to_value(map).ok(),
        Child::Reference(reference) => Some(json!({"apiVersion": "v1", "kind": reference.kind,
            "metadata": {"name": reference.name, "namespace": "crawls", "labels": {"rollcall.dev/crawl": "news"}}})),
        Child::Pod(_) => None,
    });
    let mut found = answers.filter(|answer| answer["metadata"]["name"] == name);
    found.next().expect("it is answered")
}

/// What the API server would hold after the answer, without the caller's own annotation.
fn after(observed: &Value, answer: &Value) -> Value {
    let mut object = updated(observed, answer).unwrap();
    object["metadata"].as_object_mut().unwrap().remove("annotations");
    object
}

fn metadata(name: &str) -> Value {
    json!({"name": name, "namespace": "crawls", "labels": {"rollcall.dev/crawl": "news", "mine": "yes"}})
}

#[test]
fn o1_nothing_of_them_is_changed_also_when_they_are_copies_of_a_former_answer() {
    let scene = adopted(Scene::running(1));
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata("scratch"), "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "25Gi"}}, "storageClassName": "standard",
        "volumeMode": "Filesystem", "volumeName": "pv-7"}});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("notes"), "data": {"text": "remember"},
        "binaryData": {"raw": "AAEC"}});
    for object in [claim, map] {
        let answer = answer(&scene, object["metadata"]["name"].as_str().unwrap());
        assert_eq!(after(&object, &answer), object);
        let mut copy = object.clone();
        let mut former = answer.clone();
        former["metadata"].as_object_mut().unwrap().remove("ownerReferences");
        copy["metadata"]["annotations"] = json!({LAST_APPLIED: former.to_string()});
        assert_eq!(after(&copy, &answer), object);
    }
}

#[test]
fn o1_a_config_map_that_is_empty_or_too_large_is_only_named() {
    for map in [
        notes(&"x".repeat(MAX_BYTES)),
        ConfigMap {
            data: [].into(),
            ..notes("")
        },
    ] {
        let scene = adopted(Scene::running(1)).seen(|seen| seen.strangers.config_maps = vec![map]);
        assert!(answer(&scene, "notes").get("data").is_none());
    }
}
