//! The pods as they are made: what the API server adds to them, or refuses, must not lead to a difference for ever.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use rollcall::sim::apply;

use super::call::Call;
use super::kept::Kept;

/// Every kind of object that a job gets, as made for the instance `index`.
async fn objects(call: Call, index: u32) -> Vec<Value> {
    let scaled = call.spec("scale", index + 1).register(json!({}));
    let without_redis = scaled.clone().ask().await;
    let with_redis = scaled.redis().kept(Kept::marked().pages(200, 0).queued(1)).ask().await;
    let crawler = with_redis.child("Pod", &format!("crawl-news-{index}"));
    assert!(crawler.is_object(), "the instance is made");
    vec![
        crawler,
        with_redis.child("PersistentVolumeClaim", &format!("crawl-news-{index}")),
        without_redis.child("Pod", "redis-news"),
        without_redis.child("PersistentVolumeClaim", "redis-news"),
        without_redis.child("ConfigMap", "crawl-register-news"),
        without_redis.child("ConfigMap", "crawl-config-news"),
    ]
}

/// Jobs that use every field that ends up in a pod.
fn jobs() -> Vec<Call> {
    let full = Call::new()
        .spec("proxy", json!({"secretName": "proxy"}))
        .spec("profileFilename", "profile.tar.gz")
        .spec("env", json!({"LANG": "C"}))
        .spec("extraArgs", json!(["--lang=de"]))
        .spec("userId", "somebody");
    let mut same_port = Call::new();
    same_port.config.crawl.liveness_port = 9037;
    let mut no_port = full.clone();
    no_port.config.crawl.liveness_port = 0;
    no_port.config.crawl.node_type = Some("crawling".to_owned());
    let mut from = Call::new().spec("configFrom", json!({"name": "own", "key": "own.json"}));
    from.body["parent"]["spec"]
        .as_object_mut()
        .expect("a spec")
        .remove("config");
    vec![Call::new(), full, same_port, no_port, from]
}

async fn pods() -> Vec<Value> {
    let mut pods = Vec::new();
    for job in jobs() {
        pods.extend(
            objects(job, 0)
                .await
                .into_iter()
                .filter(|object| object["kind"] == "Pod"),
        );
    }
    pods
}

/// A class that is not deployed, or a number beside its name, is refused when the pod is made.
#[tokio::test]
async fn a27_priority_classes_fall_with_the_index_and_are_always_deployed_ones() {
    for (family, prefix) in [("crawl", "crawl-pri"), ("background", "crawl-bg-pri")] {
        for index in [0, 6, 7, 8, 11, 40] {
            let pod = &objects(Call::new().spec("priority", family), index).await[0];
            assert_eq!(pod["spec"]["priorityClassName"], format!("{prefix}-{}", index.min(7)));
        }
        for (deployed, class) in [(1, json!(format!("{prefix}-0"))), (0, Value::Null)] {
            let mut few = Call::new().spec("priority", family);
            few.config.crawl.priority_classes = deployed;
            assert_eq!(
                objects(few, 11).await[0]["spec"]["priorityClassName"],
                class,
                "{deployed} deployed"
            );
        }
    }
    let mut none = Call::new();
    none.config.crawl.priority_class = String::new();
    assert_eq!(
        objects(none, 3).await[0]["spec"]["priorityClassName"],
        Value::Null,
        "no classes are deployed"
    );
    for pod in pods().await {
        assert_eq!(pod["spec"]["priority"], Value::Null, "the number is the server's");
        assert_eq!(pod["spec"]["preemptionPolicy"], Value::Null, "and so is this");
    }
}

/// With tolerations of one's own, two more are added by the server, and the list never agreed again.
#[tokio::test]
async fn b09_the_tolerations_that_the_server_adds_are_written_out() {
    for pod in pods().await {
        let list = pod["spec"]["tolerations"].as_array().cloned().unwrap_or_default();
        for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
            let added = json!({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300});
            assert!(
                list.is_empty() || list.contains(&added),
                "{}: {list:?}",
                pod["metadata"]["name"]
            );
        }
    }
}

fn set(object: &mut Value, field: &str, value: Value) {
    if object[field].is_null() {
        object[field] = value;
    }
}

fn each<'a>(object: &'a mut Value, list: &str) -> Vec<&'a mut Value> {
    object
        .get_mut(list)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .collect()
}

/// What the API server writes into a new object where nothing is said.
fn defaulted(mut object: Value) -> Value {
    object["metadata"]["uid"] = "5c1".into();
    match object["kind"].as_str() {
        Some("PersistentVolumeClaim") => {
            set(&mut object["spec"], "volumeMode", "Filesystem".into());
            object["spec"]["storageClassName"] = "standard".into();
            object["status"] = json!({"phase": "Pending"});
        }
        Some("Pod") => default_pod(&mut object["spec"]),
        _ => {}
    }
    object
}

