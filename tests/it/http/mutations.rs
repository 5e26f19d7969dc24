//! What a body may become on its way, drawn at random from real ones: keys dropped, values nulled or of another type, the
//! text cut. The answer is 200 with nobody forgotten, or a refusal; never a panic, never a shorter list without a reason.

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use rollcall::outside::Stores;

use crate::corpus::{Folder, app_with, of, send};
use crate::judge::{listed, observed};

/// One change at a place of the body.
#[derive(Debug, Clone)]
enum Change {
    Drop,
    Put(Value),
    Double,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => Just(Change::Drop),
        2 => Just(Change::Put(Value::Null)),
        4 => prop_oneof![
            Just(json!(0)), Just(json!(-1)), Just(json!(1e308)), Just(json!(u64::MAX)), Just(json!("")), Just(json!("\u{0}")),
            Just(json!("2026-11-30T25:61:00Z")), Just(json!("9".repeat(400))), Just(json!(true)), Just(json!([])),
            Just(json!({})), Just(json!([null])), Just(json!({"a": {"b": []}})),
        ].prop_map(Change::Put),
        1 => Just(Change::Double),
    ]
}

/// Every place below `value`, as paths of keys.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter().filter(|(key, _)| *key != "managedFields") {
                let path = format!("{path}/{}", escaped(key));
                found.push(path.clone());
                places(item, &path, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let path = format!("{path}/{at}");
                found.push(path.clone());
                places(item, &path, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn apply(body: &mut Value, place: &str, change: &Change) {
    let (parent, last) = place.rsplit_once('/').unwrap_or_default();
    let key = last.replace("~1", "/").replace("~0", "~");
    let Some(parent) = body.pointer_mut(parent) else { return };
    match (parent, change) {
        (Value::Object(map), Change::Drop) => {
            map.remove(&key);
        }
        (Value::Object(map), Change::Put(value)) => {
            map.insert(key, value.clone());
        }
        (Value::Object(map), Change::Double) => {
            if let Some(value) = map.get(&key).cloned() {
                map.insert(format!("{key}-x"), value);
            }
        }
        (Value::Array(items), change) => {
            let Some(at) = key.parse::<usize>().ok().filter(|at| *at < items.len()) else {
                return;
            };
            match change {
                Change::Drop => drop(items.remove(at)),
                Change::Put(value) => items[at] = value.clone(),
                Change::Double => items.push(items[at].clone()),
            }
        }
        _ => {}
    }
}

/// Bodies that hold every kind of child, with a name for each in their answer.
fn bases() -> &'static Vec<(String, Value)> {
    static BASES: OnceLock<Vec<(String, Value)>> = OnceLock::new();
    BASES.get_or_init(|| {
        let some = of(Folder::Sync)
            .filter(|fixture| fixture.name.contains("with-register"))
            .step_by(3);
        some.chain(of(Folder::Finalize).take(4))
            .map(|fixture| (fixture.path(), fixture.body()))
            .collect()
    })
}

/// Pods and volumes that the answer leaves out without being entitled to by what the body still says.
fn forgotten(body: &Value, answer: &Value) -> Vec<String> {
    let uid = &body["parent"]["metadata"]["uid"];
    let listed = listed(answer);
    let job = body["parent"]["metadata"]["name"].as_str().unwrap_or_default();
    observed(body)
        .into_iter()
        .filter(|(name, _)| !listed.contains_key(name))
        .filter(|(_, child)| {
            let owners = child["metadata"]["ownerReferences"].as_array().into_iter().flatten();
            let foreign = owners
                .clone()
                .any(|owner| owner["controller"] == true && &owner["uid"] != uid);
            !foreign
        })
        // Other names are answered too, but may be damaged themselves (O1).
        .filter(|((_, name), _)| name.strip_prefix("crawl-").is_some_and(|rest| rest.starts_with(job)))
        .filter(|((kind, _), _)| kind == "PersistentVolumeClaim")
        .map(|((kind, name), _)| format!("{kind} {name}"))
        .collect()
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_body_is_refused_or_answered_with_everybody(
        base in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), change()), 1..4),
    ) {
        let (path, body) = base.get(bases().as_slice());
        let mut body = body.clone();
        for (at, change) in &changes {
            let mut found = Vec::new();
            places(&body, "", &mut found);
            let place: &String = at.get(&found);
            apply(&mut body, place, change);
        }
        let bytes = serde_json::to_vec(&body).unwrap();
        let answer = runtime().block_on(send(app_with(Stores::Disabled), path, &bytes));
        prop_assert!(answer.status == 200 || answer.status.is_client_error(), "{}: {changes:?}", answer.status);
        let finalizing = body["finalizing"] == true;
        if answer.status == 200 && !finalizing && ends_of_life(&body).is_none() {
            // Without a store nothing is ever done, so no volume may go.
            let forgotten = forgotten(&body, &answer.json());
            prop_assert!(forgotten.is_empty(), "{forgotten:?} after {changes:?}");
        }
    }

    #[test]
    fn a_cut_body_is_refused(base in any::<Index>(), at in any::<Index>()) {
        let (path, body) = base.get(bases().as_slice());
        let bytes = serde_json::to_vec(body).unwrap();
        let cut = &bytes[..at.index(bytes.len())];
        let answer = runtime().block_on(send(app_with(Stores::Disabled), path, cut));
        prop_assert_eq!(answer.status.as_u16(), 400);
    }
}

/// A body may say that the crawl is over, paused or scaled down; then volumes may go by rules that other tests hold.
fn ends_of_life(body: &Value) -> Option<()> {
    let register = crate::judge::register(body);
    let over = register["result"].is_string() || register["flushed"] == true;
    let ended = register["instances"]
        .as_object()
        .into_iter()
        .flatten()
        .any(|(_, line)| line["ended"].is_string());
    (over || ended).then_some(())
}
