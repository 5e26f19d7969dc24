//! Pods in every state a kubelet, a scheduler or a dying node leaves them in.

mod exits;

use serde_json::{Value, json};

use super::{Phase, Pod, PodState};

fn read(spec: &Value, status: &Value) -> Pod {
    let text = json!({"metadata": {"name": "crawl-news-0", "uid": "u1"}, "spec": spec, "status": status}).to_string();
    Pod::read(&serde_json::from_str(&text).unwrap(), "crawler")
}

fn placed(status: &Value) -> Pod {
    read(&json!({"nodeName": "node-a"}), status)
}

fn with_state(phase: &str, state: &Value) -> Pod {
    placed(&json!({"phase": phase, "containerStatuses": [{"name": "crawler", "state": state}]}))
}

fn ended(code: i32, reason: &str) -> Value {
    json!({"terminated": {"exitCode": code, "reason": reason, "containerID": "containerd://0123456789abcdef",
        "startedAt": "2026-11-30T12:00:00Z", "finishedAt": "2026-11-30T12:01:00Z"}})
}

fn lost(reason: &str) -> PodState {
    PodState::Lost(reason.to_owned())
}

#[test]
fn o9_a_pod_that_says_nothing_is_unknown() {
    let pod = Pod::read(
        &serde_json::from_str(r#"{"metadata": {"name": "crawl-news-0"}}"#).unwrap(),
        "crawler",
    );
    assert_eq!((pod.phase, &pod.state), (Phase::Unknown, &PodState::Unknown));
    assert_eq!(
        (pod.created, pod.ip, pod.last_exit, pod.memory_request),
        (None, None, None, None)
    );
    assert!(!pod.placed && !pod.container_runs && !pod.ever_started && !pod.terminating);
}

#[test]
fn nulls_count_as_missing() {
    let text = r#"{"metadata": {"name": "p", "uid": null, "labels": null, "annotations": null, "ownerReferences": null,
        "managedFields": null, "deletionTimestamp": null, "creationTimestamp": null}, "spec": null,
        "status": {"phase": null, "conditions": null, "containerStatuses": null, "podIP": null}}"#;
    let pod = Pod::read(&serde_json::from_str(text).unwrap(), "crawler");
    assert_eq!((pod.terminating, pod.state), (false, PodState::Unknown));
}

#[test]
fn o3_only_the_named_container_decides_wherever_it_stands() {
    let crawler = json!({"name": "crawler", "state": {"running": {"startedAt": "2026-11-30T12:00:00Z"}}});
    let sidecar = json!({"name": "proxy", "restartCount": 9, "state": ended(1, "Error")});
    for list in [json!([sidecar, crawler]), json!([crawler, sidecar])] {
        let pod = placed(&json!({"phase": "Running", "containerStatuses": list}));
        assert_eq!((&pod.state, pod.restarts, pod.last_exit), (&PodState::Running, 0, None));
    }
    let alone = placed(&json!({"phase": "Running", "containerStatuses": [sidecar]}));
    assert_eq!((alone.state, alone.container_runs), (PodState::Starting, false));
}

#[test]
fn the_memory_request_is_that_of_the_named_container() {
    let spec = json!({"containers": [
        {"name": "proxy", "resources": {"requests": {"memory": "64Mi"}}},
        {"name": "crawler", "resources": {"requests": {"memory": "1792Mi"}}}]});
    assert_eq!(read(&spec, &json!({})).memory_request, Some(1792 << 20));
    assert_eq!(
        read(
            &json!({"containers": [{"name": "crawler", "resources": null}]}),
            &json!({})
        )
        .memory_request,
        None
    );
}

#[test]
fn a_pod_without_node_is_unplaced_with_the_schedulers_reason() {
    let unschedulable = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]});
    let pod = read(&json!({}), &unschedulable);
    assert_eq!(
        (pod.placed, pod.state),
        (false, PodState::Unplaced(Some("Unschedulable".to_owned())))
    );
    assert_eq!(
        read(&json!({}), &json!({"phase": "Pending"})).state,
        PodState::Unplaced(None)
    );
}

#[test]
fn creation_is_starting_and_any_other_waiting_is_stuck() {
    for reason in ["ContainerCreating", "PodInitializing"] {
        assert_eq!(
            with_state("Pending", &json!({"waiting": {"reason": reason}})).state,
            PodState::Starting
        );
    }
    for reason in [
        "ImagePullBackOff",
        "ErrImagePull",
        "CreateContainerConfigError",
        "InvalidImageName",
    ] {
        let pod = with_state("Pending", &json!({"waiting": {"reason": reason}}));
        assert_eq!(
            (pod.state, pod.container_runs),
            (PodState::Stuck(reason.to_owned()), false)
        );
    }
    for nothing in [json!({}), Value::Null, json!({"waiting": {}}), json!({"waiting": null})] {
        assert_eq!(with_state("Pending", &nothing).state, PodState::Starting, "{nothing}");
    }
}

