//! The end of a crawl and of its CrawlJob: a verdict stands, nothing is taken away too early, and nothing keeps the parent
//! from going.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{exit, running, status};
use crate::judge::FINAL;

fn succeeded() -> Value {
    status("Succeeded", &json!({"terminated": exit(0, "Completed")}))
}

/// A cancelled crawl left its volumes behind, because the parent was let go first.
#[tokio::test]
async fn a12_the_parent_goes_after_the_last_volume() {
    let volumes = Call::new().volume(0).claim("redis-news").finalizing();
    let seen = volumes.ask().await;
    assert_eq!(
        (seen.lists().as_str(), seen.leaves_out().as_str()),
        ("", "PVC/crawl-news-0 PVC/redis-news")
    );
    assert_eq!((seen.finalized(), seen.state()), (false, "canceled"));
    for claim in ["crawl-news-0", "redis-news"] {
        let leaving = Call::new()
            .claim(claim)
            .finalizing()
            .terminating("PersistentVolumeClaim", claim);
        let seen = leaving.ask().await;
        assert!(!seen.finalized() && seen.wake() > 0, "{claim} is still there");
    }
    let seen = Call::new().finalizing().ask().await;
    assert_eq!(
        (seen.finalized(), seen.state(), seen.lists().as_str()),
        (true, "canceled", "")
    );
    for state in FINAL {
        let shown = json!({"state": state, "finishedAt": "2026-11-30T12:30:00Z"});
        let seen = Call::new().status(shown).volume(0).finalizing().ask().await;
        assert_eq!((seen.state(), seen.leaves_out().as_str()), (state, "PVC/crawl-news-0"));
        assert_eq!(seen.status("/finishedAt"), "2026-11-30T12:30:00Z", "{state}");
    }
}

/// Volumes were asked to go while a crawler still wrote to them, because Redis had gone first.
#[tokio::test]
async fn a14_volumes_stay_until_the_last_pod_is_gone_also_without_redis() {
    let register = || Call::new().register(json!({"result": "failed"}));
    for call in [Call::new().finalizing(), register().finalizing(), register()] {
        for pod in [
            running(),
            json!({"phase": "Unknown"}),
            succeeded(),
            json!({"phase": "Failed"}),
        ] {
            let call = call.clone().crawler(0, pod.clone()).volume(0).claim("redis-news");
            let seen = call.clone().terminating("Pod", "crawl-news-0").ask().await;
            // A terminating pod is listed as well: listing changes nothing about it (O4).
            assert_eq!(
                (seen.leaves_out().as_str(), seen.makes().as_str()),
                ("", ""),
                "{pod}: no Redis for a teardown"
            );
            assert!(
                !seen.finalized()
                    && seen
                        .lists()
                        .contains("PVC/crawl-news-0 PVC/redis-news Pod/crawl-news-0"),
                "{pod}"
            );
            let seen = call.ask().await;
            assert_eq!(
                (seen.leaves_out().as_str(), seen.makes().as_str()),
                ("Pod/crawl-news-0", ""),
                "{pod}"
            );
        }
    }
    let redis = Call::new()
        .redis()
        .volume(0)
        .finalizing()
        .terminating("Pod", "redis-news")
        .ask()
        .await;
    assert_eq!(
        (redis.leaves_out().as_str(), redis.finalized()),
        ("", false),
        "Redis is a pod, too"
    );
}

/// A finished pod that was no longer listed disappeared, and the next call could not tell that it had ever finished.
#[tokio::test]
async fn b03_a_finished_crawler_stays_listed_until_the_crawl_is_over() {
    for entry in ["done", "failed"] {
        for shown in [
            Value::Null,
            json!({"state": "running", "pods": {"0": {"state": "running"}}}),
        ] {
            let kept = Kept::marked()
                .pages(9, 3)
                .queued(2)
                .files(1)
                .entry(0, entry)
                .entry(1, "running");
            let call = Call::at_work(2).status(shown).crawler(0, succeeded()).kept(kept);
            let seen = call.ask().await;
            assert_eq!((seen.leaves_out().as_str(), seen.goes_on()), ("", true), "{entry}");
            assert!(seen.lists().contains("Pod/crawl-news-0 Pod/crawl-news-1"), "{entry}");
            let seen = call.without("Pod", "crawl-news-0").ask().await;
            assert_eq!(
                (seen.makes().as_str(), seen.goes_on()),
                ("", true),
                "{entry}: it is not run again"
            );
        }
    }
}

