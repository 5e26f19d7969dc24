//! When a pod is replaced and when it is left alone: once for each reason, never halfway, and always as gone first and
//! made afterwards.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{exit, running, status, waiting};

/// The one crawler at work, with an annotation of ours.
fn with(annotation: &str, value: &str) -> Call {
    Call::at_work(1).edit("Pod", "crawl-news-0", |pod| {
        pod["metadata"]["annotations"] = json!({format!("rollcall.dev/{annotation}"): value});
    })
}

async fn gone(call: Call) -> String {
    call.ask().await.leaves_out()
}

/// A pod whose number of browsers was never written down was taken for a changed one and restarted at once.
#[tokio::test]
async fn a11_an_unknown_previous_value_is_no_change() {
    for status in [
        json!({}),
        json!({"pods": {"0": {"lastWorkers": 0}}}),
        json!({"state": "running", "pods": {}}),
    ] {
        assert_eq!(
            gone(Call::at_work(1).spec("workers", 4).status(status)).await,
            "",
            "nothing is written on the pod"
        );
    }
    for unknown in ["0", "", "many", "-1", "4.0", "4"] {
        assert_eq!(
            gone(with("workers", unknown).spec("workers", 4)).await,
            "",
            "{unknown:?}"
        );
    }
    assert_eq!(gone(with("workers", "2").spec("workers", 4)).await, "Pod/crawl-news-0");
    assert_eq!(
        gone(with("workers", "2")).await,
        "",
        "the default of the configuration is no wish (Z3)"
    );
    // The relatives: memory and the restart instant.
    let grown = json!({"instances": {"0": {"memory": 2_000_000_000_u64}}});
    for unknown in ["0", "", "much"] {
        assert_eq!(
            gone(with("memory", unknown).register(grown.clone())).await,
            "",
            "{unknown:?}"
        );
    }
    assert_eq!(
        gone(with("memory", "1000000000").register(grown)).await,
        "Pod/crawl-news-0"
    );
    let new = |call: Call, created: Value| {
        call.edit("Pod", "crawl-news-0", |pod| {
            pod["metadata"]["creationTimestamp"] = created;
        })
    };
    for created in [Value::Null, json!("")] {
        let call = new(Call::at_work(1), created).spec("restartTime", "2026-11-30T12:30:00Z");
        assert_eq!(gone(call).await, "", "nobody knows that it is older");
    }
}

/// Memory grew beyond what any node has, and a comparison of two notations never matched, so the pod restarted for ever.
#[tokio::test]
async fn a33_grown_memory_is_compared_by_value_and_stops_at_the_maximum() {
    let line = json!({"instances": {"0": {"memory": 1_288_490_188_u64}}});
    let requesting = |text: &str| {
        let text = text.to_owned();
        Call::at_work(1)
            .register(line.clone())
            .edit("Pod", "crawl-news-0", |pod| {
                pod["spec"]["containers"] = json!([{"name": "crawler", "resources": {"requests": {"memory": text}}}]);
            })
    };
    for same in [
        "1288490188",
        "1288490188000m",
        "1.288490188G",
        "1258291.2Ki",
        "1288490189",
        "2Gi",
    ] {
        assert_eq!(
            gone(with("memory", same).register(line.clone())).await,
            "",
            "annotation {same}"
        );
        assert_eq!(gone(requesting(same)).await, "", "request {same}");
    }
    for less in ["1228800Ki", "1Gi", "1200Mi"] {
        let seen = requesting(less).ask().await;
        assert_eq!(seen.leaves_out(), "Pod/crawl-news-0", "request {less}");
        let seen = seen.next().ask().await;
        let made = seen.child("Pod", "crawl-news-0");
        assert_eq!(
            made["metadata"]["annotations"]["rollcall.dev/memory"], "1288490188",
            "{less}"
        );
        assert_eq!(seen.next().ask().await.leaves_out(), "", "once");
        // What an admission webhook rounds down is no reason to do it again (Z1).
        let rounded = requesting(less).edit("Pod", "crawl-news-0", |pod| {
            pod["metadata"]["annotations"] = made["metadata"]["annotations"].clone();
        });
        assert_eq!(gone(rounded).await, "", "{less}");
    }
    let most = Call::new().config.crawl.memory_max;
    let mut call = Call::at_work(1);
    for run in 0..14 {
        let mut end = exit(137, "OOMKilled");
        end["finishedAt"] = format!("2026-11-30T12:{run:02}:00Z").into();
        let memory = call.ask().await.register("/instances/0/memory").as_u64().unwrap_or(0);
        let dead = call.crawler(0, status("Running", &json!({"terminated": end})));
        let dead = dead.edit("Pod", "crawl-news-0", |pod| {
            pod["metadata"]["annotations"] = json!({"rollcall.dev/memory": memory.to_string()});
        });
        let seen = dead.ask().await;
        let grown = seen.register("/instances/0/memory").as_u64().expect("it grew");
        assert!(grown > memory || grown == most, "run {run}: {grown}");
        assert!(grown <= most, "run {run}: {grown}");
        call = seen.next();
    }
    let seen = call.crawler(0, running()).edit("Pod", "crawl-news-0", |pod| {
        pod["metadata"]["annotations"] = json!({"rollcall.dev/memory": most.to_string()});
    });
    let seen = seen.ask().await;
    assert_eq!((seen.leaves_out().as_str(), seen.condition("AtMaximum")), ("", "True"));
}

