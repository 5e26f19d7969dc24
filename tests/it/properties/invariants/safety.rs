//! The invariants about children, status and store.

use rollcall::desired::Does;
use rollcall::quantity;
use serde_json::Value;

use super::{Case, Held, holds, is_foreign, is_leaving};
use crate::judge::FINAL;

pub(crate) fn i02_equal_input_gives_equal_bytes(case: &Case) -> Held {
    holds(case.again.bytes == case.answer.bytes, || "two answers".to_owned())
}

/// D3: teardown, a scale-down, or nothing on it that is not elsewhere; never while a pod of it is there.
pub(crate) fn i03_a_volume_goes_by_c3_t1_or_t6_only(case: &Case) -> Held {
    for verdict in case
        .left_out()
        .filter(|verdict| verdict.kind == "PersistentVolumeClaim")
    {
        let torn_down = case.finalizing() || case.over();
        let surplus = verdict.rule == "C3" && !case.scene.store_is_away();
        let mounted = case.pods(false).any(|(name, _)| name == verdict.name);
        let may_go = (torn_down || surplus) && !mounted && ["C3", "T1", "T6"].contains(&verdict.rule);
        holds(may_go, || format!("{verdict:?}"))?;
    }
    Ok(())
}

pub(crate) fn i04_redis_goes_beside_crawlers_only_when_lost_grown_or_idle(case: &Case) -> Held {
    let crawlers = case.pods(true).count();
    for verdict in case
        .left_out()
        .filter(|one| one.kind == "Pod" && one.name == "redis-news")
    {
        let may_go = crawlers == 0 || ["O5", "Z1", "D4"].contains(&verdict.rule);
        holds(may_go, || format!("{verdict:?} beside {crawlers} crawlers"))?;
    }
    Ok(())
}

pub(crate) fn i05_one_step_of_scaling_down_and_above_the_scale(case: &Case) -> Held {
    let steps: Vec<_> = case.left_out().filter(|one| ["C2", "C3"].contains(&one.rule)).collect();
    holds(steps.len() <= 1, || format!("{steps:?}"))?;
    let scale = case.body["parent"]["spec"]["scale"].as_u64().unwrap_or(1);
    for verdict in steps {
        let index = Case::index(&verdict.name);
        // C4: what was handed back is dropped below the scale too, and made anew.
        let handed_back = case.before["news:stopone"]["value"][&verdict.name].is_string();
        let higher = case
            .pods(true)
            .any(|(name, _)| Case::index(name) > index && verdict.kind == "Pod");
        holds((index >= scale || handed_back) && scale > 0 && !higher, || {
            format!("{verdict:?} at scale {scale}")
        })?;
    }
    Ok(())
}

/// O2. A ConfigMap has a name of ours alone.
pub(crate) fn i06_what_another_controls_is_not_listed(case: &Case) -> Held {
    for (name, _) in case.shown.iter().filter(|(_, child)| is_foreign(child)) {
        holds(!case.listed.contains_key(name), || format!("{name:?} is another's"))?;
    }
    Ok(())
}

pub(crate) fn i07_what_is_left_out_has_one_verdict_with_a_rule(case: &Case) -> Held {
    let Some(decision) = case.decision.as_ref().filter(|_| case.answered()) else {
        return Ok(());
    };
    for (kind, name) in case.shown.keys() {
        let said = |verdict: &&rollcall::desired::Verdict| verdict.kind == kind && verdict.name == *name;
        let verdicts: Vec<_> = decision.verdicts.iter().filter(said).collect();
        let kept = case.listed.contains_key(&(kind.clone(), name.clone()));
        let is_told = match verdicts.as_slice() {
            [one] => match one.does {
                Does::Keep => kept,
                Does::CallBack | Does::Ignore => !kept && !one.rule.is_empty() && !one.reason.is_empty(),
                Does::Make => false,
            },
            _ => false,
        };
        holds(is_told, || format!("{kind} {name}: listed {kept}, {verdicts:?}"))?;
    }
    Ok(())
}

/// O4: it exists until it is gone; nothing is done to it and nothing is made in its place.
pub(crate) fn i08_a_leaving_pod_is_kept_or_not_ours(case: &Case) -> Held {
    if !case.answered() {
        return Ok(());
    }
    for (name, _) in case.pods(false).filter(|(_, pod)| is_leaving(pod)) {
        let listed = case.listed.get(&("Pod".to_owned(), name.to_owned()));
        let by_reference = listed.is_some_and(|pod| pod.get("spec").is_none());
        holds(by_reference, || format!("{name} is leaving and answered as {listed:?}"))?;
    }
    Ok(())
}

pub(crate) fn i09_no_request_of_a_volume_falls(case: &Case) -> Held {
    let request = |claim: &Value| {
        let text = claim["spec"]["resources"]["requests"]["storage"].as_str();
        text.and_then(quantity::bytes)
    };
    for (name, shown) in case
        .shown
        .iter()
        .filter(|((kind, _), _)| kind == "PersistentVolumeClaim")
    {
        let Some(listed) = case.listed.get(name) else { continue };
        if let Some(before) = request(shown) {
            let after = request(listed);
            holds(after.is_some_and(|after| after >= before), || {
                format!("{name:?}: {before} to {after:?}")
            })?;
        }
    }
    Ok(())
}

