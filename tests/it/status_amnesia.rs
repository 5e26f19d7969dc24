//! M3: status is a cache. Removed, or replaced by any earlier one, the answer wants the same children.
//!
//! The one exception: with no register observed, a status with a start, pages or an end may hold work back (D8, E5). A
//! final status is never an earlier one of a job that is not over: it would be written into the register (E5).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::corpus::{Fixture, Folder, of};
use crate::judge::{FINAL, condition, difference, pretty, register};

async fn children(fixture: &Fixture, body: &Value) -> String {
    let bytes = serde_json::to_vec(body).unwrap();
    let answer = fixture.answer_to(&bytes).await;
    assert_eq!(answer.status, 200, "{}", fixture.title());
    pretty(&answer.json()["children"])
}

fn with_status(body: &Value, status: Option<&Value>) -> Value {
    let mut body = body.clone();
    let parent = body["parent"].as_object_mut().unwrap();
    parent.remove("status");
    if let Some(status) = status {
        parent.insert("status".to_owned(), status.clone());
    }
    body
}

/// The statuses that the fixtures before it brought or were given, by job.
async fn lives() -> Vec<(&'static Fixture, Vec<Value>)> {
    let mut seen: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut lives = Vec::new();
    for fixture in of(Folder::Sync) {
        let body = fixture.body();
        let uid = body["parent"]["metadata"]["uid"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let earlier = seen.entry(uid).or_default();
        lives.push((fixture, earlier.clone()));
        for status in [
            body["parent"]["status"].clone(),
            fixture.answer().await.json()["status"].clone(),
        ] {
            // One of each kind is enough: what a status could decide is its state and its reason.
            let kind = |status: &Value| (status["state"].clone(), status["stopReason"].clone());
            if !status.is_null() && !earlier.iter().any(|seen| kind(seen) == kind(&status)) {
                earlier.push(status);
            }
        }
    }
    lives
}

/// The status may be one that this body's job had before.
fn may_precede(status: &Value, body: &Value) -> bool {
    !FINAL.iter().any(|state| status["state"] == *state) || register(body)["result"].is_string()
}

#[tokio::test]
async fn children_are_the_same_without_status_and_with_every_earlier_one() {
    let mut complaints = Vec::new();
    for (fixture, earlier) in lives().await {
        let body = fixture.body();
        if register(&body).is_null() && body["children"]["Pod.v1"] == json!({}) {
            continue;
        }
        let expected = children(fixture, &body).await;
        let possible = earlier.iter().filter(|status| may_precede(status, &body));
        let statuses = std::iter::once(None).chain(possible.map(Some));
        for status in statuses {
            let got = children(fixture, &with_status(&body, status)).await;
            if got != expected {
                let state = status.map_or("none", |status| status["state"].as_str().unwrap_or("?"));
                let difference = difference(&expected, &got);
                complaints.push(format!("{} with status {state}:\n{difference}", fixture.title()));
                break;
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[tokio::test]
async fn a_wiped_status_comes_back_whole_from_children_store_and_register() {
    for fixture in of(Folder::Sync).filter(|fixture| fixture.store.is_some()) {
        let body = fixture.body();
        // With a spec or a register that can't be read, the last words known are repeated.
        let unusable = |answer: &Value| condition(answer, "SpecValid").is_some_and(|valid| valid["status"] == "False");
        let kept = fixture.answer().await;
        if !register(&body)["files"].is_object() || unusable(&kept.json()) {
            continue;
        }
        let wiped = serde_json::to_vec(&with_status(&body, None)).unwrap();
        let wiped = fixture.answer_to(&wiped).await;
        let lasting = |answer: &Value| {
            // A verdict that is only proposed leaves the state as it was (E5).
            let proposed = condition(answer, "RegisterWritten").is_some_and(|written| written["status"] == "False");
            let fields = [
                if proposed { "scale" } else { "state" },
                "scale",
                "desiredScale",
                "pods",
                "redis",
                "filesAdded",
                "startedAt",
                "finishedAt",
            ];
            fields.map(|field| answer["status"][field].clone())
        };
        assert_eq!(lasting(&wiped.json()), lasting(&kept.json()), "{}", fixture.title());
    }
}