/// Once the caller hears `finalized`, it looks after no child any more.
#[tokio::test]
async fn b15_finalized_is_said_only_when_nothing_is_there_and_nothing_is_listed() {
    let pod = |name: &str| {
        Call::new().child(
            "Pod",
            json!({"metadata": {"name": name}, "status": {"phase": "Running"}}),
        )
    };
    let map = |name: &str| Call::new().child("ConfigMap", json!({"metadata": {"name": name}}));
    let each = [
        ("Pod", "redis-news", pod("redis-news")),
        ("Pod", "crawl-news-0", pod("crawl-news-0")),
        ("Pod", "crawl-news-7", pod("crawl-news-7")),
        ("PersistentVolumeClaim", "crawl-news-0", Call::new().volume(0)),
        ("PersistentVolumeClaim", "redis-news", Call::new().claim("redis-news")),
        ("ConfigMap", "crawl-config-news", map("crawl-config-news")),
        ("ConfigMap", "crawl-register-news", map("crawl-register-news")),
        ("ConfigMap", "crawl-ticket-news", map("crawl-ticket-news")),
    ];
    for (kind, name, call) in each {
        let call = call.finalizing();
        for call in [call.clone(), call.terminating(kind, name)] {
            let seen = call.ask().await;
            assert!(!seen.finalized() && seen.wake() > 0, "{kind} {name}");
            let seen = call.without(kind, name).ask().await;
            assert!(seen.finalized() && seen.lists().is_empty(), "{kind} {name}");
        }
    }
    let mut call = Call::at_work(2).finalizing();
    let mut order = Vec::new();
    for _ in 0..9 {
        let seen = call.ask().await;
        if seen.finalized() {
            assert_eq!((seen.lists().as_str(), seen.leaves_out().as_str()), ("", ""));
            break;
        }
        order.push(seen.leaves_out());
        call = seen.next();
    }
    let expected = [
        "Pod/crawl-news-0 Pod/crawl-news-1",
        "Pod/redis-news",
        "PVC/crawl-news-0 PVC/crawl-news-1 PVC/redis-news",
        "CM/crawl-register-news",
    ];
    assert_eq!(order, expected);
}

/// A parent whose spec can't be read, or that never started, could not be deleted.
#[tokio::test]
async fn b16_every_parent_can_go_whatever_it_looks_like() {
    for spec in [
        json!({}),
        Value::Null,
        json!([]),
        json!("x"),
        json!({"scale": -1}),
        json!({"selector": 1, "config": null}),
    ] {
        for shown in [
            Value::Null,
            json!({}),
            json!("garbage"),
            json!({"state": 7, "conditions": {}}),
        ] {
            let mut call = Call::new().status(shown.clone()).finalizing();
            call.body["parent"]["spec"] = spec.clone();
            call.body["related"] = Value::Null;
            let bare = call.send().await;
            assert!(bare.finalized() && bare.lists().is_empty(), "{spec} {shown}");
            let full = call
                .clone()
                .redis()
                .volume(0)
                .crawler(0, running())
                .register(json!({}))
                .send()
                .await;
            assert_eq!(
                (full.finalized(), full.leaves_out().as_str()),
                (false, "Pod/crawl-news-0"),
                "{spec} {shown}"
            );
        }
    }
    let mut call = Call::new().finalizing();
    call.body["parent"].as_object_mut().expect("a parent").remove("spec");
    assert!(call.send().await.finalized());
}

/// The hook can't delete its parent. A crawl that ended long ago rests, without a child that costs and without calls.
#[tokio::test]
async fn b31_a_crawl_that_ended_long_ago_rests() {
    for state in FINAL {
        let register = json!({"result": state, "finishedAt": "2025-01-01T00:00:00Z"});
        let shown = json!({"state": state, "finishedAt": "2025-01-01T00:00:00Z"});
        let seen = Call::new().status(shown).register(register).ask().await;
        // The report expects no child at all. The design keeps the register (T1): a few kilobytes.
        assert_eq!(
            (seen.lists().as_str(), seen.wake()),
            ("CM/crawl-register-news", 0),
            "{state}"
        );
        assert_eq!(
            seen.next().ask().await.bytes,
            seen.next().at("2027-01-01T00:00:00Z").ask().await.bytes,
            "{state}"
        );
    }
}
