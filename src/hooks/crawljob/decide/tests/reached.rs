//! Every closed word of an answer is reached by a recorded call of `hooks/crawljob`: each state, stop reason, condition with
//! each of its reasons, and each reason to call a pod back.
//!
//! The lists come from the types themselves (their derived schema), so that a new variant without a fixture fails here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::scene::now;
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::config::Config;
use crate::desired::Does;
use crate::hooks::Hook;
use crate::hooks::crawljob::CrawlJobHook;
use crate::hooks::crawljob::decide::conditions::meaning::Hindrance;
use crate::hooks::crawljob::decide::conditions::said::{Echo, Maximum, Reading, Said, StoreWord};
use crate::hooks::crawljob::decide::words::{Reason, Stay};
use crate::hooks::crawljob::decide::{Decision, decide};
use crate::outside::memory::MemoryStores;
use crate::outside::store::Unreachable;
use crate::outside::{Outside, Stores};
use crate::request::SyncRequest;

/// Names of the variants of `T`, with and without something in them.
fn variants<T: JsonSchema>() -> BTreeSet<String> {
    let schema = schema_for!(T);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let plain = |schema: &Value| {
        schema["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(text)
            .collect::<Vec<_>>()
    };
    let alternatives = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let named = alternatives.flat_map(|one| {
        let filled = one["required"].as_array().into_iter().flatten();
        filled
            .filter_map(text)
            .chain(text(&one["const"]))
            .chain(plain(one))
            .collect::<Vec<_>>()
    });
    named.chain(plain(schema.as_value())).collect()
}

/// Every value of a type whose variants hold nothing.
fn every<T: JsonSchema + DeserializeOwned>() -> Vec<T> {
    let names = variants::<T>().into_iter();
    names.map(|name| serde_json::from_value(name.into()).unwrap()).collect()
}

/// Every condition with every reason.
fn everything_said() -> Vec<Said> {
    let of_state = every::<CrawlState>().into_iter().flat_map(|state| {
        let hindrances = every::<Hindrance>().into_iter();
        let complete = hindrances.map(move |hindrance| Said::Complete(state, hindrance));
        complete.chain([Said::Failed(state), Said::Paused(state), Said::Queued(state)])
    });
    let store = [StoreWord::Answered, StoreWord::LostItsData].into_iter();
    let store = store.chain(every::<Unreachable>().into_iter().map(StoreWord::Unasked));
    [Said::AnchorMissing, Said::RateLimited, Said::UnsavedData]
        .into_iter()
        .chain(of_state)
        .chain(every::<Maximum>().into_iter().map(Said::AtMaximum))
        .chain(every::<Echo>().into_iter().map(Said::RegisterWritten))
        .chain(every::<Reading>().into_iter().map(Said::SpecValid))
        .chain(store.map(Said::StoreReachable))
        .collect()
}

fn files(ending: &str) -> Vec<PathBuf> {
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/crawljob");
    let folders = ["sync", "finalize"].map(|folder| hook.join(folder));
    let all = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = all.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The statuses of all recorded answers.
fn statuses() -> Vec<Value> {
    files(".response.json")
        .iter()
        .map(|path| json(path)["status"].clone())
        .collect()
}

/// The decision on one recorded call, with its verdicts, which no answer holds.
async fn decision(path: &Path) -> Decision {
    let body = fs::read(path).unwrap();
    let request = SyncRequest::read(&body, CrawlJobHook::PARENT, CrawlJobHook::CHILD_KINDS).unwrap();
    let twin = |ending| PathBuf::from(path.to_string_lossy().replace(".request.json", ending));
    let store = twin(".store.json");
    let stores = if store.exists() {
        let memory = MemoryStores::new();
        let parent = &request.parent().metadata;
        memory.load(&parent.namespace, &parent.name, &json(&store)).unwrap();
        Stores::Memory(memory)
    } else {
        Stores::Disabled
    };
    let config = Some(twin(".config.yaml")).filter(|path| path.exists());
    let policy = Config::load(config.as_deref()).unwrap().crawl;
    let observed = CrawlJobHook::observe(&request, &policy, &Outside { stores }).await;
    decide(&observed, now(), &policy)
}

#[test]
fn the_lists_hold_what_the_types_hold() {
    let types: BTreeSet<String> = everything_said().iter().map(|said| said.r#type().to_owned()).collect();
    assert_eq!(types, variants::<Said>());
    let store_words = ["Answered", "LostItsData", "Unasked"].map(str::to_owned);
    assert_eq!(variants::<StoreWord>(), store_words.into());
    assert_eq!(variants::<Unreachable>().len(), Unreachable::ALL.len());
    assert!(every::<CrawlState>().contains(&CrawlState::FailedNotLoggedIn));
}

#[test]
fn each_state_and_each_stop_reason_is_in_a_recorded_answer() {
    let statuses = statuses();
    let seen = |field: &str| {
        let words = statuses
            .iter()
            .filter_map(|status| status[field].as_str().map(str::to_owned));
        words.collect::<BTreeSet<String>>()
    };
    assert_eq!(seen("state"), variants::<CrawlState>());
    assert_eq!(seen("stopReason"), variants::<StopReason>());
}

#[test]
fn each_condition_with_each_of_its_reasons_is_in_a_recorded_answer() {
    let statuses = statuses();
    let conditions = statuses
        .iter()
        .flat_map(|status| status["conditions"].as_array().unwrap());
    let words =
        |condition: &Value| ["type", "status", "reason"].map(|field| condition[field].as_str().unwrap().to_owned());
    let seen: BTreeSet<[String; 3]> = conditions.map(words).collect();
    let closed = everything_said()
        .into_iter()
        .map(|said| [said.r#type().to_owned(), format!("{:?}", said.status()), said.reason()]);
    assert_eq!(seen, closed.collect());
}

#[tokio::test]
async fn each_reason_to_keep_a_pod_or_a_volume_is_the_reason_of_a_recorded_call() {
    let mut seen = BTreeSet::new();
    for path in files(".request.json") {
        let verdicts = decision(&path).await.verdicts.into_iter();
        // Strangers (O1) and ConfigMaps (D6) have one reason each.
        let kept = verdicts.filter(|verdict| verdict.does == Does::Keep && !matches!(verdict.rule, "O1" | "D6"));
        seen.extend(kept.map(|verdict| (verdict.rule, verdict.reason.into_owned())));
    }
    let closed = every::<Stay>().into_iter();
    assert_eq!(seen, closed.map(|stay| (stay.rule(), stay.text().to_owned())).collect());
}

#[tokio::test]
async fn d5_each_reason_to_call_a_pod_back_is_the_reason_of_a_recorded_call() {
    let mut seen = BTreeSet::new();
    for path in files(".request.json") {
        let verdicts = decision(&path).await.verdicts.into_iter();
        let pods = verdicts.filter(|verdict| verdict.does == Does::CallBack && verdict.kind == "Pod");
        seen.extend(pods.map(|verdict| (verdict.rule, verdict.reason.into_owned())));
    }
    let closed = every::<Reason>().into_iter();
    assert_eq!(
        seen,
        closed.map(|reason| (reason.rule(), reason.text().to_owned())).collect()
    );
}