#[test]
fn a_failing_init_container_is_stuck_until_the_named_one_runs() {
    let init = |state: Value| json!([{"name": "load", "state": state}]);
    let waiting = json!([{"name": "crawler", "state": {"waiting": {"reason": "PodInitializing"}}}]);
    let stuck = |state| {
        placed(&json!({"phase": "Pending", "containerStatuses": waiting, "initContainerStatuses": init(state)})).state
    };
    assert_eq!(
        stuck(json!({"waiting": {"reason": "CrashLoopBackOff"}})),
        PodState::Stuck("Init:CrashLoopBackOff".to_owned())
    );
    assert_eq!(stuck(ended(2, "Error")), PodState::Stuck("Init:Error".to_owned()));
    assert_eq!(stuck(ended(0, "Completed")), PodState::Starting);
    assert_eq!(stuck(json!({"running": {}})), PodState::Starting);
    let running = json!([{"name": "crawler", "state": {"running": {}}}]);
    let status =
        json!({"phase": "Running", "containerStatuses": running, "initContainerStatuses": init(ended(2, "Error"))});
    assert_eq!(placed(&status).state, PodState::Running);
}

#[test]
fn failed_for_any_reason_is_lost_without_container_statuses_too() {
    for reason in [
        "Evicted",
        "OutOfcpu",
        "OutOfmemory",
        "NodeAffinity",
        "UnexpectedAdmissionError",
        "Terminated",
        "NodeShutdown",
        "Preempting",
        "NeverHeardOf",
    ] {
        let pod = placed(&json!({"phase": "Failed", "reason": reason}));
        assert_eq!(
            (&pod.state, pod.ever_started, pod.last_exit),
            (&lost(reason), false, None)
        );
    }
    assert_eq!(placed(&json!({"phase": "Failed"})).state, lost("Failed"));
    let status = json!({"phase": "Failed", "reason": "Evicted",
        "containerStatuses": [{"name": "crawler", "state": {"running": {"startedAt": "2026-11-30T12:00:00Z"}}}]});
    let pod = placed(&status);
    assert_eq!(
        (pod.state, pod.container_runs, pod.running_since),
        (lost("Evicted"), false, None)
    );
}

#[test]
fn a_node_shutdown_that_leaves_the_phase_running_is_lost_once_the_container_ended() {
    let status = |state: Value| {
        json!({"phase": "Running", "reason": "Terminated",
        "containerStatuses": [{"name": "crawler", "state": state}]})
    };
    assert_eq!(placed(&status(ended(0, "Completed"))).state, lost("Terminated"));
    assert_eq!(placed(&status(json!({"running": {}}))).state, PodState::Running);
}

#[test]
fn an_ended_container_in_a_running_pod_is_neither_lost_nor_succeeded() {
    assert_eq!(with_state("Running", &ended(1, "Error")).state, PodState::Ended);
    assert_eq!(
        with_state("Succeeded", &ended(0, "Completed")).state,
        PodState::Succeeded
    );
}

#[test]
fn an_ended_pod_that_never_ends_by_itself_is_lost() {
    let pod = with_state("Succeeded", &ended(0, "OOMKilled")).lost_when_ended();
    assert_eq!(
        (pod.state, pod.last_exit.unwrap().out_of_memory),
        (lost("Succeeded"), false)
    );
    assert_eq!(
        with_state("Running", &json!({"running": {}})).lost_when_ended().state,
        PodState::Running
    );
}

#[test]
fn a_node_that_is_not_heard_of_leaves_a_pod_unknown_whose_container_may_run() {
    for status in [
        json!({"phase": "Unknown"}),
        json!({"phase": "Running", "reason": "NodeLost"}),
        json!({"phase": "Sleeping"}),
    ] {
        let mut status = status;
        status["containerStatuses"] = json!([{"name": "crawler", "state": {"running": {}}}]);
        let pod = placed(&status);
        assert_eq!((pod.state, pod.container_runs), (PodState::Unknown, true), "{status}");
    }
}

#[test]
fn a_deletion_mark_in_the_future_is_a_deletion_mark() {
    let text = r#"{"metadata": {"name": "p", "deletionTimestamp": "2999-01-01T00:00:00Z"}, "spec": {"nodeName": "a"},
        "status": {"phase": "Running", "podIP": "fd00::7", "containerStatuses":
        [{"name": "crawler", "restartCount": -3, "state": {"running": {"startedAt": "never"}}}]}}"#;
    let pod = Pod::read(&serde_json::from_str(text).unwrap(), "crawler");
    assert!(pod.terminating && pod.container_runs);
    assert_eq!((pod.running_since, pod.restarts), (None, 0));
    assert_eq!(pod.ip, Some("fd00::7".parse().unwrap()));
}

#[test]
fn an_address_that_is_none_is_unset() {
    assert_eq!(placed(&json!({"phase": "Running", "podIP": ""})).ip, None);
    assert_eq!(placed(&json!({"phase": "Running", "podIP": "redis.example"})).ip, None);
}
