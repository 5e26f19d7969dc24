//! How many instances there are: up and down, from the top, and never more than pages.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{exit, running, status, unschedulable, waiting};
use crate::judge::{listed, words};

fn succeeded() -> Value {
    status("Succeeded", &json!({"terminated": exit(0, "Completed")}))
}

/// An upper pod that was never placed has nothing to save, and was waited for all the same.
#[tokio::test]
async fn a05_an_upper_pod_that_never_started_is_dropped_at_once() {
    for never in [
        unschedulable(),
        json!({"phase": "Pending"}),
        waiting("Pending", "ContainerCreating"),
        waiting("Pending", "ImagePullBackOff"),
        waiting("Pending", "CreateContainerConfigError"),
    ] {
        let call = Call::at_work(1).crawler(2, never.clone()).volume(2);
        let seen = call.ask().await;
        assert_eq!(
            (seen.leaves_out().as_str(), seen.state()),
            ("Pod/crawl-news-2", "running"),
            "{never}"
        );
        let seen = seen.next().ask().await;
        assert_eq!(seen.leaves_out(), "PVC/crawl-news-2", "{never}: nothing was ever on it");
        let away = Call::at_work(1)
            .crawler(2, never.clone())
            .unreachable("timeout")
            .ask()
            .await;
        assert_eq!(
            away.leaves_out(),
            "",
            "{never}: without the store nobody knows that it never ran"
        );
        let kept = Kept::marked()
            .pages(9, 3)
            .queued(2)
            .entry(0, "running")
            .entry(2, "running");
        let seen = Call::at_work(1)
            .crawler(2, never.clone())
            .volume(2)
            .kept(kept)
            .ask()
            .await;
        assert_eq!(seen.leaves_out(), "", "{never}: its entry says that it has work");
        assert_eq!(seen.store("news:stopone", "/crawl-news-2"), "1", "{never}");
    }
}

/// Taking a middle instance away while the top one runs leaves a gap, and a later scale-up reuses a number in use.
#[tokio::test]
async fn a06_a_scale_down_goes_from_the_top_without_holes() {
    let kept = |top: &str| {
        Kept::marked()
            .pages(9, 3)
            .queued(2)
            .entry(0, "running")
            .entry(1, "done")
            .entry(2, top)
    };
    let of = |top: Value, entry: &str| {
        let call = Call::at_work(3)
            .spec("scale", 1)
            .crawler(1, succeeded())
            .crawler(2, top);
        call.kept(kept(entry))
    };
    let seen = of(running(), "running").ask().await;
    assert_eq!(seen.leaves_out(), "");
    assert_eq!(
        (
            seen.store("news:stopone", "/crawl-news-2"),
            seen.store("news:stopone", "/crawl-news-1")
        ),
        (json!("1"), Value::Null)
    );
    // One step a call (C2, C3): pod, then volume, then traces; only then the next instance from the top.
    let mut call = of(succeeded(), "done");
    let mut gone = Vec::new();
    for _ in 0..8 {
        let seen = call.ask().await;
        gone.extend(Some(seen.leaves_out()).filter(|name| !name.is_empty()));
        call = seen.next();
    }
    assert_eq!(
        gone,
        [
            "Pod/crawl-news-2",
            "PVC/crawl-news-2",
            "Pod/crawl-news-1",
            "PVC/crawl-news-1"
        ]
    );
    let seen = call.ask().await;
    let pods = listed(&seen.answer).into_keys().filter(|(kind, _)| kind == "Pod");
    assert_eq!(words(pods), "Pod/crawl-news-0 Pod/redis-news");
}

/// More crawlers than pages: the surplus ones had nothing to do, failed, and the crawl never ended.
#[tokio::test]
async fn a07_no_more_crawlers_than_pages_and_the_end_counts_done_and_failed() {
    for (pages, scale, wanted) in [(0, 3, 1), (1, 3, 1), (2, 3, 2), (3, 3, 3), (9, 3, 3), (9, 1, 1)] {
        let call = Call::new()
            .spec("scale", scale)
            .register(json!({}))
            .redis()
            .kept(Kept::marked().pages(pages, 0).queued(1));
        let names: Vec<String> = (0..wanted).map(|index| format!("PVC/crawl-news-{index}")).collect();
        let pods: Vec<String> = (0..wanted).map(|index| format!("Pod/crawl-news-{index}")).collect();
        assert_eq!(
            call.ask().await.makes(),
            [names, pods].concat().join(" "),
            "{pages} pages, scale {scale}"
        );
    }
    let ends = [
        (["done", "failed"], "complete"),
        (["done", "done"], "complete"),
        (["failed", "failed"], "failed"),
        (["failed", "done"], "complete"),
    ];
    for (entries, result) in ends {
        let kept = Kept::marked()
            .pages(1, 1)
            .files(1)
            .entry(0, entries[0])
            .entry(1, entries[1]);
        let seen = Call::at_work(3)
            .crawler(0, succeeded())
            .crawler(1, succeeded())
            .without("Pod", "crawl-news-2");
        let seen = seen
            .without("PersistentVolumeClaim", "crawl-news-2")
            .kept(kept)
            .ask()
            .await;
        assert_eq!(
            (seen.leaves_out().as_str(), seen.makes().as_str()),
            ("", ""),
            "{entries:?}: proposing takes nobody away (E5)"
        );
        let seen = seen.next().ask().await;
        assert_eq!(seen.register("/result").as_str(), Some(result), "{entries:?}");
        assert_eq!(seen.next().rest().await.state(), result, "{entries:?}");
    }
}

/// A write that was lost says nothing. What is not there is asked for again, whatever the last answer said.
#[tokio::test]
async fn b26_what_was_asked_for_and_is_not_there_is_asked_for_again() {
    for status in [
        json!({"state": "running", "scale": 2, "desiredScale": 2}),
        json!({"state": "starting", "scale": 9}),
        json!({}),
    ] {
        let seen = Call::at_work(1).spec("scale", 2).status(status.clone()).ask().await;
        assert_eq!(seen.makes(), "PVC/crawl-news-1 Pod/crawl-news-1", "{status}");
        assert_eq!(
            seen.call.ask().await.makes(),
            "PVC/crawl-news-1 Pod/crawl-news-1",
            "the answer got lost"
        );
    }
    let call = Call::at_work(2).status(json!({"state": "running", "scale": 2}));
    assert_eq!(
        call.clone().without("Pod", "crawl-news-1").ask().await.makes(),
        "Pod/crawl-news-1"
    );
    assert_eq!(
        call.clone().without("Pod", "redis-news").ask().await.makes(),
        "Pod/redis-news"
    );
    let bare = call.without("ConfigMap", "crawl-register-news").ask().await;
    assert!(
        bare.lists().contains("CM/crawl-config-news CM/crawl-register-news"),
        "{}",
        bare.lists()
    );
    // A step that needs a line of the register waits until it is seen (Z1): a lost write costs a call, not the step.
    let dead = super::states::ended(137, "OOMKilled");
    let call = Call::at_work(1).crawler(0, dead);
    for _ in 0..3 {
        let seen = call.ask().await;
        assert!(seen.register("/instances/0/memory").as_u64() > Some(0));
        assert_eq!(seen.leaves_out(), "");
    }
}
