//! One full call, changed at random places into anything: it is read or refused, and nothing panics.

use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{map, owned, redis_pod};
use crate::hooks::crawljob::observe::{customize, gather};
use crate::hooks::crawljob::sample::policy;
use crate::request::sample::{KINDS, PARENT, by_name, call};
use crate::request::{CustomizeRequest, SyncRequest};

/// A call with one of everything.
fn full() -> Value {
    let mut body = call();
    let exit = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "containerID": "c", "finishedAt": "2026-11-30T12:00:00Z"}});
    let mut crawler = owned("crawl-news-0", "news-uid");
    crawler["spec"] =
        json!({"nodeName": "n", "containers": [{"name": "crawler", "resources": {"requests": {"memory": "1Gi"}}}]});
    crawler["status"] = json!({"phase": "Running", "conditions": [{"type": "DisruptionTarget", "status": "True"}],
        "initContainerStatuses": [{"name": "i", "state": exit}],
        "containerStatuses": [{"name": "crawler", "restartCount": 1, "state": {"running": {"startedAt": null}}, "lastState": exit}]});
    let mut volume = owned("crawl-news-0", "news-uid");
    volume["spec"] = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "25Gi"}}});
    let state = r#"{"files":{"lines":3,"count":3,"bytes":9}}"#;
    let mut register = owned("crawl-register-news", "news-uid");
    register["data"] = json!({"state.json": state, "files.jsonl": ""});
    body["parent"]["status"] = json!({"state": "running", "pagesDone": 1, "conditions": []});
    body["children"] = json!({"Pod.v1": by_name(&[crawler, redis_pod()]), "PersistentVolumeClaim.v1": by_name(&[volume]),
        "ConfigMap.v1": by_name(&[register])});
    body["related"] = json!({"ConfigMap.v1": by_name(&[map("rollcall-anchor", "crawls", &json!({}), &json!({}))])});
    body
}

/// Puts `new` at the `at`th place of a walk through `value`.
fn replace(value: &mut Value, at: &mut usize, new: &Value) {
    if *at == 0 {
        *value = new.clone();
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, at, new)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, at, new)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|number| json!(number)),
        ".{0,12}".prop_map(|text| json!(text)),
        proptest::sample::select(vec![
            json!(null),
            json!([]),
            json!({}),
            json!(true),
            json!([{}]),
            json!(1.5),
            json!({"a": [null]}),
            json!("9999999999Ei"),
            json!("2026-11-30T12:00:00Z"),
            json!("crawl-news-4294967296")
        ]),
    ]
}

proptest! {
    #[test]
    fn no_mutation_of_a_call_panics(changes in proptest::collection::vec((0_usize..140, junk()), 1..4)) {
        let mut body = full();
        for (mut at, new) in changes {
            replace(&mut body, &mut at, &new);
        }
        let text = body.to_string();
        if let Ok(request) = SyncRequest::read(text.as_bytes(), PARENT, &KINDS) {
            let _ = gather(&request, &policy());
        }
        if let Ok(request) = CustomizeRequest::read(text.as_bytes(), PARENT) {
            let _ = customize(&request, &policy());
        }
    }
}