pub(crate) fn i10_a_name_says_the_role_and_stands_once(case: &Case) -> Held {
    let children = if case.answered() {
        case.answer.json()["children"].as_array().map_or(0, Vec::len)
    } else {
        0
    };
    holds(children == case.listed.len(), || {
        "a kind and name stands twice".to_owned()
    })?;
    for ((kind, name), child) in &case.listed {
        let expected = match (kind.as_str(), name.as_str()) {
            ("ConfigMap", "crawl-config-news") => "config",
            ("ConfigMap", "crawl-register-news") => "register",
            ("ConfigMap", "crawl-ticket-news") => "ticket",
            ("Pod" | "PersistentVolumeClaim", "redis-news") => "redis",
            ("Pod" | "PersistentVolumeClaim", _) if Case::index(name) < u64::MAX => "crawler",
            _ => "none",
        };
        let role = &child["metadata"]["labels"]["rollcall.dev/role"];
        holds(role == expected, || format!("{kind} {name} is labelled {role}"))?;
    }
    Ok(())
}

/// M3, with its exceptions: no register observed (D8), or a final status that the register does not know (E5).
pub(crate) fn i11_without_its_status_it_wants_the_same_children(case: &Case) -> Held {
    let readable = case.register["files"].is_object() && case.decision.is_some();
    let written = FINAL.iter().any(|state| case.register["result"] == *state);
    let status_is_over = FINAL
        .iter()
        .any(|state| case.body["parent"]["status"]["state"] == *state);
    if !case.answered() || !readable || is_unreadable(case) || (status_is_over && !written) {
        return Ok(());
    }
    let children = |answer: &Value| answer["children"].clone();
    let without_end = |children: Value| children.to_string().replace('\\', "");
    let (with, without) = (children(&case.answer.json()), children(&case.amnesic.json()));
    // When it ended is known to the status alone until the register says so.
    let knows_when = case.register["finishedAt"].is_string() || !written;
    holds(!knows_when || without_end(with) == without_end(without), || {
        "other children".to_owned()
    })
}

fn is_unreadable(case: &Case) -> bool {
    let register = case
        .listed
        .get(&("ConfigMap".to_owned(), "crawl-register-news".to_owned()));
    let condition = |status: &Value| status["conditions"].to_string().contains("NotObserved");
    register.is_none()
        || (condition(&case.answer.json()["status"]) && !case.answer.json().to_string().contains("ResultNotObserved"))
}

pub(crate) fn i12_another_call_before_it_changes_nothing(case: &Case) -> Held {
    holds(case.used.bytes == case.answer.bytes, || {
        "an instance remembers".to_owned()
    })
}

pub(crate) fn i13_writing_twice_is_writing_once(case: &Case) -> Held {
    holds(case.repeated == case.after, || {
        format!("{} became {}", case.after, case.repeated)
    })
}

/// S3 and S6: what crawlers count and queue is read only.
pub(crate) fn i16_lists_and_counters_of_the_crawlers_stay(case: &Case) -> Held {
    for key in [
        "crawls-done",
        "news:d",
        "news:s",
        "news:q",
        "news:p",
        "news:f",
        "news:excluded",
        "news:failReason",
    ] {
        holds(case.before[key] == case.after[key], || format!("{key} was written"))?;
    }
    Ok(())
}

/// T1: crawlers, Redis, volumes.
pub(crate) fn i23_teardown_keeps_its_order(case: &Case) -> Held {
    for verdict in case.left_out().filter(|verdict| ["T1", "T6"].contains(&verdict.rule)) {
        let still_there = match (verdict.kind, verdict.name.as_str()) {
            ("Pod", "redis-news") => case.pods(true).count(),
            ("Pod", _) => 0,
            _ => case.pods(false).count(),
        };
        holds(still_there == 0, || format!("{verdict:?} beside {still_there} pods"))?;
    }
    Ok(())
}

/// S1, D5, D8: without a store only what needs none; with a spec that can't be used nothing, and it is named.
pub(crate) fn i24_what_cannot_be_read_takes_nothing_away(case: &Case) -> Held {
    let Some(decision) = case.decision.as_ref().filter(|_| case.answered()) else {
        return Ok(());
    };
    if case.finalizing() || case.over() {
        return Ok(());
    }
    let spec = decision.status.conditions.iter().find(|one| one.r#type == "SpecValid");
    let unusable = spec.filter(|one| one.reason == "Unusable");
    holds(unusable.is_none_or(|one| one.message.starts_with("spec")), || {
        format!("{unusable:?}")
    })?;
    for verdict in case.left_out() {
        let allowed = if unusable.is_some() {
            ["Q2"].contains(&verdict.rule)
        } else {
            !case.scene.store_is_away() || ["O5", "R1", "Z1", "Z3", "P1", "D6"].contains(&verdict.rule)
        };
        holds(allowed, || format!("{verdict:?}"))?;
    }
    Ok(())
}
