//! What every pod must be, whatever the spec says; and one crawler and one Redis pod letter by letter.
//! `UPDATE_FIXTURES=1 cargo test --lib golden` writes `golden/` again.

mod keeping;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::restricted::broken;
use super::sample::{GIB, MEMORY, REDIS_MEMORY, Sample, full, plain};
use super::{crawler_pod, redis_pod};
use crate::hooks::crawljob::spec::Config;

fn pods(sample: &Sample) -> [Value; 3] {
    let recipe = sample.recipe();
    [
        json!(crawler_pod(recipe, 0, MEMORY)),
        json!(crawler_pod(recipe, 999, MEMORY)),
        json!(redis_pod(recipe, REDIS_MEMORY)),
    ]
}

fn every_sample() -> Vec<Sample> {
    let mut ephemeral = full();
    ephemeral.spec.ephemeral = true;
    let mut from = plain();
    from.spec.config = Config::From {
        name: "mine".to_owned(),
        key: "crawl.json".to_owned(),
    };
    let mut long = full();
    long.job.name = "n".repeat(52);
    let mut other_port = full();
    other_port.policy.store_port = 6380;
    other_port.policy.liveness_port = 9037;
    vec![full(), plain(), ephemeral, from, long, other_port]
}

fn container(pod: &Value) -> &Value {
    &pod["spec"]["containers"][0]
}

fn variable<'a>(pod: &'a Value, name: &str) -> Option<&'a str> {
    let variables = container(pod)["env"].as_array()?;
    variables.iter().find(|variable| variable["name"] == name)?["value"].as_str()
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[test]
fn every_pod_keeps_the_restricted_standard_and_has_no_token() {
    for pod in every_sample().iter().flat_map(pods) {
        assert_eq!(broken(&pod), [""; 0], "{pod:#}");
        assert_eq!(pod["spec"]["automountServiceAccountToken"], false);
        assert_eq!(container(&pod)["securityContext"]["readOnlyRootFilesystem"], true);
    }
}

#[test]
fn nothing_is_null_and_no_list_has_a_key_twice() {
    for pod in every_sample().iter().flat_map(pods) {
        assert!(!has_null(&pod), "{pod:#}");
        let container = container(&pod);
        for (list, key) in [
            (&pod["spec"]["volumes"], "name"),
            (&container["volumeMounts"], "mountPath"),
            (&container["env"], "name"),
            (&container["ports"], "containerPort"),
            (&container["ports"], "name"),
        ] {
            let keys: Vec<String> = list
                .as_array()
                .into_iter()
                .flatten()
                .map(|item| item[key].to_string())
                .collect();
            assert_eq!(
                keys.iter().collect::<BTreeSet<_>>().len(),
                keys.len(),
                "{key}: {keys:?}"
            );
        }
    }
}

#[test]
fn every_mount_has_its_volume_and_every_volume_a_mount() {
    for pod in every_sample().iter().flat_map(pods) {
        let names = |list: &Value| -> BTreeSet<String> {
            list.as_array()
                .unwrap()
                .iter()
                .map(|item| item["name"].to_string())
                .collect()
        };
        assert_eq!(names(&pod["spec"]["volumes"]), names(&container(&pod)["volumeMounts"]));
    }
}

#[test]
fn the_hostname_is_the_name_and_fits_a_dns_label() {
    for pod in every_sample().iter().flat_map(pods) {
        assert_eq!(pod["spec"]["hostname"], pod["metadata"]["name"]);
        assert!(pod["spec"]["hostname"].as_str().unwrap().len() <= 63);
    }
}

#[test]
fn equal_input_gives_equal_pods() {
    assert_eq!(pods(&full()), pods(&full()));
}

