//! What holds for the answer to every small call, whatever it is about: the relatives that no report has to name. Takes a
//! call and its answer, sends the call again in other clothes, and fails where the answers should be alike and are not.

use serde_json::{Value, json};

use rollcall::api::v1::crawljob_names as names;
use rollcall::sim::metacontroller::answer::decode;

use super::call::Call;
use super::seen::Seen;
use crate::judge::FINAL;
use crate::judge::{Name, left_out, made, nulls, observed, register};

/// All of them.
pub(super) async fn check(call: &Call, seen: &Seen) {
    decode(&seen.bytes).expect("the caller decodes it strictly");
    assert!(nulls(&seen.answer).is_empty(), "{:?}", nulls(&seen.answer));
    let bare = with_bare_keys(call).send().await;
    assert_eq!(
        bare.bytes, seen.bytes,
        "two answers to one call (M2), or children are known by their keys (O1)"
    );
    if status_is_a_cache(call) {
        let wiped = without_status(call).send().await;
        assert_eq!(
            wiped.answer["children"], seen.answer["children"],
            "the status decides (M3)"
        );
    }
    if call.body["finalizing"] == false && !register(&call.body).is_null() {
        without_register(call).await;
    }
}

/// Hook version v1: keys without the namespace.
fn with_bare_keys(call: &Call) -> Call {
    let mut bare = call.clone();
    for (_, group) in bare.body["children"].as_object_mut().into_iter().flatten() {
        let objects = group.as_object_mut().map(std::mem::take).unwrap_or_default();
        let renamed = objects
            .into_iter()
            .map(|(key, object)| (key.replace("crawls/", ""), object));
        *group = Value::Object(renamed.collect());
    }
    bare
}

fn without_status(call: &Call) -> Call {
    let mut wiped = call.clone();
    wiped.body["parent"].as_object_mut().expect("a parent").remove("status");
    wiped
}

/// M3 with its exceptions: a start or an end that only the status knows (D8, E5).
fn status_is_a_cache(call: &Call) -> bool {
    let (status, register) = (&call.body["parent"]["status"], register(&call.body));
    let is_over = FINAL.iter().any(|state| status["state"] == *state);
    let only_it_knows_an_end = is_over && register["result"].is_null();
    let only_it_knows_a_start = register.is_null() && !status["startedAt"].is_null();
    !status.is_null() && !(call.body["finalizing"] == false && (only_it_knows_an_end || only_it_knows_a_start))
}

/// D8: while the register is not seen, everything of ours stays, and nothing is made beside it.
async fn without_register(call: &Call) {
    let blind = call.clone().without("ConfigMap", "crawl-register-news");
    let seen = blind.send().await;
    let lost: Vec<Name> = left_out(&blind.body, &seen.answer).into_iter().collect();
    let lost: Vec<&Name> = lost.iter().filter(|name| is_ours(&blind.body, name)).collect();
    assert!(lost.is_empty(), "without a register {lost:?} goes (D8)");
    let made = made(&blind.body, &seen.answer);
    let made: Vec<&Name> = made.iter().filter(|(kind, _)| kind != "ConfigMap").collect();
    assert!(made.is_empty(), "without a register {made:?} is made (D8)");
}

/// A pod, volume or ConfigMap of this job that no other controller owns.
fn is_ours(body: &Value, name: &Name) -> bool {
    let owners = observed(body)[name]["metadata"]["ownerReferences"].clone();
    let mine = &body["parent"]["metadata"]["uid"];
    let foreign = owners.as_array().into_iter().flatten();
    let foreign = foreign
        .into_iter()
        .any(|owner| owner["controller"] == json!(true) && owner["uid"] != *mine);
    let named = names::index_of("news", &name.1).is_some() || names::is_redis("news", &name.1);
    !foreign && (named || name.0 == "ConfigMap")
}
