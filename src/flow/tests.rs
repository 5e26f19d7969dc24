//! The driver with a toy hook.

use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::{Value, json};

use super::*;
use crate::desired::{Child, Desired, Does, Finalized, Reference, Verdict, Wake};
use crate::hooks::Told;
use crate::observed::Timestamp;
use crate::outside::Stores;
use crate::outside::store::Unreachable;
use crate::request::RelatedRule;
use crate::request::{ChildKind, ParentKind};

/// A hook that does what the parent's name says.
pub(crate) struct Toy;

pub(crate) struct Seen {
    name: String,
    finalizing: bool,
}

#[derive(Serialize)]
pub(crate) struct Status {
    seen_at: String,
}

/// What the toy was asked to do.
#[derive(Debug, Clone)]
pub(crate) struct ToyPolicy(pub(crate) Arc<Mutex<Vec<&'static str>>>);

impl Hook for Toy {
    const NAME: &'static str = "toy";
    const PARENT: ParentKind = ParentKind {
        api_version: "rollcall.dev/v1",
        kind: "Toy",
    };
    const CHILD_KINDS: &'static [ChildKind] = &[];
    type Observed = Seen;
    type Policy = ToyPolicy;
    type Status = Status;
    type Effect = &'static str;

    async fn observe(request: &SyncRequest<'_>, policy: &ToyPolicy, _outside: &Outside) -> Seen {
        policy.0.lock().unwrap().push("observe");
        let name = (*request.parent().metadata.name).to_owned();
        if name == "slow" {
            std::future::pending::<()>().await;
        }
        Seen {
            name,
            finalizing: request.finalizing(),
        }
    }

    fn decide(observed: &Seen, now: Timestamp, policy: &ToyPolicy) -> Desired<Status, &'static str> {
        policy.0.lock().unwrap().push("decide");
        assert_ne!(observed.name, "bug", "the toy breaks");
        let pod = |name: &str| {
            let labels = vec![("job", observed.name.clone())];
            let (namespace, name) = ("crawls".to_owned(), name.to_owned());
            Child::Reference(Reference {
                api_version: "v1",
                kind: "Pod",
                namespace,
                name,
                labels,
            })
        };
        let children = if observed.name == "twice" {
            vec![pod("a"), pod("a")]
        } else {
            vec![pod("b"), pod("a")]
        };
        let verdict = |does| Verdict {
            kind: "Pod",
            name: "a".into(),
            does,
            rule: "T1",
            reason: "test".into(),
        };
        Desired {
            status: Status {
                seen_at: now.to_string(),
            },
            children,
            wake: Wake::After(600),
            finalized: if observed.finalizing {
                Finalized::No
            } else {
                Finalized::NotAsked
            },
            effects: vec!["one", "two"],
            verdicts: vec![verdict(Does::Keep), verdict(Does::Make)],
        }
    }

    async fn act(observed: &Seen, effects: &[&'static str], policy: &ToyPolicy, _outside: &Outside) -> usize {
        policy.0.lock().unwrap().push("act");
        if observed.name == "unlucky" { effects.len() } else { 0 }
    }

    fn customize(_request: &CustomizeRequest<'_>, _policy: &ToyPolicy) -> Vec<RelatedRule> {
        vec![RelatedRule {
            api_version: "v1",
            resource: "configmaps",
            label_selector: None,
            namespace: None,
            names: vec!["anchor".into()],
        }]
    }

    fn tell(_observed: &Seen, _status: &Status) -> Told {
        Told {
            state: Some("running"),
            store: Some(Err(Unreachable::Disabled)),
        }
    }
}

pub(crate) fn toy_policy() -> ToyPolicy {
    ToyPolicy(Arc::default())
}

pub(crate) fn toy_shell() -> Shell {
    Shell {
        clock: Clock::Frozen(Timestamp::UNIX_EPOCH),
        outside: Outside {
            stores: Stores::Disabled,
        },
    }
}

/// A call about the toy of this name.
pub(crate) fn toy_body(name: &str, finalizing: bool) -> Vec<u8> {
    let method = json!({"spec": {"childResources": []}});
    let parent = json!({
        "apiVersion": "rollcall.dev/v1",
        "kind": "Toy",
        "metadata": {"name": name, "namespace": "crawls", "uid": "1"},
    });
    let body = json!({"controller": method, "parent": parent, "children": {}, "finalizing": finalizing});
    serde_json::to_vec(&body).unwrap()
}

async fn ask(call: Call, body: &[u8]) -> (Result<Value, Error>, Report, Vec<&'static str>) {
    let (policy, mut report) = (toy_policy(), Report::new(Toy::NAME, call));
    let answer = answer::<Toy>(call, body, &policy, &toy_shell(), &mut report).await;
    let steps = policy.0.lock().unwrap().clone();
    (
        answer.map(|bytes| serde_json::from_slice(&bytes).unwrap()),
        report,
        steps,
    )
}

#[tokio::test]
async fn the_steps_run_in_order_and_the_answer_is_written_from_what_was_acted() {
    let (answer, report, steps) = ask(Call::Sync, &toy_body("fine", false)).await;
    let pod = |name: &str| {
        let metadata = json!({"labels": {"job": "fine"}, "name": name, "namespace": "crawls"});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata})
    };
    let expected = json!({
        "status": {"seen_at": "1970-01-01T00:00:00Z"},
        "children": [pod("a"), pod("b")],
        "resyncAfterSeconds": 600,
    });
    assert_eq!(answer.unwrap(), expected);
    assert_eq!(steps, ["observe", "decide", "act"]);
    assert_eq!(report.store_unreachable(), Some("disabled"));
}