#[test]
fn what_we_set_can_not_be_set_by_a_user_and_no_variable_is_put_into_a_text() {
    let [pod, ..] = pods(&full());
    assert_eq!(variable(&pod, "CRAWL_ID"), Some("news"));
    assert_eq!(variable(&pod, "STORE_ENDPOINT_URL"), None);
    assert_eq!(variable(&pod, "TZ"), Some("UTC"));
    assert_eq!(
        variable(&pod, "CRAWL_ARGS"),
        Some("--generateWACZ --userAgentSuffix \"+see us\"")
    );
    let command = container(&pod)["command"].as_array().unwrap();
    assert!(command.contains(&json!("$$(STORE_SECRET_KEY)")), "{command:?}");
}

#[test]
fn only_the_first_instance_saves_the_profile() {
    let [first, last, _] = pods(&full());
    let saves = |pod: &Value| {
        container(pod)["command"]
            .as_array()
            .unwrap()
            .contains(&json!("--saveProfile"))
    };
    assert_eq!((saves(&first), saves(&last)), (true, false));
}

#[test]
fn the_priority_class_falls_with_the_index_down_to_the_last_deployed_one() {
    let [first, last, redis] = pods(&full());
    assert_eq!(first["spec"]["priorityClassName"], "crawl-pri-0");
    assert_eq!(last["spec"]["priorityClassName"], "crawl-pri-7");
    assert!(redis["spec"]["priorityClassName"].is_null());
    assert!(
        pods(&plain())
            .iter()
            .all(|pod| pod["spec"]["priorityClassName"].is_null())
    );
}

#[test]
fn the_memory_limit_is_a_fifth_above_the_request_and_never_above_the_maximum() {
    let sample = full();
    let limit = |memory| json!(crawler_pod(sample.recipe(), 0, memory))["spec"]["containers"][0]["resources"].clone();
    assert_eq!(limit(GIB)["limits"]["memory"], "1228Mi");
    assert_eq!(limit(7 * GIB)["limits"]["memory"], "8Gi");
    assert_eq!(limit(9 * GIB)["limits"]["memory"], "9Gi");
    assert_eq!(limit(GIB + 1)["requests"]["memory"], "1073741825");
}

#[test]
fn an_ephemeral_job_has_a_bounded_directory_instead_of_a_claim() {
    let mut sample = full();
    sample.spec.ephemeral = true;
    let [crawler, _, redis] = pods(&sample);
    assert_eq!(crawler["spec"]["volumes"][0]["emptyDir"]["sizeLimit"], "25Gi");
    assert_eq!(redis["spec"]["volumes"][0]["emptyDir"]["sizeLimit"], "3Gi");
}

#[test]
fn a_configuration_of_the_users_is_mounted_under_our_file_name() {
    let mut sample = plain();
    sample.spec.config = Config::From {
        name: "mine".to_owned(),
        key: "crawl.json".to_owned(),
    };
    let [pod, ..] = pods(&sample);
    assert_eq!(
        pod["spec"]["volumes"][2]["configMap"],
        json!({"name": "mine", "items": [{"key": "crawl.json", "path": "crawl-config.json"}]})
    );
}

#[test]
fn another_store_port_is_told_to_redis_its_probes_and_the_crawlers() {
    let mut sample = plain();
    sample.policy.store_port = 6380;
    let [crawler, _, redis] = pods(&sample);
    let args = container(&redis)["args"].as_array().unwrap();
    assert!(args.ends_with(&[json!("--port"), json!("6380")]));
    assert_eq!(
        container(&redis)["livenessProbe"]["exec"]["command"],
        json!(["redis-cli", "-p", "6380", "ping"])
    );
    assert_eq!(
        variable(&crawler, "WEBHOOK_URL"),
        Some("redis://redis-news.redis.crawls.svc.cluster.local:6380/0/crawls-done")
    );
}

#[test]
fn one_crawler_and_one_redis_pod_are_golden() {
    let [crawler, _, redis] = pods(&full());
    golden("crawler", &crawler);
    golden("redis", &redis);
}

fn golden(name: &str, pod: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/hooks/crawljob/build/golden/{name}.json"));
    let text = format!("{pod:#}\n");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{}", path.display());
}
