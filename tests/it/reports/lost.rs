//! Pods that ended from outside: evicted, refused, shut down with their node, or gone. None of it is a crash, an end of the
//! crawl, or a reason to wait for ever.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{backing_off, container, exit, status};

/// Every word that a kubelet or controller has written beside `Failed`, and none at all.
const REASONS: [Option<&str>; 13] = [
    Some("Evicted"),
    Some("OutOfcpu"),
    Some("OutOfmemory"),
    Some("OutOfpods"),
    Some("NodeAffinity"),
    Some("UnexpectedAdmissionError"),
    Some("Terminated"),
    Some("NodeShutdown"),
    Some("Shutdown"),
    Some("Preempting"),
    Some("NodeLost"),
    Some("DeadlineExceeded"),
    None,
];

fn failed(reason: Option<&str>) -> Value {
    reason.map_or_else(
        || json!({"phase": "Failed"}),
        |reason| json!({"phase": "Failed", "reason": reason}),
    )
}

/// A failed pod is left out once, while everything beside it stays, and is made again once it is gone; no count rises.
async fn is_replaced(call: Call, what: &str) {
    let seen = call.ask().await;
    assert_eq!(seen.leaves_out(), "Pod/crawl-news-0", "{what}");
    assert_eq!(seen.makes(), "", "{what}");
    assert!(seen.goes_on(), "{what}");
    assert_eq!(
        seen.register("/instances/0"),
        Value::Null,
        "{what}: something was counted"
    );
    let seen = seen.next().ask().await;
    assert_eq!(
        (seen.makes().as_str(), seen.leaves_out().as_str()),
        ("Pod/crawl-news-0", ""),
        "{what}"
    );
    assert_eq!(
        seen.register("/instances/0"),
        Value::Null,
        "{what}: something was counted"
    );
}

/// A crawler that was evicted sits there as failed for ever, because nobody takes it away: it must be replaced, on its
/// volume, without counting as a crash.
#[tokio::test]
async fn a01_an_evicted_crawler_pod_is_made_again() {
    for reason in REASONS {
        is_replaced(Call::at_work(1).crawler(0, failed(reason)), &format!("{reason:?}")).await;
    }
    let mut oom = failed(Some("Evicted"));
    oom["containerStatuses"] = json!([container("crawler", &json!({"terminated": exit(137, "OOMKilled")}))]);
    is_replaced(Call::at_work(1).crawler(0, oom), "killed on the way out").await;
    let mut runs = failed(Some("Evicted"));
    runs["containerStatuses"] = json!([container("crawler", &json!({"running": {}}))]);
    is_replaced(Call::at_work(1).crawler(0, runs), "a container that seems to run").await;
    let away = Call::at_work(1)
        .crawler(0, failed(Some("Evicted")))
        .unreachable("timeout")
        .ask()
        .await;
    assert_eq!(away.leaves_out(), "Pod/crawl-news-0", "whatever the store says");
}

/// The neighbours of an evicted pod, and Redis itself, are no exception.
#[tokio::test]
async fn a01_an_evicted_redis_pod_is_made_again_too() {
    for reason in REASONS {
        let seen = Call::at_work(1).redis_pod(failed(reason)).ask().await;
        assert_eq!(seen.leaves_out(), "Pod/redis-news", "{reason:?}");
        assert!(seen.goes_on() && seen.wake() > 0, "{reason:?}");
        let seen = seen.next().ask().await;
        assert_eq!(
            (seen.makes().as_str(), seen.leaves_out().as_str()),
            ("Pod/redis-news", ""),
            "{reason:?}"
        );
    }
}

/// A pod that was refused before any container was made has a phase, a reason and nothing else: no list to look into.
#[tokio::test]
async fn c01_a_failed_pod_without_container_statuses_is_read_by_phase_and_reason() {
    for reason in REASONS {
        let mut status = failed(reason);
        status["message"] = "The node was low on resource.".into();
        status["startTime"] = "2026-11-30T12:00:00Z".into();
        is_replaced(Call::at_work(1).crawler(0, status), &format!("{reason:?}")).await;
    }
    for odd in [
        json!({}),
        Value::Null,
        json!({"phase": "Pending"}),
        json!({"phase": "Running", "containerStatuses": []}),
    ] {
        let seen = Call::at_work(1).crawler(0, odd.clone()).ask().await;
        assert_eq!(
            (seen.leaves_out().as_str(), seen.state()),
            ("", "waiting_capacity"),
            "{odd}"
        );
    }
}