/// A running pod can't be changed. A wish of the spec either replaces it whole, or waits for the next pod.
#[tokio::test]
async fn b12_a_changed_spec_never_changes_a_pod_that_exists() {
    let changes = [
        ("resources", json!({"memory": "4Gi", "cpu": "2", "storage": "50Gi"})),
        ("storage", json!({"secretName": "another"})),
        ("proxy", json!({"secretName": "proxy"})),
        ("profileFilename", json!("profile.tar.gz")),
        ("env", json!({"LANG": "C"})),
        ("extraArgs", json!(["--lang=de"])),
        ("priority", json!("background")),
        ("config", json!({"seeds": ["https://example.org/"]})),
        ("userId", json!("somebody")),
        ("warcPrefix", json!("prefix")),
        ("timeout", json!(86_400)),
    ];
    for (field, value) in changes {
        let call = with("workers", "2").spec(field, value);
        let seen = call.ask().await;
        assert_eq!(seen.leaves_out(), "", "{field}");
        assert_eq!(
            seen.child("Pod", "crawl-news-0")["spec"],
            Value::Null,
            "{field}: by name only (D6)"
        );
    }
    let seen = with("workers", "2").spec("workers", 4).ask().await;
    assert_eq!(seen.leaves_out(), "Pod/crawl-news-0");
    let made = seen.next().ask().await.child("Pod", "crawl-news-0");
    assert_eq!(made["metadata"]["annotations"]["rollcall.dev/workers"], "4");
    assert!(
        made["spec"]["containers"][0]["command"]
            .to_string()
            .contains(r#""--workers","4""#)
    );
}

/// Three calls are a restart: left out, still there and waited for, gone and made. A pod is never changed and kept in one.
#[tokio::test]
async fn b28_a_restart_takes_three_calls_whatever_its_reason() {
    let succeeded = status("Succeeded", &json!({"terminated": exit(0, "Completed")}));
    let reasons = [
        ("restart", Call::at_work(1).spec("restartTime", "2026-11-30T12:30:00Z")),
        ("workers", with("workers", "2").spec("workers", 4)),
        (
            "memory",
            with("memory", "1").register(json!({"instances": {"0": {"memory": 2_000_000_000_u64}}})),
        ),
        ("lost", Call::at_work(1).crawler(0, json!({"phase": "Failed"}))),
        ("ended early", Call::at_work(1).crawler(0, succeeded)),
        (
            "restart of a stuck one",
            Call::at_work(1)
                .crawler(0, waiting("Pending", "ErrImagePull"))
                .spec("restartTime", "2026-11-30T12:30:00Z"),
        ),
    ];
    for (reason, call) in reasons {
        let seen = call.ask().await;
        assert_eq!(
            (seen.leaves_out().as_str(), seen.makes().as_str()),
            ("Pod/crawl-news-0", ""),
            "{reason}"
        );
        let leaving = call.clone().terminating("Pod", "crawl-news-0").ask().await;
        assert_eq!(
            (leaving.leaves_out().as_str(), leaving.makes().as_str()),
            ("", ""),
            "{reason}: terminating"
        );
        let absent = seen.next().ask().await;
        assert_eq!(
            (absent.leaves_out().as_str(), absent.makes().as_str()),
            ("", "Pod/crawl-news-0"),
            "{reason}: gone"
        );
        let made = absent.next().ask().await;
        assert_eq!(
            (made.leaves_out().as_str(), made.makes().as_str()),
            ("", ""),
            "{reason}: it does not inherit it"
        );
    }
    let redis = Call::at_work(1)
        .spec("restartTime", "2026-11-30T12:30:00Z")
        .terminating("Pod", "redis-news")
        .ask()
        .await;
    assert_eq!(redis.makes(), "", "no second Redis beside one that leaves");
}

/// A replacement beside the pod it replaces means two writers on one volume. Names are fixed, so it can't be.
#[tokio::test]
async fn c15_no_second_pod_is_made_beside_one_that_leaves() {
    for kept in [
        Kept::marked().pages(9, 3).queued(2).entry(0, "running"),
        Kept::marked().entry(0, "interrupted"),
    ] {
        let due = Call::at_work(1).spec("restartTime", "2026-11-30T12:30:00Z").kept(kept);
        let seen = due.terminating("Pod", "crawl-news-0").ask().await;
        assert_eq!((seen.makes().as_str(), seen.leaves_out().as_str()), ("", ""));
        let mounts = seen.answer.to_string().matches("claimName").count();
        assert_eq!(mounts, 0, "nobody else gets its volume");
    }
}
