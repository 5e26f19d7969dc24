//! The cluster at work, with a stand-in hook that lists what a crawl needs and decides nothing.

use serde_json::{Value, json};

use super::api_server::{CLAIM, Key, POD};
use super::caller::{Call, Reply};
use super::metacontroller::{Controller, HookCall, Kind, text};
use super::site::Site;
use super::world::{Settings, Turn, World};

mod cluster;
mod crawling;

type Fallible = Result<(), Box<dyn std::error::Error>>;

const NAMESPACE: &str = "crawls";
const JOB: &str = "CrawlJob.rollcall.dev/v1";

fn settings(seed: u64) -> Settings {
    Settings {
        seed,
        start: 1_796_115_600_000,
        site: Site {
            address: "https://example.org".to_owned(),
            pages: 30,
            page_millis: (600, 2400),
            page_bytes: (40_000, 900_000),
        },
        bucket: "s3://archive/".to_owned(),
        lag: (5, 60),
        capacity: 10,
        kinds: vec![
            Kind::new("v1", "Pod", "pods"),
            Kind::new("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
            Kind::new("v1", "ConfigMap", "configmaps"),
            Kind::new("rollcall.dev/v1", "CrawlJob", "crawljobs"),
        ],
    }
}

fn world(seed: u64) -> Result<World, Box<dyn std::error::Error>> {
    let settings = settings(seed);
    let manifest = json!({"metadata": {"name": "crawljob"}, "spec": {
        "parentResource": {"apiVersion": "rollcall.dev/v1", "resource": "crawljobs", "ignoreStatusChanges": true},
        "childResources": [
            {"apiVersion": "v1", "resource": "pods", "updateStrategy": {"method": "OnDelete"}},
            {"apiVersion": "v1", "resource": "persistentvolumeclaims", "updateStrategy": {"method": "InPlace"}},
        ],
        "hooks": {"sync": {}, "finalize": {}},
    }});
    let controller = Controller::read(&manifest, &settings.kinds)?;
    let mut world = World::new(settings);
    world.install(controller);
    Ok(world)
}

fn job(scale: u64) -> Value {
    json!({"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob", "metadata": {"namespace": NAMESPACE, "name": "news"},
        "spec": {"scale": scale, "selector": {"matchLabels": {"crawl": "news"}}}})
}

fn job_key() -> Key {
    Key::new(JOB, NAMESPACE, "news")
}

fn pod_key(name: &str) -> Key {
    Key::new(POD, NAMESPACE, name)
}

/// Lists a Redis pod, `scale` crawlers and a claim for each; in finalize nothing.
fn stand_in(call: &Call) -> Reply {
    let observed = |kind: &str| call.body["children"][kind].as_object().map_or(0, serde_json::Map::len);
    let left = observed(POD) + observed(CLAIM);
    let answer = if call.hook == HookCall::Finalize {
        json!({"status": {}, "children": [], "finalized": left == 0})
    } else {
        let scale = call.body["parent"]["spec"]["scale"].as_u64().unwrap_or(1);
        let mut children: Vec<Value> = (0..scale)
            .flat_map(|index| crawler(&format!("crawl-news-{index}")))
            .collect();
        children.extend(pair("redis-news", "redis", &json!([])));
        json!({"status": {"children": left}, "children": children})
    };
    Reply::Http {
        status: 200,
        retry_after: None,
        body: answer.to_string().into_bytes(),
    }
}

fn crawler(name: &str) -> [Value; 2] {
    pair(
        name,
        "crawler",
        &json!([{"name": "CRAWL_ID", "value": "news"}, {"name": "STORE_PATH", "value": "acme/"}]),
    )
}

fn pair(name: &str, container: &str, env: &Value) -> [Value; 2] {
    let metadata = json!({"name": name, "namespace": NAMESPACE, "labels": {"crawl": "news"}});
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata,
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {
        "restartPolicy": "OnFailure", "terminationGracePeriodSeconds": 60,
        "containers": [{"name": container, "env": env, "envFrom": [{"secretRef": {"name": "s"}}]}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}});
    [claim, pod]
}

/// Runs until `over`, or for `seconds` of virtual time; whether it came so far.
fn run(world: &mut World, seconds: i64, hook: impl Fn(&Call) -> Reply, over: impl Fn(&World) -> bool) -> bool {
    let end = world.now() + seconds * 1000;
    while !over(world) {
        if world.next_time().is_none_or(|next| next > end) {
            world.wait_until(end);
            return false;
        }
        if let Turn::Call(call) = world.step() {
            let reply = hook(&call);
            world.reply(&call, &reply);
        }
    }
    true
}

fn pod<'a>(world: &'a World, name: &str) -> Option<&'a Value> {
    world.api().get(&pod_key(name))
}

fn phase<'a>(world: &'a World, name: &str) -> &'a str {
    pod(world, name).map_or("", |pod| text(&pod["status"], "phase"))
}

fn state<'a>(world: &'a World, name: &str) -> &'a Value {
    pod(world, name).map_or(&Value::Null, |pod| &pod["status"]["containerStatuses"][0]["state"])
}

fn running(world: &World, name: &str) -> bool {
    !state(world, name)["running"].is_null()
}

fn entry(world: &World, name: &str) -> Option<String> {
    let redis = pod(world, "redis-news")?;
    world
        .disk_of(redis)?
        .store
        .hget("news:status", name)
        .ok()
        .flatten()
        .map(str::to_owned)
}

/// A world in which one crawler has done some pages.
fn crawling(seed: u64, scale: u64) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = world(seed)?;
    world.create(&job(scale))?;
    let some_pages = |world: &World| world.unsaved_pages() >= 4;
    assert!(run(&mut world, 120, stand_in, some_pages), "{:#?}", world.lines());
    Ok(world)
}
