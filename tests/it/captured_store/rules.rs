//! What must hold in every call of every recording, whatever its pods do. Takes one call and the status before it; says
//! nothing when all is well.

use std::collections::BTreeSet;

use serde_json::Value;

use super::film::Step;
use super::pods::Pod;
use crate::decided::called_back;
use crate::judge::{FINAL, left_out, nulls};

/// Fields that never fall while the store is the same one (M4, S5, E7).
const RISING: [&str; 7] = [
    "pagesFound",
    "pagesDone",
    "pagesFailed",
    "filesAdded",
    "filesAddedSize",
    "crawlExecSeconds",
    "elapsedSeconds",
];

pub(super) fn check(case: &str, step: &Step, before: &Value) {
    let (answer, status) = (&step.answer, &step.answer["status"]);
    let nulls = nulls(answer);
    assert!(nulls.is_empty(), "{case}: null at {nulls:?}");
    for field in RISING {
        let count = |status: &Value| status[field].as_u64().unwrap_or(0);
        assert!(
            count(status) >= count(before),
            "{case}: {field} falls from {} to {}",
            count(before),
            count(status)
        );
    }
    let fault = wrong_state(step, &text(before), &text(status));
    assert!(
        fault.is_none(),
        "{case}: {} after {}: {fault:?}",
        text(status),
        text(before)
    );
    check_children(case, step);
    check_register(case, step);
}

fn text(status: &Value) -> String {
    status["state"].as_str().unwrap_or_default().to_owned()
}

/// The closed list of states, and what each of them must rest on.
fn wrong_state(step: &Step, before: &str, after: &str) -> Option<&'static str> {
    let result = &step.register["result"];
    let is_final = |state: &str| FINAL.contains(&state);
    let held = step.wish.paused;
    let somebody_runs = step.pods.values().any(Pod::runs);
    if is_final(before) && before != after {
        return Some("a final state never changes (E5)");
    }
    let proposed = step.answer["status"]["conditions"]
        .as_array()
        .is_some_and(|all| all.iter().any(|one| one["reason"] == "ResultNotObserved"));
    if proposed {
        return (before != after).then_some("a proposal changes no state (E5)");
    }
    match after {
        state if is_final(state) => {
            (!step.wish.deleted && result != state).then_some("only an observed result is final (E5)")
        }
        "pausing" | "paused" => (!held).then_some("nobody wished a pause (P1)"),
        "running" | "pending-wait" | "generate-wacz" | "uploading-wacz" => {
            (held || !somebody_runs).then_some("no container runs (I4), or a pause is wished")
        }
        "rate-limited" => {
            let all = step.pods.values().all(|pod| pod.word() == "restarting 18");
            (held || !all).then_some("not every instance ended with 18 (E3)")
        }
        "starting" => {
            (held || before == "waiting_capacity").then_some("the start window was over, or a pause is wished")
        }
        "waiting_capacity" => held.then_some("a pause is wished"),
        _ => Some("it is not one of the list"),
    }
}

/// Nothing is left out without a rule that says why, and no volume before the end.
fn check_children(case: &str, step: &Step) {
    let gone = left_out(&step.body, &step.answer);
    let named: BTreeSet<(String, String)> = called_back(&step.decision)
        .filter(|verdict| !verdict.rule.is_empty() && !verdict.reason.is_empty())
        .map(|verdict| (verdict.kind.to_owned(), verdict.name.clone()))
        .collect();
    assert_eq!(gone, named, "{case}: left out, and named with a reason (D5)");
    let over = step.wish.deleted || !step.register["result"].is_null();
    let surplus = format!("crawl-news-{}", step.wish.scale);
    for (kind, name) in gone {
        let may_go = kind == "Pod" || over || name == surplus;
        assert!(
            may_go,
            "{case}: {kind} {name} of a crawl that is not over is left out (D3)"
        );
    }
}

/// What was written down stays: the result (E5), the files (S3), that it started (D4).
fn check_register(case: &str, step: &Step) {
    let (before, after) = (&step.register, &step.written);
    if after.is_null() {
        assert!(step.wish.deleted, "{case}: there is no register");
        return;
    }
    for field in ["result", "stopReason", "startedAt", "finishedAt"] {
        let kept = before[field].is_null() || before[field] == after[field];
        assert!(
            kept,
            "{case}: the register's {field} was {} and is {}",
            before[field], after[field]
        );
    }
    for field in ["started", "marked", "renewed"] {
        assert!(
            before[field] != true || after[field] == true,
            "{case}: {field} is forgotten"
        );
    }
    let count = |register: &Value| register["files"]["count"].as_u64().unwrap_or(0);
    assert!(count(after) >= count(before), "{case}: files are forgotten");
}
