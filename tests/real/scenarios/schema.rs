//! Takes CrawlJobs as people write them; gives the API server's word on each: accepted with defaults, or refused with a
//! sentence that says what to do. Nothing is stored (dry run) and no hook is asked.

mod cases;

use axum::http::Request;
use serde_json::{Value, json};

use crate::api::short;
use crate::world::World;
use cases::{ACCEPTED, NAMES, REFUSED, REFUSED_NAMES};

/// As `kubectl apply --dry-run=server --validate=<strict or ignore>` would send it.
async fn tried(world: &World, job: &Value, validation: &str) -> Result<Value, String> {
    let path = format!(
        "/apis/rollcall.dev/v1/namespaces/{}/crawljobs?dryRun=All&fieldValidation={validation}",
        world.namespace
    );
    let request = Request::post(path)
        .header("content-type", "application/json")
        .body(job.to_string().into_bytes())
        .expect("a request");
    world.client.request(request).await.map_err(|error| short(&error))
}

/// The smallest job.
fn smallest(name: &str) -> Value {
    json!({"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob", "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"rollcall.dev/crawl": name}}, "config": {}}})
}

/// The smallest job with the fields of `changes` put into its spec; `"-"` takes one out.
fn changed(changes: &str) -> Value {
    let mut job = smallest("news");
    let changes: Value = serde_json::from_str(changes).unwrap_or_else(|error| panic!("{changes}: {error}"));
    let spec = job["spec"].as_object_mut().expect("a spec");
    for (field, value) in changes.as_object().expect("fields") {
        spec.insert(field.clone(), value.clone());
    }
    spec.retain(|_, value| *value != "-");
    job
}

#[tokio::test]
async fn what_can_not_be_meant_is_refused_with_a_sentence() {
    let world = World::new("refused").await;
    let mut wrong = Vec::new();
    let specs = REFUSED.iter().map(|(changes, sentence)| (changed(changes), *sentence));
    let names = REFUSED_NAMES.iter().map(|(name, sentence)| (smallest(name), *sentence));
    for (job, sentence) in specs.chain(names) {
        match tried(&world, &job, "Strict").await {
            Ok(_) => wrong.push(format!("accepted: {job}\n  wanted: {sentence}")),
            Err(said) if !said.contains(sentence) => {
                wrong.push(format!("{job}\n  wanted: {sentence}\n  said:   {said}"));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_can_be_meant_is_accepted() {
    let world = World::new("accepted").await;
    let mut wrong = Vec::new();
    let jobs = ACCEPTED.iter().map(|changes| changed(changes));
    for job in jobs.chain(NAMES.iter().map(|name| smallest(name))) {
        if let Err(said) = tried(&world, &job, "Strict").await {
            wrong.push(format!("{job}\n  said: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn defaults_are_filled_in_and_null_is_unset() {
    let world = World::new("defaults").await;
    let defaults = json!({"scale": 1, "crawlerChannel": "default", "priority": "crawl"});
    let nulls = r#"{"scale": null, "priority": null, "crawlerChannel": null, "pausedAt": null, "timeout": null,
        "configFrom": null, "storage": null, "workers": null, "resources": {"memory": null}, "env": null}"#;
    for changes in ["{}", nulls] {
        let made = tried(&world, &changed(changes), "Strict")
            .await
            .expect("it is accepted");
        let mut expected = smallest("news")["spec"].clone();
        for (field, value) in defaults.as_object().expect("fields") {
            expected[field] = value.clone();
        }
        if made["spec"].get("resources").is_some() {
            expected["resources"] = json!({});
        }
        assert_eq!(made["spec"], expected, "{changes}");
    }
}

#[tokio::test]
async fn only_the_crawlers_own_configuration_keeps_what_we_do_not_know() {
    let world = World::new("unknown").await;
    let job = changed(
        r#"{"scael": 3, "config": {"seeds": [{"url": "https://a.example/", "x": [1, null]}], "y": {"z": 1.5}}}"#,
    );
    let said = tried(&world, &job, "Strict")
        .await
        .expect_err("a typing error is refused");
    assert!(said.contains(r#"unknown field "spec.scael""#), "{said}");
    let made = tried(&world, &job, "Ignore")
        .await
        .expect("it is dropped when nobody asks");
    assert_eq!(made["spec"].get("scael"), None);
    assert_eq!(made["spec"]["config"], job["spec"]["config"], "kept as it is");
}
