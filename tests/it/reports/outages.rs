//! Redis that is not there, does not answer, or has nothing to do: counters stay, nothing is concluded, and the call is
//! answered in time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use rollcall::config::Config;
use rollcall::outside::redis::RedisStores;
use rollcall::outside::{Stores, store::Unreachable};

use super::call::Call;
use super::kept::Kept;
use super::states::{container, exit, running, unschedulable, waiting};
use crate::corpus::{app_of, send};
use crate::store::listener;

fn counted() -> Value {
    json!({"state": "running", "pagesFound": 40, "pagesDone": 12, "pagesFailed": 2, "sizePending": 700,
        "crawlExecSeconds": 120, "elapsedSeconds": 60})
}

fn keeps_its_counters(answer: &Value, what: &str) {
    for (field, value) in counted().as_object().expect("an object") {
        if field != "state" {
            assert_eq!(answer["status"][field], *value, "{what}: {field}");
        }
    }
}

/// The crawl said running while Redis could not be reached, or the hook hung on the connection.
#[tokio::test]
async fn a15_a_redis_that_runs_and_does_not_answer_counts_as_away() {
    for why in Unreachable::ALL {
        let call = Call::at_work(1).status(counted()).unreachable(why.word());
        let seen = call.ask().await;
        assert_eq!(
            (seen.state(), seen.condition("StoreReachable")),
            ("waiting_capacity", "False"),
            "{why:?}"
        );
        assert_eq!((seen.leaves_out().as_str(), seen.makes().as_str()), ("", ""), "{why:?}");
        assert!(seen.goes_on() && (1..=3).contains(&seen.wake()), "{why:?}");
        keeps_its_counters(&seen.answer, why.word());
    }
    let of = |phase: &str, state: Value| json!({"phase": phase, "podIP": "10.0.0.9", "containerStatuses": [container("redis", &state)]});
    let starting = [
        of("Running", json!({"waiting": {"reason": "CrashLoopBackOff"}})),
        of("Running", json!({"waiting": {"reason": "RunContainerError"}})),
        of("Running", json!({"terminated": exit(1, "Error")})),
        of("Pending", json!({"waiting": {"reason": "ContainerCreating"}})),
        waiting("Pending", "ImagePullBackOff"),
        json!({"phase": "Pending"}),
        json!({"phase": "Unknown"}),
        json!({}),
    ];
    for redis in starting {
        let call = Call::at_work(1).status(counted()).redis_pod(redis.clone());
        let seen = call.ask().await;
        assert_eq!(
            (seen.state(), seen.leaves_out().as_str()),
            ("waiting_capacity", ""),
            "{redis}"
        );
        assert!(seen.wake() > 0, "{redis}");
        keeps_its_counters(&seen.answer, &redis.to_string());
    }
}

fn idle_since(at: &str) -> Kept {
    Kept::marked().text("rollcall:idle", at).pages(9, 3).queued(2)
}

/// Many Redis pods took the room that their own crawlers waited for.
#[tokio::test]
async fn a16_redis_goes_when_no_crawler_is_placed_for_a_while_and_its_volume_stays() {
    let waits = |at: &str| {
        Call::at_work(2)
            .crawler(0, unschedulable())
            .crawler(1, unschedulable())
            .kept(idle_since(at))
    };
    let seen = waits("2026-11-30T12:58:59Z").ask().await;
    // The design writes down first what only Redis knows (S5), and lets it go once that is seen.
    assert_eq!(seen.leaves_out(), "");
    let seen = seen.next().ask().await;
    assert_eq!(
        (seen.leaves_out().as_str(), seen.makes().as_str()),
        ("Pod/redis-news", "")
    );
    let seen = seen.next().ask().await;
    assert_eq!(
        (seen.leaves_out().as_str(), seen.makes().as_str()),
        ("", ""),
        "it stays away, its volume stays"
    );
    let placed = seen
        .next()
        .crawler(0, waiting("Pending", "ContainerCreating"))
        .ask()
        .await;
    assert_eq!(placed.makes(), "Pod/redis-news", "back with the first crawler");
    let seen = waits("2026-11-30T12:59:55Z").ask().await.next().ask().await;
    assert_eq!(seen.leaves_out(), "", "within the grace");
    assert!(
        (1..=55).contains(&seen.wake()),
        "not later than its end: {}",
        seen.wake()
    );
    for other in [
        running(),
        super::states::backing_off(1),
        waiting("Pending", "ImagePullBackOff"),
    ] {
        let seen = waits("2026-11-30T12:00:00Z")
            .crawler(1, other.clone())
            .ask()
            .await
            .next()
            .ask()
            .await;
        assert_eq!(seen.leaves_out(), "", "{other}: a crawler has a node");
        assert_eq!(
            seen.store("rollcall:idle", ""),
            Value::Null,
            "{other}: the wait is over"
        );
    }
    let leaving = waits("2026-11-30T12:00:00Z")
        .crawler(1, running())
        .terminating("Pod", "crawl-news-1");
    assert_eq!(
        leaving.ask().await.next().ask().await.leaves_out(),
        "",
        "one that is being replaced has a node"
    );
    let young = Call::new()
        .register(json!({"started": false, "marked": false}))
        .crawler(0, unschedulable())
        .volume(0);
    assert_eq!(young.ask().await.makes(), "", "not before a crawler has a node");
}

/// The caller gives up after ten seconds. A slow Redis must cost less than that, twice, and the answer says that it is away.
#[tokio::test]
async fn b24_a_silent_redis_costs_less_than_the_callers_patience() {
    let limits = Config::built_in().server;
    assert!(limits.store_deadline * 2 < limits.deadline, "a read and a write fit");
    assert!(
        limits.deadline < Duration::from_secs(10),
        "metacontroller waits no longer"
    );
    let call = Call::at_work(1)
        .status(counted())
        .edit("Pod", "redis-news", |pod| pod["status"]["podIP"] = "127.0.0.1".into());
    let mut config = Config::built_in();
    config.crawl.store_port = listener::silent();
    config.server.store_deadline = Duration::from_millis(200);
    let stores = Stores::Redis(RedisStores::new(config.server.store_deadline));
    let asked = Instant::now();
    let bytes = serde_json::to_vec(&call.body).expect("a body can be written");
    let answer = send(app_of(config, stores), "/crawljob/sync", &bytes).await;
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    let answer = answer.json();
    assert_eq!(answer["status"]["state"], "waiting_capacity");
    keeps_its_counters(&answer, "silent");
}
