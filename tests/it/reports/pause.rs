//! Pause, stages and why a crawl ended: each instance by itself, from what is observed, with a word of its own.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{exit, running, status, unschedulable};

const PAUSED_AT: &str = "2026-11-30T12:45:00Z";

fn succeeded() -> Value {
    status("Succeeded", &json!({"terminated": exit(0, "Completed")}))
}

/// The state stayed at a late stage though another instance was still crawling.
#[tokio::test]
async fn a08_the_state_is_the_earliest_stage_of_any_instance() {
    let stages = [
        ("running", "running"),
        ("pending-wait", "pending-wait"),
        ("generate-wacz", "generate-wacz"),
        ("generate-cdx", "generate-wacz"),
        ("generate-warc", "generate-wacz"),
        ("uploading-wacz", "uploading-wacz"),
        ("interrupted", "running"),
        ("something new", "running"),
    ];
    let order = ["running", "pending-wait", "generate-wacz", "uploading-wacz"];
    let place = |state: &str| order.iter().position(|stage| *stage == state);
    for (first, one) in stages {
        for (second, two) in stages {
            let kept = Kept::marked().pages(9, 3).entry(0, first).entry(1, second);
            let call = Call::at_work(2).status(json!({"state": "uploading-wacz"})).kept(kept);
            let earliest = if place(one) < place(two) { one } else { two };
            assert_eq!(call.ask().await.state(), earliest, "{first} and {second}");
            if first == "running" {
                let alone = call.crawler(0, unschedulable()).ask().await;
                assert_eq!(alone.state(), two, "{first} does not run, {second} does");
            }
        }
    }
}

/// One sum over all pods decided: a busy one held all of them, or small rests added up over the limit.
#[tokio::test]
async fn a10_each_instance_is_paused_by_its_own_bytes() {
    let cases = [
        ([4096, 4096], ""),
        ([4096, 50_000_000], "Pod/crawl-news-1"),
        ([50_000_000, 0], "Pod/crawl-news-0"),
        ([4097, 4097], "Pod/crawl-news-0 Pod/crawl-news-1"),
    ];
    for (sizes, stays) in cases {
        let kept = || {
            let kept = Kept::marked()
                .pages(9, 3)
                .queued(2)
                .flag("paused")
                .size(0, sizes[0])
                .size(1, sizes[1]);
            kept.entry(0, "interrupted").entry(1, "interrupted")
        };
        let call = Call::at_work(2).spec("pausedAt", PAUSED_AT).kept(kept());
        assert_eq!(
            call.ask().await.leaves_out(),
            "",
            "{sizes:?}: what runs may still write"
        );
        // The report keeps the ended pod that has more to save. The design takes it away and makes it anew, so that it can
        // save it (I1, P2).
        let seen = call.crawler(0, succeeded()).crawler(1, succeeded()).ask().await;
        assert_eq!(seen.leaves_out(), "Pod/crawl-news-0 Pod/crawl-news-1", "{sizes:?}");
        assert_eq!((seen.state(), seen.goes_on()), ("pausing", true), "{sizes:?}");
        let seen = seen.next().ask().await;
        assert_eq!(
            (seen.makes().as_str(), seen.leaves_out().as_str()),
            (stays, ""),
            "{sizes:?}"
        );
    }
}

/// A misspelt reason made one kind of pause look like another. Every reason has a state of its own, and none is left out.
#[tokio::test]
async fn a30_every_reason_to_stop_or_hold_has_its_own_state() {
    let finished = |reason: &str| {
        let register = json!({"stopReason": reason});
        let kept = Kept::marked().pages(9, 9).files(1).entry(0, "done");
        Call::at_work(1).register(register).crawler(0, succeeded()).kept(kept)
    };
    let reasons = [
        ("stopped_by_user", "stopped_by_user"),
        ("pause_expired", "stopped_pause_expired"),
        // A limit is a normal end (E1), told apart by the reason.
        ("time_limit", "complete"),
        ("size_limit", "complete"),
        ("rate_limited", "complete"),
    ];
    for (reason, state) in reasons {
        let seen = finished(reason).rest().await;
        assert_eq!((seen.state(), seen.status("/stopReason")), (state, json!(reason)));
    }
    let schema = rollcall::api::crds_yaml().expect("the CRD can be written");
    let crd: Value = serde_saphyr::from_str(schema.trim_start_matches("---")).expect("YAML");
    let known = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["stopReason"]["enum"].clone();
    let known: Vec<&str> = known
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(known.len(), reasons.len(), "{known:?}");
    let held = |call: Call| call.register(json!({"flushed": true})).without("Pod", "crawl-news-0");
    let paused = held(Call::at_work(1).spec("pausedAt", PAUSED_AT));
    assert_eq!(paused.ask().await.state(), "paused");
    assert_eq!(held(Call::at_work(1).spec("scale", 0)).ask().await.state(), "paused");
    let stopped = paused.clone().spec("stopping", true).rest().await;
    assert_eq!(
        (stopped.state(), stopped.status("/stopReason")),
        ("stopped_by_user", json!("stopped_by_user"))
    );
    let expired = paused.spec("pausedAt", "2026-11-01T00:00:00Z").rest().await;
    assert_eq!(
        (expired.state(), expired.status("/stopReason")),
        ("stopped_pause_expired", json!("pause_expired"))
    );
}

/// A job that was told to rest said so before it did, or came back with what it had been made from before.
#[tokio::test]
async fn c39_paused_is_said_once_nobody_works_and_a_resume_takes_the_new_spec() {
    for (field, value) in [("pausedAt", json!(PAUSED_AT)), ("scale", json!(0))] {
        let asked = Call::at_work(1).spec(field, value.clone());
        for pod in [
            running(),
            succeeded(),
            json!({"phase": "Pending"}),
            json!({"phase": "Unknown"}),
        ] {
            let seen = asked.clone().crawler(0, pod.clone()).ask().await;
            assert_eq!(
                (seen.state(), seen.condition("Paused")),
                ("pausing", "False"),
                "{field} {pod}"
            );
        }
        let leaving = asked.clone().terminating("Pod", "crawl-news-0").ask().await;
        assert_eq!(leaving.state(), "pausing", "{field}");
        let kept = Kept::marked()
            .pages(9, 3)
            .queued(2)
            .flag("paused")
            .entry(0, "interrupted")
            .size(0, 0);
        let gone = asked.without("Pod", "crawl-news-0").kept(kept).ask().await;
        assert_eq!(gone.state(), "pausing", "{field}: once it is written down (P2)");
        let seen = gone.next().ask().await;
        assert_eq!((seen.state(), seen.condition("Paused")), ("paused", "True"), "{field}");
    }
    let paused = Call::at_work(1)
        .register(json!({"flushed": true}))
        .without("Pod", "crawl-news-0");
    let kept = Kept::marked()
        .pages(9, 3)
        .queued(2)
        .flag("paused")
        .entry(0, "interrupted");
    let mut seen = paused.spec("workers", 4).kept(kept).ask().await;
    for _ in 0..3 {
        seen = if seen.makes().is_empty() {
            seen.next().ask().await
        } else {
            seen
        };
    }
    let made = seen.child("Pod", "crawl-news-0");
    assert_eq!(
        made["metadata"]["annotations"]["rollcall.dev/workers"], "4",
        "{}",
        seen.answer
    );
}
