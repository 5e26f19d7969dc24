//! Exits that raise memory: which they are, where they are seen, and that each is handled once.

use serde_json::{Value, json};

use super::call::Call;
use super::states::{container, ended, exit, running, status};

/// A drained container that carries the word "out of memory", and one that was killed without it, got more memory.
#[tokio::test]
async fn c06_only_out_of_memory_raises_memory() {
    let grows = |code: i32, reason: &str| reason == "OOMKilled" && code != 143;
    for code in [0, 1, 9, 137, 139, 143] {
        for reason in ["OOMKilled", "Error", "Completed", "ContainerCannotRun"] {
            let last = status("Running", &json!({"running": {}}));
            let mut restarted = last;
            restarted["containerStatuses"][0]["restartCount"] = 1.into();
            restarted["containerStatuses"][0]["lastState"] = json!({"terminated": exit(code, reason)});
            for shape in [ended(code, reason), restarted] {
                let seen = Call::at_work(1).crawler(0, shape.clone()).ask().await;
                assert_eq!(
                    !seen.register("/instances/0/memory").is_null(),
                    grows(code, reason),
                    "{code} {reason}"
                );
                let mut disrupted = shape;
                disrupted["conditions"] = json!([{"type": "DisruptionTarget", "status": "True"}]);
                let seen = Call::at_work(1).crawler(0, disrupted).ask().await;
                assert_eq!(
                    seen.register("/instances/0/memory"),
                    Value::Null,
                    "{code} {reason}, disrupted"
                );
            }
        }
    }
}

/// Redis grows by the same rule.
#[tokio::test]
async fn c06_redis_grows_by_the_same_rule() {
    for (code, reason, grown) in [
        (137, "OOMKilled", true),
        (143, "OOMKilled", false),
        (137, "Error", false),
    ] {
        let mut redis = json!({"phase": "Running", "podIP": "10.0.0.9", "containerStatuses": [container("redis", &json!({"running": {}}))]});
        redis["containerStatuses"][0]["restartCount"] = 1.into();
        redis["containerStatuses"][0]["lastState"] = json!({"terminated": exit(code, reason)});
        let seen = Call::at_work(1).redis_pod(redis).ask().await;
        assert_eq!(!seen.register("/redisMemory").is_null(), grown, "{code} {reason}");
        let again = seen.next().ask().await;
        assert_eq!(
            again.register("/redisMemory"),
            seen.register("/redisMemory"),
            "{code}: once"
        );
    }
}

fn restarted(last: &Value, restarts: u32) -> Value {
    let mut status = running();
    status["containerStatuses"][0]["restartCount"] = restarts.into();
    status["containerStatuses"][0]["lastState"] = last.clone();
    status
}

/// A container that restarted between two calls shows its exit in the last state only, or nowhere. Known by id and time, it
/// is handled once.
#[tokio::test]
async fn c29_an_exit_in_the_last_state_counts_once_and_an_empty_one_not_at_all() {
    let oom = exit(137, "OOMKilled");
    let first = Call::at_work(1).crawler(0, ended(137, "OOMKilled")).ask().await;
    let memory = first.register("/instances/0/memory");
    assert!(memory.as_u64() > Some(0));
    let later = first
        .next()
        .crawler(0, restarted(&json!({"terminated": oom}), 1))
        .ask()
        .await;
    assert_eq!(
        later.register("/instances/0/memory"),
        memory,
        "the same exit, seen in the last state"
    );
    let missed = Call::at_work(1)
        .crawler(0, restarted(&json!({"terminated": oom}), 1))
        .ask()
        .await;
    assert_eq!(
        missed.register("/instances/0/memory"),
        memory,
        "an exit that was seen nowhere else"
    );
    let mut second = oom.clone();
    second["finishedAt"] = "2026-11-30T12:30:00Z".into();
    let twice = later
        .next()
        .crawler(0, restarted(&json!({"terminated": second}), 2))
        .ask()
        .await;
    assert!(
        twice.register("/instances/0/memory").as_u64() > memory.as_u64(),
        "another exit"
    );
    for nothing in [json!({}), Value::Null, json!({"terminated": null})] {
        let seen = Call::at_work(1).crawler(0, restarted(&nothing, 4)).ask().await;
        assert_eq!(
            (seen.register("/instances/0"), seen.state()),
            (Value::Null, "running"),
            "{nothing}"
        );
        assert_eq!(seen.status("/pods/0/restarts"), 4, "{nothing}");
    }
    // The design counts a crash only while the pod backs off or has just ended (I3): a crawler that runs again is none.
    let runs = Call::at_work(1)
        .crawler(0, restarted(&json!({"terminated": exit(9, "Error")}), 1))
        .ask()
        .await;
    assert_eq!(
        (runs.register("/instances/0"), runs.status("/pods/0/exitCode")),
        (Value::Null, json!(9))
    );
    for missing in ["containerID", "finishedAt", "startedAt", "reason"] {
        let mut odd = oom.clone();
        odd.as_object_mut().expect("an exit").remove(missing);
        let seen = Call::at_work(1)
            .crawler(0, restarted(&json!({"terminated": odd}), 1))
            .ask()
            .await;
        let line = seen.register("/instances/0");
        assert_eq!(
            seen.next().ask().await.register("/instances/0"),
            line,
            "without {missing} it counts once, too"
        );
    }
}
