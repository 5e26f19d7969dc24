//! Wake-ups: what waits on time asks to be called again, not later than the moment that matters; what waits for an event
//! asks for nothing.

use serde_json::json;

use super::call::Call;
use super::kept::Kept;
use super::states::{backing_off, running, status, unschedulable, waiting};

fn kept() -> Kept {
    Kept::marked().pages(9, 3).queued(2).entry(0, "running")
}

/// What waits on time, and after how many seconds a call must have come at the latest.
fn waits_on_time() -> Vec<(&'static str, Call, u64)> {
    let idle = kept().text("rollcall:idle", "2026-11-30T12:59:05Z");
    let runs = status("Running", &json!({"running": {"startedAt": "2026-11-30T12:00:00Z"}}));
    let flushed = || {
        Call::at_work(1)
            .register(json!({"flushed": true}))
            .without("Pod", "crawl-news-0")
    };
    let young = |call: Call| call.meta("creationTimestamp", "2026-11-30T12:57:38Z");
    vec![
        (
            "starting",
            Call::at_work(1).crawler(0, waiting("Pending", "ContainerCreating")),
            10,
        ),
        (
            "the start window ends",
            young(Call::at_work(1).crawler(0, unschedulable())),
            8,
        ),
        ("unplaced", Call::at_work(1).crawler(0, unschedulable()), 10),
        ("running", Call::at_work(1), 10),
        ("crash loop", Call::at_work(1).crawler(0, backing_off(1)), 10),
        ("rate limited", Call::at_work(1).crawler(0, backing_off(18)), 10),
        ("no store", Call::at_work(1).unreachable("refused"), 3),
        ("no Redis pod", Call::at_work(1).without("Pod", "redis-news"), 3),
        (
            "no register",
            Call::at_work(1).without("ConfigMap", "crawl-register-news"),
            3,
        ),
        ("new", Call::new(), 3),
        ("pausing", Call::at_work(1).spec("pausedAt", "2026-11-30T12:45:00Z"), 10),
        (
            "the pause expires",
            flushed().spec("pausedAt", "2026-11-23T13:00:07Z"),
            7,
        ),
        (
            "the pause expires later",
            flushed().spec("pausedAt", "2026-11-30T12:45:00Z"),
            3600,
        ),
        (
            "Redis idles",
            Call::at_work(1).crawler(0, unschedulable()).kept(idle),
            5,
        ),
        (
            "the time limit",
            Call::at_work(1).crawler(0, runs).spec("timeout", 3601),
            2,
        ),
        (
            "tearing down",
            Call::at_work(1).register(json!({"result": "complete"})),
            3,
        ),
        ("finalizing", Call::at_work(1).finalizing(), 30),
        (
            "a verdict that is not seen yet",
            Call::at_work(1).crawler(0, backing_off(17)),
            3,
        ),
    ]
}

/// The caller's own clock can be off. Every state that waits on time names the time, or the crawl stands still.
#[tokio::test]
async fn b23_what_waits_on_time_asks_to_be_woken_in_time() {
    for (what, call, most) in waits_on_time() {
        let seen = call.ask().await;
        assert!(
            (1..=most).contains(&seen.wake()),
            "{what}: {} instead of {most}",
            seen.wake()
        );
    }
}

/// The queue waits on others, so it looks again.
#[tokio::test]
async fn b23_what_waits_in_the_queue_asks_to_be_woken_in_time() {
    let mut queued = Call::new()
        .spec("org", "acme")
        .register(json!({"started": false, "marked": false}));
    queued.config.crawl.max_concurrent = 1;
    let seen = queued.ask().await;
    assert_eq!((seen.state(), seen.makes().as_str()), ("waiting_org_limit", ""));
    assert!((1..=60).contains(&seen.wake()), "queued: {}", seen.wake());
}

/// A state that only an event can change costs no calls.
#[tokio::test]
async fn b23_what_waits_for_an_event_asks_for_nothing() {
    let over = Call::new().register(json!({"result": "complete", "finishedAt": "2026-11-30T12:30:00Z"}));
    let held = Call::at_work(1)
        .spec("scale", 0)
        .register(json!({"flushed": true}))
        .without("Pod", "crawl-news-0");
    let held = held.without("Pod", "redis-news");
    let unusable = Call::at_work(1).spec("crawlerChannel", "none such");
    let gone = Call::new().finalizing();
    for (what, call) in [
        ("over", over),
        ("held", held),
        ("unusable spec", unusable),
        ("finalized", gone),
    ] {
        assert_eq!(call.ask().await.wake(), 0, "{what}");
    }
    assert_eq!(
        Call::at_work(1).crawler(0, running()).ask().await.wake(),
        10,
        "and one that works is looked after"
    );
}
