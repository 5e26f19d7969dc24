//! The invariants about finalize, the caller, bounds and time.

use std::collections::BTreeSet;

use rollcall::api::v1::CrawlJobStatus;
use rollcall::sim::metacontroller::answer::decode;
use rollcall::sim::metacontroller::selector::Selector;
use serde_json::Value;

use super::{Case, Held, holds, is_foreign};
use crate::judge::nulls;

/// T4: no child of ours observed, and none answered.
pub(crate) fn i19_finalized_means_that_nothing_is_there(case: &Case) -> Held {
    if !case.answered() {
        return Ok(());
    }
    let finalized = case.answer.json()["finalized"].clone();
    if !case.finalizing() {
        return holds(finalized.is_null(), || "finalized is said in sync".to_owned());
    }
    let ours = case.shown.values().filter(|child| !is_foreign(child)).count();
    holds(finalized == (ours == 0 && case.listed.is_empty()), || {
        format!("{finalized} beside {ours} children")
    })
}

/// T4: always again, whatever spec and store look like.
pub(crate) fn i22_with_nothing_left_finalize_says_so(case: &Case) -> Held {
    let answer = &case.emptied;
    holds(answer.status == 200, || answer.status.to_string())?;
    let json = answer.json();
    let nothing = json["children"].as_array().is_some_and(Vec::is_empty);
    holds(json["finalized"] == true && nothing, || json.to_string())
}

pub(crate) fn i25_the_caller_takes_the_answer(case: &Case) -> Held {
    if !case.answered() {
        return Ok(());
    }
    let answer = decode(&case.answer.bytes).map_err(|fault| fault.to_string())?;
    let json = case.answer.json();
    let nulls = nulls(&json);
    holds(nulls.is_empty(), || format!("null at {nulls:?}"))?;
    let status = serde_json::from_value::<CrawlJobStatus>(json["status"].clone());
    holds(status.is_ok(), || format!("{status:?}"))?;
    let types: Vec<&str> = json["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["type"].as_str())
        .collect();
    let once: BTreeSet<&str> = types.iter().copied().collect();
    holds(once.len() == types.len(), || format!("{types:?}"))?;
    let mut parent = case.body["parent"].clone();
    // What the selector of a good job says: the API server lets no other through.
    parent["spec"]["selector"] = serde_json::json!({"matchLabels": {"rollcall.dev/crawl": "news"}});
    let selector = Selector::of_parent(&parent).map_err(|fault| fault.to_string())?;
    for child in &answer.children {
        let meta = &child["metadata"];
        let whole = child["apiVersion"] == "v1" && meta["namespace"] == "crawls" && selector.matches(child);
        holds(whole, || format!("{} {meta}", child["kind"]))?;
    }
    Ok(())
}

/// Bytes of a status, of a register and of a refusal's sentence; seconds until the next call.
pub(crate) fn i26_the_answer_is_bounded(case: &Case) -> Held {
    let json = case.answer.json();
    if !case.answered() {
        let detail = json["detail"].as_str().unwrap_or_default().chars().count();
        return holds((1..=512).contains(&detail), || json.to_string());
    }
    let bytes = json["status"].to_string().len();
    holds(bytes <= 256 * 1024, || format!("a status of {bytes} bytes"))?;
    let wake = &json["resyncAfterSeconds"];
    holds(
        wake.is_null() || wake.as_u64().is_some_and(|seconds| (1..=3600).contains(&seconds)),
        || wake.to_string(),
    )?;
    for child in case.listed.values().filter(|child| child["kind"] == "ConfigMap") {
        let bytes = child["data"].to_string().len();
        holds(bytes <= 260 * 1024, || {
            format!("{} of {bytes} bytes", child["metadata"]["name"])
        })?;
    }
    Ok(())
}

/// Not a fault of ours, whatever was sent.
pub(crate) fn i27_it_is_an_answer_or_a_clean_refusal(case: &Case) -> Held {
    let status = case.answer.status.as_u16();
    let refused = status == 400 || status == 422;
    holds(status == 200 || refused, || {
        String::from_utf8_lossy(&case.answer.bytes).into_owned()
    })?;
    holds(!refused || case.answer.json()["code"].is_string(), || {
        "a refusal without a code".to_owned()
    })
}

/// O10: a stamp in the future finishes, expires and restarts nothing.
pub(crate) fn i28_long_ago_nothing_expires_and_nothing_restarts(case: &Case) -> Held {
    if !case.scene.is_long_ago() || !case.answered() {
        return Ok(());
    }
    let restarted: Vec<_> = case.left_out().filter(|one| ["R1", "D4"].contains(&one.rule)).collect();
    holds(restarted.is_empty(), || format!("{restarted:?}"))?;
    let register = case
        .listed
        .get(&("ConfigMap".to_owned(), "crawl-register-news".to_owned()));
    let text = register
        .and_then(|map| map["data"]["state.json"].as_str())
        .unwrap_or("null");
    let written: Value = serde_json::from_str(text).unwrap_or_default();
    let expired = written["result"] == "stopped_pause_expired" && case.register["result"] != written["result"];
    let limited = written["stopReason"] == "rate_limited" && case.register["stopReason"] != written["stopReason"];
    holds(!expired && !limited, || text.to_owned())
}