#[tokio::test]
async fn equal_input_gives_equal_bytes() {
    let body = toy_body("fine", true);
    let (policy, shell) = (toy_policy(), toy_shell());
    let mut answers = Vec::new();
    for _ in 0..2 {
        let mut report = Report::new(Toy::NAME, Call::Finalize);
        answers.push(
            answer::<Toy>(Call::Finalize, &body, &policy, &shell, &mut report)
                .await
                .unwrap(),
        );
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn the_field_finalizing_must_agree_with_the_path_and_nothing_is_observed_otherwise() {
    for (call, finalizing) in [(Call::Sync, true), (Call::Finalize, false)] {
        let (answer, _, steps) = ask(call, &toy_body("fine", finalizing)).await;
        assert!(matches!(answer, Err(Error::RouteDisagrees { .. })));
        assert!(steps.is_empty());
    }
}

#[tokio::test]
async fn failed_effects_leave_the_answer_and_bring_the_next_call_soon() {
    let (answer, report, _) = ask(Call::Finalize, &toy_body("unlucky", true)).await;
    let answer = answer.unwrap();
    assert_eq!(answer["resyncAfterSeconds"], 3);
    assert_eq!(answer["finalized"], false);
    assert_eq!(answer["children"].as_array().unwrap().len(), 2);
    assert_eq!(report.failed_effects, 2);
}

#[tokio::test]
async fn an_answer_that_names_a_child_twice_is_not_given() {
    let (answer, _, _) = ask(Call::Sync, &toy_body("twice", false)).await;
    assert!(matches!(answer, Err(Error::Answer(_))));
}

#[tokio::test]
async fn customize_gives_related_resources_only() {
    let (answer, _, steps) = ask(Call::Customize, &toy_body("fine", false)).await;
    let rule = json!({"apiVersion": "v1", "resource": "configmaps", "names": ["anchor"]});
    assert_eq!(answer.unwrap(), json!({"relatedResources": [rule]}));
    assert!(steps.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_heavy_body_is_read_on_a_thread_that_may_wait() {
    let mut body = toy_body("fine", false);
    body.resize(body.len() + HEAVY_BYTES, b' ');
    let (answer, ..) = ask(Call::Sync, &body).await;
    assert!(answer.is_ok());
}
