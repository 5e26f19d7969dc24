//! Bodies of sync calls as large as wanted, made of what was captured: the three crawler pods of one recorded call (one
//! restarted after it ran out of memory, one restarted three times, one never), cloned with names, UIDs and register
//! lines of their own. Takes a number of pods, gives the body and the store that fits it; calls nothing.

use std::path::Path;

use serde_json::{Map, Value};

/// The recorded call.
const CAPTURED: &str = "hooks/crawljob/sync/12-replacement-running-with-register";
/// Crawler pods in it.
const MODELS: u32 = 3;
const LAST_APPLIED: &str = "metacontroller.k8s.io/last-applied-configuration";
/// What is in a captured crawler's folder, by model.
const SIZES: [&str; 3] = ["956721", "957651", "4096"];

fn captured(ending: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{CAPTURED}.{ending}.json"));
    let text = std::fs::read(&path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
    serde_json::from_slice(&text).expect("a fixture is JSON")
}

/// The body for a job of `pods` crawlers, all of them running.
pub(crate) fn of(pods: u32) -> Value {
    let mut body = captured("request");
    body["parent"]["spec"]["scale"] = pods.into();
    for kind in ["Pod.v1", "PersistentVolumeClaim.v1"] {
        let group = map(&mut body["children"][kind]);
        let models: Vec<Value> = (0..MODELS)
            .map(|model| group.remove(&key(model)).expect("the model is there"))
            .collect();
        for (index, (at, model)) in (0..pods).zip((0..MODELS).zip(&models).cycle()) {
            group.insert(key(index), like(model, at, index));
        }
    }
    let register = &mut body["children"]["ConfigMap.v1"]["crawls/crawl-register-news"];
    let mut data = register["data"].clone();
    let mut state: Value = serde_json::from_str(data["state.json"].as_str().unwrap()).expect("a state");
    let lines = map(&mut state["instances"]);
    let models = lines.clone();
    for index in 0..pods {
        if let Some(line) = models.get(&(index % MODELS).to_string()) {
            lines.insert(index.to_string(), line.clone());
        }
    }
    data["state.json"] = state.to_string().into();
    fill(register, data);
    body
}

/// Puts an answer into the body of the next call, as metacontroller would: the status, and the data of ConfigMaps.
pub(crate) fn carry(body: &mut Value, answer: &Value) {
    let generation = body["parent"]["status"]["observedGeneration"].take();
    body["parent"]["status"] = answer["status"].clone();
    body["parent"]["status"]["observedGeneration"] = generation;
    for child in answer["children"].as_array().expect("children are a list") {
        if child["kind"] == "ConfigMap" {
            let key = format!("crawls/{}", child["metadata"]["name"].as_str().unwrap());
            fill(&mut body["children"]["ConfigMap.v1"][key], child["data"].clone());
        }
    }
}

/// The captured store, with an entry for each of `pods` crawlers: keys, and commands that make them.
pub(crate) fn store(pods: u32) -> Vec<Vec<String>> {
    let mut file = captured("store");
    let names = || (0..pods).map(|index| format!("crawl-news-{index}"));
    let entries = names().map(|name| (name, "running".into()));
    file["news:status"]["value"] = Value::Object(entries.collect());
    let sizes = names().zip(SIZES.into_iter().cycle());
    file["news:size"]["value"] = Value::Object(sizes.map(|(name, size)| (name, size.into())).collect());
    map(&mut file)
        .iter()
        .flat_map(|(key, content)| commands(key, content))
        .collect()
}

/// The commands that make one key of a store file.
fn commands(key: &str, content: &Value) -> Vec<Vec<String>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let kind = content["type"].as_str().unwrap();
    let value = &content["value"];
    let command = |name: &str, words: Vec<String>| [vec![name.to_owned(), key.to_owned()], words].concat();
    let each = |name: &str| {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|member| (name.to_owned(), member))
            .collect::<Vec<_>>()
    };
    match kind {
        "string" => vec![command("SET", vec![text(value)])],
        "hash" => {
            let fields = value.as_object().unwrap().iter();
            fields
                .map(|(field, value)| command("HSET", vec![field.clone(), text(value)]))
                .collect()
        }
        "set" => each("SADD")
            .iter()
            .map(|(name, member)| command(name, vec![text(member)]))
            .collect(),
        "list" => each("RPUSH")
            .iter()
            .map(|(name, member)| command(name, vec![text(member)]))
            .collect(),
        "zset" => each("ZADD")
            .iter()
            .map(|(name, member)| command(name, vec![text(&member[1]), text(&member[0])]))
            .collect(),
        other => panic!("{key}: a {other} can't be loaded"),
    }
}

fn key(index: u32) -> String {
    format!("crawls/crawl-news-{index}")
}

/// The model under another index: every text that names it, and a UID of its own.
fn like(model: &Value, at: u32, index: u32) -> Value {
    let uid = model["metadata"]["uid"].as_str().expect("a captured object has a UID");
    let own = format!("{}{index:012x}", &uid[..24]);
    let text = model.to_string().replace(uid, &own);
    let text = text.replace(&format!("crawl-news-{at}"), &format!("crawl-news-{index}"));
    serde_json::from_str(&text).expect("it is still JSON")
}

/// Sets the data of a ConfigMap, and its copy in the annotation of dynamic apply.
fn fill(config_map: &mut Value, data: Value) {
    let annotation = &mut config_map["metadata"]["annotations"][LAST_APPLIED];
    let mut applied: Value = serde_json::from_str(annotation.as_str().unwrap()).expect("an object");
    applied["data"] = data.clone();
    *annotation = applied.to_string().into();
    config_map["data"] = data;
}

fn map(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().expect("it is an object")
}