fn default_pod(spec: &mut Value) {
    for (field, value) in [
        ("dnsPolicy", json!("ClusterFirst")),
        ("schedulerName", json!("default-scheduler")),
        ("restartPolicy", json!("Always")),
        ("preemptionPolicy", json!("PreemptLowerPriority")),
        ("priority", json!(0)),
        ("serviceAccountName", json!("default")),
        ("enableServiceLinks", json!(true)),
        ("terminationGracePeriodSeconds", json!(30)),
    ] {
        set(spec, field, value);
    }
    for volume in each(spec, "volumes") {
        for source in ["configMap", "secret"]
            .into_iter()
            .filter(|source| volume.get(*source).is_some())
            .collect::<Vec<_>>()
        {
            set(&mut volume[source], "defaultMode", json!(420));
        }
    }
    for container in each(spec, "containers") {
        set(container, "terminationMessagePath", "/dev/termination-log".into());
        set(container, "terminationMessagePolicy", "File".into());
        set(container, "imagePullPolicy", "Always".into());
        for port in each(container, "ports") {
            set(port, "protocol", "TCP".into());
        }
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            if container.get(probe).is_some() {
                for (field, value) in [
                    ("timeoutSeconds", 1),
                    ("periodSeconds", 10),
                    ("successThreshold", 1),
                    ("failureThreshold", 3),
                ] {
                    set(&mut container[probe], field, json!(value));
                }
                if container[probe].get("httpGet").is_some() {
                    set(&mut container[probe]["httpGet"], "scheme", "HTTP".into());
                }
            }
        }
        for variable in each(container, "env") {
            if variable.pointer("/valueFrom/fieldRef").is_some() {
                set(&mut variable["valueFrom"]["fieldRef"], "apiVersion", "v1".into());
            }
        }
    }
}

/// A list that the caller can't merge item by item is replaced whole: any default of the server in it is a difference for
/// ever.
#[tokio::test]
async fn b10_nothing_that_the_server_adds_is_a_difference() {
    for job in jobs() {
        for object in objects(job, 1).await.into_iter().filter(|object| !object.is_null()) {
            let stored = defaulted(apply::created(&object).expect("it can be made"));
            let merged = apply::updated(&stored, &object).expect("it can be merged");
            assert_eq!(merged, stored, "{} {}", object["kind"], object["metadata"]["name"]);
        }
    }
}

/// Two items with one key collapse into one when they are merged.
#[tokio::test]
async fn b11_no_list_has_a_key_twice() {
    let unique = |list: Vec<Value>, what: &str| {
        let keys: BTreeSet<String> = list.iter().map(Value::to_string).collect();
        assert_eq!(keys.len(), list.len(), "{what}: {list:?}");
    };
    let all = |object: &Value, list: &str, key: &str| -> Vec<Value> {
        object[list]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| item[key].clone())
            .collect()
    };
    for pod in pods().await {
        unique(all(&pod["spec"], "volumes", "name"), "volumes");
        unique(all(&pod["spec"], "containers", "name"), "containers");
        for container in pod["spec"]["containers"].as_array().expect("containers") {
            unique(all(container, "ports", "containerPort"), "ports");
            unique(all(container, "ports", "name"), "names of ports");
            unique(all(container, "volumeMounts", "mountPath"), "mounts");
            unique(all(container, "env", "name"), "variables");
        }
    }
    for ours in ["CRAWL_ID", "CRAWL_ARGS", "HOME", "STORE_PATH", "WEBHOOK_URL"] {
        let seen = Call::at_work(1).spec("env", json!({ours: "another"})).ask().await;
        assert_eq!(
            (seen.condition("SpecValid"), seen.leaves_out().as_str()),
            ("False", ""),
            "{ours} can't be said twice"
        );
    }
}

/// A name that is too long for a hostname or a label made a child that was refused for ever, without a word.
#[tokio::test]
async fn c36_names_fit_or_the_spec_is_called_unusable() {
    let named = |name: &str| {
        let selector = json!({"matchLabels": {"rollcall.dev/crawl": name}});
        Call::new().meta("name", name).spec("selector", selector)
    };
    let longest = "n".repeat(52);
    let made = named(&longest).spec("scale", 1000).ask().await;
    assert_eq!(made.condition("SpecValid"), "True");
    for child in made.answer["children"].as_array().expect("a list") {
        assert!(child["metadata"]["name"].as_str().is_some_and(|name| name.len() <= 253));
        let labels = child["metadata"]["labels"].as_object().into_iter().flatten();
        assert!(
            labels
                .into_iter()
                .all(|(_, value)| value.as_str().is_some_and(|value| value.len() <= 63))
        );
    }
    assert!(
        rollcall::api::v1::crawljob_names::crawler(&longest, 999).len() <= 63,
        "its last hostname"
    );
    let too_long = "n".repeat(60);
    for bad in [too_long.as_str(), "Upper", "a.b", "a_b", "-a", "a-", "rollcall-anchor"] {
        let seen = named(bad).ask().await;
        assert_eq!(
            (seen.condition("SpecValid"), seen.lists().as_str(), seen.wake()),
            ("False", "", 0),
            "{bad}"
        );
        assert!(!seen.message("SpecValid").is_empty(), "{bad}: it says why");
    }
    let mut taken = BTreeSet::new();
    for job in [
        "a",
        "a-0",
        "a-1",
        "a-0-0",
        "redis",
        "config-a",
        "register-a",
        "ticket-a",
        "crawl-a",
    ] {
        use rollcall::api::v1::crawljob_names as of;
        let pods = (0..12)
            .map(|index| ("Pod", of::crawler(job, index)))
            .chain([("Pod", of::redis(job))]);
        let maps = [of::config(job), of::register(job), of::ticket(job)].map(|name| ("ConfigMap", name));
        for object in pods.chain(maps) {
            assert!(taken.insert(object.clone()), "{object:?} belongs to two jobs");
        }
    }
}
