//! Pods on nodes that nobody hears of, and pods that are being disrupted: they are waited for or replaced, and count neither
//! as running nor as crashed.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{backing_off, container, ended, exit, running, status};

/// A node that is gone leaves pods that are terminating for ever. They run no more, the crawl says that it waits, and no
/// pod of that name can be made before they are gone.
#[tokio::test]
async fn c11_a_pod_that_never_finishes_terminating_is_waited_for_and_not_counted_as_running() {
    for (reason, ready) in [(Some("NodeLost"), "Unknown"), (None, "False"), (None, "Unknown")] {
        let mut lost = running();
        lost["conditions"] = json!([{"type": "Ready", "status": ready}]);
        if let Some(reason) = reason {
            lost["reason"] = reason.into();
        }
        let call = Call::at_work(1).crawler(0, lost).edit("Pod", "crawl-news-0", |pod| {
            pod["metadata"]["deletionTimestamp"] = "2026-11-30T12:30:00Z".into();
        });
        let seen = call.ask().await;
        assert_eq!(seen.state(), "waiting_capacity", "{reason:?}");
        assert_eq!(
            (seen.makes().as_str(), seen.leaves_out().as_str()),
            ("", ""),
            "{reason:?}"
        );
        assert_eq!(seen.status("/pods/0/state"), "terminating", "{reason:?}");
        assert!(seen.wake() > 0 && seen.goes_on(), "{reason:?}");
        let seen = call.finalizing().ask().await;
        assert!(!seen.finalized() && seen.wake() > 0, "{reason:?}");
        assert!(seen.lists().contains("Pod/crawl-news-0"), "{reason:?}");
    }
}

/// A phase nobody has heard of, or a node nobody hears, is neither running nor failed, and costs no running time.
#[tokio::test]
async fn c12_an_unknown_phase_or_a_lost_node_is_neither_running_nor_failed() {
    let since = json!({"running": {"startedAt": "2026-11-30T12:00:00Z"}});
    for phase in ["Unknown", "", "Hibernating", "running"] {
        for containers in [json!(null), json!([container("crawler", &since)])] {
            let seen = Call::at_work(1)
                .crawler(0, json!({"phase": phase, "containerStatuses": containers}))
                .ask()
                .await;
            assert_eq!(
                (seen.state(), seen.leaves_out().as_str()),
                ("waiting_capacity", ""),
                "{phase:?} {containers}"
            );
            assert_eq!(seen.status("/crawlExecSeconds"), 0, "{phase:?} {containers}");
            assert!(seen.goes_on() && seen.wake() > 0, "{phase:?}");
        }
    }
    for phase in ["Running", "Pending"] {
        let mut lost = status(phase, &since);
        lost["reason"] = "NodeLost".into();
        let seen = Call::at_work(1).crawler(0, lost).ask().await;
        assert_eq!(
            (seen.state(), seen.leaves_out().as_str()),
            ("waiting_capacity", ""),
            "{phase}"
        );
        assert_eq!(
            (seen.status("/pods/0/state"), seen.status("/crawlExecSeconds")),
            (json!("unknown"), json!(0))
        );
    }
    let seen = Call::at_work(2).crawler(1, json!({"phase": "Unknown"})).ask().await;
    assert_eq!(
        (seen.state(), seen.leaves_out().as_str()),
        ("running", ""),
        "the other one works"
    );
}

/// What is not seen running is not charged, so a lost node does not eat the time limit.
#[tokio::test]
async fn c12_time_on_a_node_that_is_not_heard_of_does_not_reach_the_time_limit() {
    let since = || status("Running", &json!({"running": {"startedAt": "2026-11-30T12:00:00Z"}}));
    let mut lost = since();
    lost["reason"] = "NodeLost".into();
    let seen = Call::at_work(1).spec("timeout", 600).crawler(0, lost).ask().await;
    assert_eq!(seen.status("/stopReason"), Value::Null);
    let leaving = Call::at_work(1)
        .spec("timeout", 600)
        .crawler(0, since())
        .terminating("Pod", "crawl-news-0");
    assert_eq!(leaving.ask().await.status("/stopReason"), Value::Null);
    let seen = Call::at_work(1).spec("timeout", 600).crawler(0, since()).ask().await;
    assert_eq!(seen.status("/stopReason"), "time_limit", "an hour that was seen counts");
}

/// An eviction is announced on the pod before it is deleted. Until then it works.
#[tokio::test]
async fn c16_a_pod_that_is_about_to_be_disrupted_still_runs() {
    for reason in [
        "PreemptionByScheduler",
        "EvictionByEvictionAPI",
        "DeletionByTaintManager",
        "TerminationByKubelet",
    ] {
        let mut announced = running();
        announced["conditions"] = json!([{"type": "DisruptionTarget", "status": "True", "reason": reason}]);
        let seen = Call::at_work(1).crawler(0, announced).ask().await;
        assert_eq!((seen.state(), seen.leaves_out().as_str()), ("running", ""), "{reason}");
    }
}

/// A low-priority pod that made room is no crash: it must neither use up the crawl's patience nor get more memory.
#[tokio::test]
async fn c17_a_preempted_pod_is_no_crash() {
    let disrupted = |mut status: Value, reason: &str| {
        status["conditions"] = json!([{"type": "DisruptionTarget", "status": "True", "reason": reason}]);
        status
    };
    for reason in [
        "PreemptionByScheduler",
        "EvictionByEvictionAPI",
        "DeletionByTaintManager",
        "TerminationByKubelet",
    ] {
        for end in [
            ended(137, "Error"),
            ended(143, "Error"),
            ended(137, "OOMKilled"),
            ended(1, "Error"),
            backing_off(137),
        ] {
            // Nothing is queued, so that five crashes would be the end.
            let kept = Kept::marked().pages(9, 3).entry(0, "running");
            let line = json!({"instances": {"0": {"crashes": 4}}});
            let call = Call::at_work(1)
                .register(line.clone())
                .kept(kept)
                .crawler(0, disrupted(end, reason));
            let seen = call.ask().await;
            assert!(seen.goes_on(), "{reason}");
            assert_eq!(seen.register("/instances/0"), line["instances"]["0"], "{reason}");
            let seen = seen.next().without("Pod", "crawl-news-0").ask().await;
            assert_eq!(seen.makes(), "Pod/crawl-news-0", "{reason}: it comes back");
        }
        let early = status("Succeeded", &json!({"terminated": exit(0, "Completed")}));
        let seen = Call::at_work(1).crawler(0, disrupted(early, reason)).ask().await;
        assert_eq!(
            seen.register("/instances/0"),
            Value::Null,
            "{reason}: no early end either"
        );
        assert_eq!(seen.leaves_out(), "Pod/crawl-news-0", "{reason}");
    }
}
