//! What several files must say alike: a hook's five names, the child kinds of manifest, code and answers, the labels that
//! a selector needs, and the words that the caller's strict decoder takes.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use rollcall::hooks::Hook;
use rollcall::hooks::crawljob::CrawlJobHook;
use rollcall::outside::Stores;
use rollcall::request::{ChildKind, ParentKind, Strategy};
use rollcall::sim::metacontroller::answer::decode;
use rollcall::sim::metacontroller::related;
use rollcall::sim::metacontroller::selector::Selector;

use crate::corpus::{Folder, app_with, hooks, of, root, send};
use crate::judge::observed;

/// A hook's constants as values.
struct Named {
    name: &'static str,
    parent: ParentKind,
    kinds: &'static [ChildKind],
}

fn named<H: Hook>() -> Named {
    Named {
        name: H::NAME,
        parent: H::PARENT,
        kinds: H::CHILD_KINDS,
    }
}

/// Every hook of the product.
fn all() -> Vec<Named> {
    vec![named::<CrawlJobHook>()]
}

/// The CompositeController of a hook.
pub(crate) fn manifest(hook: &str) -> Value {
    let path = root().join("hooks").join(hook).join("controller.yaml");
    let text = fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

#[tokio::test]
async fn folder_module_route_manifest_and_chart_have_one_name() {
    let folders: BTreeSet<String> = hooks()
        .into_iter()
        .filter(|hook| root().join("hooks").join(hook).join("controller.yaml").exists())
        .collect();
    let names: BTreeSet<String> = all().iter().map(|hook| hook.name.to_owned()).collect();
    assert_eq!(folders, names, "folders of hooks/ and hooks of the product");
    for hook in all() {
        let name = hook.name;
        assert!(
            root().join(format!("src/hooks/{name}.rs")).exists(),
            "src/hooks/{name}.rs"
        );
        for call in ["sync", "finalize", "customize"] {
            let answer = send(app_with(Stores::Disabled), &format!("/{name}/{call}"), b"{}").await;
            assert_eq!(answer.status, 400, "/{name}/{call} is a route");
        }
        let manifest = manifest(name);
        assert_eq!(manifest["metadata"]["name"], name);
        for call in ["sync", "finalize", "customize"] {
            let url = manifest["spec"]["hooks"][call]["webhook"]["url"]
                .as_str()
                .unwrap_or_default();
            assert!(
                url.ends_with(&format!("/{name}/{call}")),
                "{name}: {call} is called at {url}"
            );
            assert_eq!(manifest["spec"]["hooks"][call]["version"], "v2", "{name}: {call}");
        }
        let listed = crate::chart::values()["hooks"].as_array().cloned().unwrap_or_default();
        assert!(
            listed.iter().any(|hook| hook["name"] == name),
            "the chart installs {name} unless told otherwise"
        );
    }
}

#[test]
fn manifest_and_code_declare_the_same_parent_and_children() {
    for hook in all() {
        let manifest = manifest(hook.name);
        let parent = &manifest["spec"]["parentResource"];
        assert_eq!(parent["apiVersion"], hook.parent.api_version, "{}", hook.name);
        assert_eq!(
            parent["resource"],
            format!("{}s", hook.parent.kind.to_lowercase()),
            "{}",
            hook.name
        );
        let declared: BTreeSet<(String, String, String)> = manifest["spec"]["childResources"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|child| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                (
                    text(&child["apiVersion"]),
                    text(&child["resource"]),
                    text(&child["updateStrategy"]["method"]),
                )
            })
            .collect();
        let coded = hook.kinds.iter().map(|kind| {
            let strategy = match kind.strategy {
                Strategy::OnDelete => "OnDelete",
                Strategy::InPlace => "InPlace",
            };
            (
                kind.api_version.to_owned(),
                kind.resource.to_owned(),
                strategy.to_owned(),
            )
        });
        assert_eq!(declared, coded.collect(), "{}", hook.name);
    }
}

/// `Pod.v1` of a child, as the caller writes it.
fn key(child: &Value) -> String {
    let version = child["apiVersion"].as_str().unwrap_or_default();
    format!("{}.{version}", child["kind"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn answers_are_decoded_strictly_and_hold_declared_kinds_with_the_labels_that_select_them() {
    let kinds: BTreeSet<&str> = CrawlJobHook::CHILD_KINDS.iter().map(|kind| kind.key).collect();
    let mut seen = BTreeSet::new();
    for fixture in of(Folder::Sync).chain(of(Folder::Finalize)) {
        let body = fixture.body();
        let selector =
            Selector::of_parent(&body["parent"]).unwrap_or_else(|fault| panic!("{}: {fault}", fixture.title()));
        let answer =
            decode(&fixture.answer().await.bytes).unwrap_or_else(|fault| panic!("{}: {fault}", fixture.title()));
        for child in &answer.children {
            assert!(
                kinds.contains(key(child).as_str()),
                "{}: {}",
                fixture.title(),
                key(child)
            );
            assert!(
                selector.matches(child),
                "{}: labels of {}",
                fixture.title(),
                child["metadata"]
            );
            assert_eq!(
                child["metadata"]["namespace"],
                body["parent"]["metadata"]["namespace"],
                "{}",
                fixture.title()
            );
            seen.insert(key(child));
        }
    }
    assert_eq!(
        seen,
        kinds.into_iter().map(str::to_owned).collect(),
        "each declared kind is answered somewhere"
    );
}

#[tokio::test]
async fn what_is_not_replaced_is_answered_whole_and_what_is_may_be_a_name() {
    for fixture in of(Folder::Sync).chain(of(Folder::Finalize)) {
        let answer = fixture.answer().await.json();
        let shown = observed(&fixture.body());
        for child in answer["children"].as_array().unwrap() {
            let name = (
                child["kind"].as_str().unwrap().to_owned(),
                child["metadata"]["name"].as_str().unwrap().to_owned(),
            );
            match name.0.as_str() {
                // A pod of that name that is somebody else's does not count (O2).
                "Pod" if fixture.name.contains("foreign-owner") => {}
                "Pod" => assert_eq!(
                    child.get("spec").is_none(),
                    shown.contains_key(&name),
                    "{}: {}",
                    fixture.title(),
                    name.1
                ),
                "PersistentVolumeClaim" => assert!(child["spec"]["resources"]["requests"]["storage"].is_string()),
                _ => assert!(child["data"].is_object(), "{}: {}", fixture.title(), name.1),
            }
            for server in [
                "uid",
                "resourceVersion",
                "creationTimestamp",
                "managedFields",
                "deletionTimestamp",
            ] {
                assert!(
                    child["metadata"].get(server).is_none(),
                    "{}: {} carries {server}",
                    fixture.title(),
                    name.1
                );
            }
            assert!(
                child.get("status").is_none(),
                "{}: {} carries a status",
                fixture.title(),
                name.1
            );
        }
    }
}

#[tokio::test]
async fn customize_answers_are_decoded_strictly_and_depend_on_the_spec_alone() {
    for fixture in of(Folder::Customize) {
        let answer = fixture.answer().await;
        related::decode(&answer.bytes).unwrap_or_else(|fault| panic!("{}: {fault}", fixture.title()));
        let mut body = fixture.body();
        let parent = body["parent"].as_object_mut().unwrap();
        parent.insert(
            "status".to_owned(),
            serde_json::json!({"state": "complete", "pagesDone": 7}),
        );
        parent["metadata"]["resourceVersion"] = "999999".into();
        let again = fixture.answer_to(&serde_json::to_vec(&body).unwrap()).await;
        assert_eq!(again.bytes, answer.bytes, "{}", fixture.title());
    }
}