/// A node that shuts down orderly leaves pods that look running or even well ended, with a reason beside the phase.
#[tokio::test]
async fn c08_a_pod_that_went_down_with_its_node_is_replaced_and_not_running() {
    for reason in ["Terminated", "NodeShutdown", "Shutdown"] {
        for end in [exit(0, "Completed"), exit(143, "Error"), exit(137, "OOMKilled")] {
            for phase in ["Running", "Failed"] {
                let mut left = status(phase, &json!({"terminated": end}));
                left["reason"] = reason.into();
                let call = Call::at_work(1).crawler(0, left);
                assert_eq!(call.ask().await.state(), "waiting_capacity", "{phase} {reason}");
                is_replaced(call, &format!("{phase} {reason} {end}")).await;
            }
        }
        let mut restarting = backing_off(1);
        restarting["reason"] = reason.into();
        is_replaced(Call::at_work(1).crawler(0, restarting), reason).await;
    }
    let mut succeeded = status("Succeeded", &json!({"terminated": exit(0, "Completed")}));
    succeeded["reason"] = "Terminated".into();
    let seen = Call::at_work(1).crawler(0, succeeded).ask().await;
    assert_eq!((seen.leaves_out().as_str(), seen.goes_on()), ("Pod/crawl-news-0", true));
}

/// Whether the store already said done makes the difference between a crawl that is over and one that goes on.
#[tokio::test]
async fn c08_a_pod_whose_work_was_done_before_the_shutdown_is_not_made_again() {
    let kept = Kept::marked().pages(9, 9).files(1).entry(0, "done");
    let seen = Call::at_work(1)
        .crawler(0, failed(Some("Terminated")))
        .kept(kept)
        .rest()
        .await;
    assert_eq!(seen.state(), "complete");
}

/// After a hard reboot a container that was killed half way shows as completed with 0. The crawler's own word is needed
/// as well.
#[tokio::test]
async fn c09_a_succeeded_pod_whose_work_is_open_is_replaced_and_the_crawl_is_not_complete() {
    let succeeded = || status("Succeeded", &json!({"terminated": exit(0, "Completed")}));
    let open = [
        "running",
        "pending-wait",
        "generate-wacz",
        "generate-cdx",
        "uploading-wacz",
        "interrupted",
        "canceled",
        "?",
    ];
    for entry in open.map(Some).into_iter().chain([None]) {
        let mut kept = Kept::marked().pages(9, 3).queued(2);
        if let Some(entry) = entry {
            kept = kept.entry(0, entry);
        }
        let seen = Call::at_work(1).crawler(0, succeeded()).kept(kept.clone()).ask().await;
        assert_eq!(
            (seen.leaves_out().as_str(), seen.goes_on()),
            ("Pod/crawl-news-0", true),
            "{entry:?}"
        );
        let away = Call::at_work(1)
            .crawler(0, succeeded())
            .unreachable("refused")
            .ask()
            .await;
        assert!(
            away.goes_on() && away.leaves_out().is_empty(),
            "nobody knows without the store"
        );
        let runs = Call::at_work(1).kept(kept).ask().await;
        assert_eq!((runs.leaves_out().as_str(), runs.goes_on()), ("", true), "{entry:?}");
    }
    let kept = Kept::marked().pages(9, 9).files(1).entry(0, "done");
    let seen = Call::at_work(1).crawler(0, succeeded()).kept(kept).rest().await;
    assert_eq!(seen.state(), "complete", "both signs");
}

/// A pod that was deleted while it waited leaves nothing behind that could say so: it must be wanted again.
#[tokio::test]
async fn c37_a_pod_that_vanished_before_it_started_is_made_again() {
    for state in ["starting", "waiting_capacity", "running"] {
        let status = json!({"state": state, "pods": {"0": {"state": "pending", "restarts": 0}}});
        let call = Call::new()
            .status(status)
            .register(json!({"started": false, "marked": false}))
            .volume(0);
        assert_eq!(call.ask().await.makes(), "Pod/crawl-news-0", "{state}");
        // Once crawlers were placed the store must be read first (P3): Redis comes back, then the crawler.
        let seen = call.register(json!({})).ask().await;
        assert_eq!(seen.makes(), "PVC/redis-news Pod/redis-news", "{state}");
        let seen = seen.next().redis().kept(Kept::marked()).ask().await;
        assert_eq!(seen.makes(), "Pod/crawl-news-0", "{state}");
    }
}
