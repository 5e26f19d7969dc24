//! Exits: which one, known by what, and whether memory was the reason (O7, O8).

use serde_json::{Value, json};

use super::{ended, placed, with_state};
use crate::observed::PodState;

#[test]
fn o8_out_of_memory_is_a_reason_and_never_a_bare_code() {
    let oom = |code, reason: &str| {
        with_state("Running", &ended(code, reason))
            .last_exit
            .unwrap()
            .out_of_memory
    };
    assert!(oom(137, "OOMKilled"));
    assert!(oom(0, "OOMKilled"), "a killed child of a crawler that ended well");
    assert!(!oom(143, "OOMKilled"), "asked to go");
    assert!(!oom(137, "Error"), "killed");
    let shown = with_state("Running", &ended(143, "OOMKilled"))
        .last_exit
        .unwrap()
        .reason;
    assert_eq!(shown.as_deref(), Some("OOMKilled"));
}

#[test]
fn a_lost_or_disrupted_pod_is_not_out_of_memory() {
    let statuses = json!([{"name": "crawler", "state": ended(137, "OOMKilled")}]);
    let oom = |status: Value| placed(&status).last_exit.unwrap().out_of_memory;
    assert!(!oom(
        json!({"phase": "Failed", "reason": "Evicted", "containerStatuses": statuses})
    ));
    let disrupted = |status: &str| {
        json!({"phase": "Running", "containerStatuses": statuses,
        "conditions": [{"type": "DisruptionTarget", "status": status}]})
    };
    assert!(!oom(disrupted("True")));
    assert!(oom(disrupted("False")));
}

#[test]
fn o7_an_exit_with_null_times_and_no_container_is_known_by_its_run() {
    let nothing = json!({"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": null,
        "finishedAt": null, "containerID": null}});
    let now = json!({"name": "crawler", "restartCount": 2, "state": nothing});
    let later = json!({"name": "crawler", "restartCount": 3, "state": {"running": {}}, "lastState": nothing});
    let id = |status: &Value| {
        placed(&json!({"phase": "Running", "containerStatuses": [status]}))
            .last_exit
            .unwrap()
            .id
    };
    assert_eq!(id(&now), "u1/2@");
    assert_eq!(
        id(&later),
        id(&now),
        "the same exit, seen once as state and once as last state"
    );
    assert_eq!(
        placed(&json!({"phase": "Running", "containerStatuses": [now]}))
            .last_exit
            .unwrap()
            .finished,
        None
    );
}

#[test]
fn the_exit_of_this_run_beats_that_of_the_one_before() {
    let status =
        json!({"name": "crawler", "restartCount": 1, "state": ended(3, "Error"), "lastState": ended(11, "Error")});
    assert_eq!(
        placed(&json!({"phase": "Running", "containerStatuses": [status]}))
            .last_exit
            .unwrap()
            .code,
        3
    );
}

#[test]
fn a_crash_loop_backs_off_from_its_last_exit() {
    let last = ended(11, "Error");
    let status = json!({"phase": "Running", "containerStatuses": [{"name": "crawler", "restartCount": 4,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": last}]});
    let pod = placed(&status);
    let exit = pod.last_exit.unwrap();
    assert_eq!(
        (&pod.state, exit.code, pod.restarts, pod.ever_started),
        (&PodState::BackingOff, 11, 4, true)
    );
    assert_eq!(exit.id, "456789abcdef@1796040060");
}
