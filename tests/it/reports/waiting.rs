//! Crawlers that do not run yet or not now: they are never counted as running, cost no time, fail nothing, and the status
//! says why they wait.

use serde_json::{Value, json};

use super::call::Call;
use super::states::{backing_off, exit, running, status, unschedulable, waiting};

/// It waits with this reason, in every phase word of a pod that has not started; nothing goes, nothing is charged.
async fn waits(pod: Value, state: &str, reason: Option<&str>) {
    let shown = json!({"state": "starting", "crawlExecSeconds": 120, "elapsedSeconds": 60});
    let call = Call::at_work(1).status(shown).crawler(0, pod.clone());
    let seen = call.ask().await;
    assert_eq!(seen.state(), "waiting_capacity", "{pod}");
    assert_eq!((seen.leaves_out().as_str(), seen.makes().as_str()), ("", ""), "{pod}");
    assert_eq!(seen.status("/pods/0/state"), state, "{pod}");
    assert_eq!(seen.status("/pods/0/reason").as_str(), reason, "{pod}");
    assert_eq!(
        (seen.status("/crawlExecSeconds"), seen.status("/elapsedSeconds")),
        (json!(120), json!(60)),
        "{pod}"
    );
    assert!(seen.goes_on() && seen.wake() > 0, "{pod}");
    let young = call.meta("creationTimestamp", "2026-11-30T12:59:00Z").ask().await;
    assert_eq!(young.state(), "starting", "{pod}: within the start window");
}

/// A container in creation was counted as running and its time charged.
#[tokio::test]
async fn a02_a_container_that_is_being_created_is_not_running() {
    for phase in ["Pending", "Running"] {
        for reason in ["ContainerCreating", "PodInitializing"] {
            waits(waiting(phase, reason), "starting", None).await;
        }
        waits(status(phase, &json!({})), "starting", None).await;
        waits(status(phase, &json!({"waiting": {}})), "starting", None).await;
        waits(json!({"phase": phase}), "starting", None).await;
    }
    let alone = Call::new()
        .register(json!({"started": false, "marked": false}))
        .crawler(0, waiting("Pending", "ContainerCreating"));
    assert_eq!(alone.ask().await.state(), "waiting_capacity", "the pod alone");
}

/// A volume of a node that is gone holds its pod for ever. The reason is shown; the data is nobody's to throw away.
#[tokio::test]
async fn c23_a_volume_on_a_lost_node_is_waited_for_and_never_deleted() {
    waits(unschedulable(), "pending", Some("Unschedulable")).await;
    for phase in ["Bound", "Lost", "Pending"] {
        let seen = Call::at_work(1)
            .crawler(0, unschedulable())
            .edit("PersistentVolumeClaim", "crawl-news-0", |claim| {
                claim["status"]["phase"] = phase.into();
            })
            .ask()
            .await;
        assert_eq!(
            (seen.leaves_out().as_str(), seen.state()),
            ("", "waiting_capacity"),
            "{phase}"
        );
    }
}

/// The main container says nothing but that the pod is initializing, while an init container fails again and again.
#[tokio::test]
async fn c25_a_failing_init_container_is_shown_with_its_reason() {
    let cases = [
        (
            json!({"waiting": {"reason": "CrashLoopBackOff"}}),
            "Init:CrashLoopBackOff",
        ),
        (
            json!({"waiting": {"reason": "ImagePullBackOff"}}),
            "Init:ImagePullBackOff",
        ),
        (json!({"terminated": exit(1, "Error")}), "Init:Error"),
        (
            json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}),
            "Init:OOMKilled",
        ),
        (json!({"terminated": {"exitCode": 2}}), "Init:Error"),
    ];
    for (state, reason) in cases {
        for containers in [waiting("Pending", "PodInitializing"), json!({"phase": "Pending"})] {
            let mut pod = containers;
            pod["initContainerStatuses"] = json!([
                {"name": "first", "state": {"terminated": exit(0, "Completed")}},
                {"name": "second", "state": state},
            ]);
            waits(pod, "stuck", Some(reason)).await;
        }
    }
}

/// An image that can't be pulled kept a job "running" for days.
#[tokio::test]
async fn c26_an_image_that_can_not_be_pulled_is_not_running() {
    for reason in [
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    ] {
        waits(waiting("Pending", reason), "stuck", Some(reason)).await;
        waits(waiting("Running", reason), "stuck", Some(reason)).await;
    }
}

/// A missing secret, or a cache that is behind, may pass: it is shown, and fails nothing.
#[tokio::test]
async fn c27_a_container_that_can_not_be_configured_is_shown_and_not_fatal() {
    for reason in [
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "PreCreateHookError",
        "PostStartHookError",
        "ContainerStatusUnknown",
        "NeverHeardOf",
    ] {
        waits(waiting("Pending", reason), "stuck", Some(reason)).await;
        let beside = Call::at_work(2).crawler(1, waiting("Pending", reason)).ask().await;
        assert_eq!(
            (beside.state(), beside.leaves_out().as_str()),
            ("running", ""),
            "{reason}: the other one works"
        );
    }
}

/// A pod's phase stays Running through a crash loop, and every waiting reason was taken for one.
#[tokio::test]
async fn c28_a_crash_loop_is_not_running_and_a_start_is_no_crash_loop() {
    let seen = Call::at_work(2)
        .crawler(0, backing_off(1))
        .crawler(1, waiting("Running", "PodInitializing"))
        .ask()
        .await;
    assert_eq!(seen.state(), "waiting_capacity");
    assert_eq!(
        (seen.status("/pods/0/state"), seen.status("/pods/1/state")),
        (json!("backing-off"), json!("starting"))
    );
    assert_eq!(seen.register("/instances/0/crashes"), 1);
    assert_eq!(seen.register("/instances/1"), Value::Null);
    assert_eq!(seen.leaves_out(), "");
    let seen = Call::at_work(2)
        .crawler(0, backing_off(1))
        .crawler(1, running())
        .ask()
        .await;
    assert_eq!(seen.state(), "running");
}
