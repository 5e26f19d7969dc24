//! Takes CrawlJobs without a hook behind them; gives the verdict on what `kubectl get` and `kubectl scale` meet: a status of
//! which nothing is dropped, the columns, the scale subresource.

use std::collections::BTreeMap;
use std::path::Path;

use axum::http::Request;
use axum::http::request::Builder;
use rollcall::api::v1::condition::{Condition, ConditionStatus};
use rollcall::api::v1::crawljob_status::{CrawlJobStatus, CrawlState, PodStatus, QueueStatus, RedisStatus, StopReason};
use serde_json::{Value, json};

use crate::api::{CRAWL_JOB, short};
use crate::world::World;

/// Written out in full, so that a new field does not compile without standing here.
fn everything() -> CrawlJobStatus {
    let large = 1_000_000_000_000_000;
    let text = |text: &str| Some(text.to_owned());
    let time = || text("2026-12-01T09:00:00Z");
    let pod = PodStatus {
        state: "backing off".into(),
        reason: text("OOMKilled"),
        exit_code: Some(-1),
        exit_time: time(),
        restarts: u32::MAX,
        memory: text("1Gi"),
        storage: text("25Gi"),
    };
    let condition = |kind: &str, status| Condition {
        r#type: kind.into(),
        status,
        reason: "Reason".into(),
        message: "A sentence.".repeat(100),
        last_transition_time: "2026-12-01T09:00:00Z".into(),
    };
    CrawlJobStatus {
        state: CrawlState::GenerateWacz,
        stop_reason: Some(StopReason::SizeLimit),
        pages_found: large,
        pages_done: large,
        pages_failed: large,
        size: large,
        size_pending: large,
        size_human: "1 PB".into(),
        scale: 4,
        desired_scale: 1000,
        files_added: large,
        files_added_size: large,
        started_at: time(),
        finished_at: time(),
        crawl_exec_seconds: large,
        elapsed_seconds: large,
        pods: (0..200).map(|index: u32| (index.to_string(), pod.clone())).collect(),
        pod_counts: BTreeMap::from([("running".into(), u32::MAX)]),
        redis: Some(RedisStatus {
            state: "running".into(),
            reason: text("LOADING"),
        }),
        queue: Some(QueueStatus {
            position: 1,
            ahead: u32::MAX,
        }),
        conditions: vec![
            condition("Complete", ConditionStatus::True),
            condition("Failed", ConditionStatus::False),
            condition("StoreReachable", ConditionStatus::Unknown),
        ],
        observed_generation: Some(i64::MAX),
    }
}

/// The statuses that the recorded calls were answered with.
fn answered() -> Vec<Value> {
    let mut statuses = Vec::new();
    for hook in ["sync", "finalize"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/crawljob").join(hook);
        for file in std::fs::read_dir(&folder).expect("the fixtures are there") {
            let path = file.expect("a file").path();
            if path.to_string_lossy().ends_with(".response.json") {
                let text = std::fs::read_to_string(&path).expect("a fixture is read");
                let answer: Value = serde_json::from_str(&text).expect("a fixture is JSON");
                statuses.push(answer["status"].clone());
            }
        }
    }
    statuses
}

#[tokio::test]
async fn nothing_of_a_status_is_dropped() {
    let world = World::new("status").await;
    world.crawl("news", 1, 1, 100).await;
    let mut statuses = answered();
    assert!(statuses.len() > 50, "the fixtures of all situations are read");
    statuses.push(serde_json::to_value(everything()).expect("a status is JSON"));
    let jobs = world.objects(CRAWL_JOB);
    let mut job = world.job("news").await.expect("it was made");
    for status in statuses {
        job["status"] = status.clone();
        let written = jobs.replace_status("news", &job).await;
        job = written.unwrap_or_else(|error| panic!("{}: {status}", short(&error)));
        assert_eq!(job["status"], status, "it reads back as it was written");
    }
}

async fn asked(world: &World, request: Builder, body: Vec<u8>) -> Result<Value, String> {
    let request = request.body(body).expect("a request");
    world.client.request(request).await.map_err(|error| short(&error))
}

fn path(world: &World, rest: &str) -> String {
    format!("/apis/rollcall.dev/v1/namespaces/{}/crawljobs{rest}", world.namespace)
}

#[tokio::test]
async fn kubectl_get_shows_the_columns() {
    let world = World::new("columns").await;
    world.crawl("news", 1, 1, 100).await;
    let mut job = world.job("news").await.expect("it was made");
    job["status"] = json!({"state": "running", "pagesDone": 12, "pagesFound": 500, "sizeHuman": "1.5 MiB", "scale": 2,
        "filesAdded": 3, "stopReason": "size_limit", "startedAt": "2020-12-01T09:00:00Z",
        "finishedAt": "2020-12-01T10:00:00Z"});
    let written = world.objects(CRAWL_JOB).replace_status("news", &job).await;
    written.expect("a part of a status is enough");
    let request = Request::get(path(&world, "")).header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let table = asked(&world, request, Vec::new()).await.expect("a table");
    let columns = table["columnDefinitions"].as_array().expect("columns");
    let shown: Vec<(&str, bool)> = columns
        .iter()
        .map(|column| (column["name"].as_str().unwrap_or_default(), column["priority"] == 0))
        .collect();
    let plain = ["Name", "State", "Done", "Found", "Size", "Pods", "Files"].map(|name| (name, true));
    let wide = ["Reason", "Started", "Finished"].map(|name| (name, false));
    assert_eq!(shown, [&plain[..], &wide, &[("Age", true)]].concat());
    let cells = table["rows"][0]["cells"].as_array().expect("cells");
    assert_eq!(
        cells[..8],
        json!(["news", "running", 12, 500, "1.5 MiB", 2, 3, "size_limit"])
            .as_array()
            .expect("8")[..]
    );
    for (cell, unit) in cells[8..].iter().zip(['y', 'y', 's']) {
        let text = cell.as_str().unwrap_or_default();
        assert!(text.contains(unit), "an age in {unit}: {cells:?}");
    }
}

#[tokio::test]
async fn kubectl_scale_changes_the_wish_and_reads_the_state() {
    let world = World::new("subresource").await;
    world.crawl("news", 1, 1, 100).await;
    let mut job = world.job("news").await.expect("it was made");
    job["status"] = json!({"state": "running", "scale": 2});
    world
        .objects(CRAWL_JOB)
        .replace_status("news", &job)
        .await
        .expect("a status");
    let get = Request::get(path(&world, "/news/scale"));
    let scale = asked(&world, get, Vec::new()).await.expect("the subresource is served");
    assert_eq!(
        (&scale["spec"]["replicas"], &scale["status"]["replicas"]),
        (&json!(1), &json!(2))
    );
    let patch = |replicas: i64| {
        let request =
            Request::patch(path(&world, "/news/scale")).header("content-type", "application/merge-patch+json");
        let body = json!({"spec": {"replicas": replicas}}).to_string().into_bytes();
        asked(&world, request, body)
    };
    patch(4).await.expect("a scale is patched");
    assert_eq!(world.job("news").await.expect("it is there")["spec"]["scale"], 4);
    for (replicas, sentence) in [
        (1001, "should be less than or equal to 1000"),
        (-1, "greater than or equal to 0"),
    ] {
        let said = patch(replicas).await.expect_err("out of range");
        assert!(said.contains(sentence), "{replicas}: {said}");
    }
    assert_eq!(world.job("news").await.expect("it is there")["spec"]["scale"], 4);
}
