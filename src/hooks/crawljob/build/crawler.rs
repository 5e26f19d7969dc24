//! The pod of one crawler instance. Its hostname is its name: the crawler keeps its keys in the store under it.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, ConfigMapVolumeSource, Container, EnvFromSource, EnvVar, HTTPGetAction, KeyToPath, NodeAffinity,
    NodeSelector, Pod, PodSpec, Probe, SecretEnvSource, SecretVolumeSource, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::pod::{
    SCRATCH, container_security, data_volume, literal, mount, near_family, nodes_of_type, pod_security, port,
    scratch_volume, sizes, tolerations,
};
use super::{CONFIG_KEY, Recipe, Role, meta, redis};
use crate::api::v1::crawljob::Priority;
use crate::api::v1::crawljob_names as names;
use crate::hooks::crawljob::spec::Config;

const CONFIG_FOLDER: &str = "/tmp/config";
const PROXY_FOLDER: &str = "/tmp/proxies";
const SCREENCAST_PORT: u16 = 9037;
/// Mode of the proxy files: `ssh` refuses a private key that others may read.
const OWNER_ONLY: i32 = 0o600;

/// The pod of instance `index`, made with `memory` bytes.
#[must_use]
pub fn crawler_pod(recipe: Recipe<'_>, index: u32, memory: u64) -> Pod {
    let Recipe { identity, policy, .. } = recipe;
    let name = names::crawler(&identity.job.name, index);
    let mut metadata = meta::metadata(identity, Role::Crawler(index), name.clone(), None);
    metadata.annotations = Some(annotations(recipe, memory));
    Pod {
        metadata,
        spec: Some(PodSpec {
            affinity: Some(affinity(recipe)),
            automount_service_account_token: Some(false),
            containers: vec![container(recipe, index, memory)],
            enable_service_links: Some(false),
            hostname: Some(name.clone()),
            priority_class_name: priority_class(recipe, index),
            restart_policy: Some("OnFailure".to_owned()),
            security_context: Some(pod_security(policy.user)),
            subdomain: Some("crawler".to_owned()),
            termination_grace_period_seconds: Some(i64::from(policy.grace_seconds)),
            tolerations: Some(tolerations()),
            volumes: Some(volumes(recipe, name)),
            ..PodSpec::default()
        }),
        status: None,
    }
}

/// What decisions read back from an existing pod: a pod never changes, so its reasons to be replaced are written on it.
fn annotations(recipe: Recipe<'_>, memory: u64) -> BTreeMap<String, String> {
    let spec = recipe.spec;
    let mut annotations = BTreeMap::from([
        (names::ANNOTATION_MEMORY.to_owned(), memory.to_string()),
        (names::ANNOTATION_WORKERS.to_owned(), spec.workers.to_string()),
    ]);
    if let Some(instant) = recipe.restart {
        annotations.insert(names::ANNOTATION_RESTART.to_owned(), instant.to_string());
    }
    annotations
}

fn container(recipe: Recipe<'_>, index: u32, memory: u64) -> Container {
    let Recipe { spec, policy, .. } = recipe;
    let image = policy.channels.get(&spec.channel);
    Container {
        name: "crawler".to_owned(),
        image: image.map(|image| image.name.clone()),
        image_pull_policy: image.map(|image| image.pull_policy.clone()),
        command: Some(command(recipe, index)),
        env: Some(environment(recipe)),
        env_from: spec.storage.as_ref().map(|storage| {
            vec![EnvFromSource {
                secret_ref: Some(SecretEnvSource {
                    name: storage.secret.clone(),
                    optional: None,
                }),
                ..EnvFromSource::default()
            }]
        }),
        liveness_probe: liveness(policy.liveness_port),
        ports: Some(ports(policy.liveness_port)),
        resources: Some(sizes(spec.cpu_millis, memory, policy.memory_max)),
        security_context: Some(container_security()),
        volume_mounts: Some(mounts(recipe)),
        ..Container::default()
    }
}

fn command(recipe: Recipe<'_>, index: u32) -> Vec<String> {
    let spec = recipe.spec;
    let mut words = vec![
        "crawl".to_owned(),
        "--config".to_owned(),
        format!("{CONFIG_FOLDER}/{CONFIG_KEY}"),
        "--workers".to_owned(),
        spec.workers.to_string(),
        "--redisStoreUrl".to_owned(),
        redis::url(recipe),
    ];
    if let Some(profile) = &spec.profile {
        // `@` = relative to the storage.
        words.extend(["--profile".to_owned(), literal(&format!("@{profile}"))]);
        // One instance is enough to save it, and two would overwrite each other.
        if spec.save_profile && index == 0 {
            words.push("--saveProfile".to_owned());
        }
    }
    if spec.proxy_secret.is_some() {
        let settings = format!("{PROXY_FOLDER}/host-proxies.json");
        words.extend(["--proxyServerConfig".to_owned(), settings]);
    }
    words.extend(spec.extra_args.iter().map(|argument| literal(argument)));
    words
}

/// Sorted, each name once. What rollcall sets can't be set by a user: another `CRAWL_ID` or `STORE_ENDPOINT_URL` would
/// send another job's keys, or the storage's credentials, elsewhere.
fn environment(recipe: Recipe<'_>) -> Vec<EnvVar> {
    let Recipe {
        identity,
        spec,
        policy,
        restart: _,
    } = recipe;
    let mut values: BTreeMap<&str, String> = spec
        .env
        .iter()
        .filter(|(name, _)| !is_reserved(name))
        .map(|(name, value)| (name.as_str(), literal(value)))
        .collect();
    values.insert("CRAWL_ARGS", literal(&in_one_line(&policy.shared_args)));
    values.insert("CRAWL_ID", identity.job.name.clone());
    values.insert("HOME", "/crawls/home".to_owned());
    values.insert("WEBHOOK_URL", format!("{}/crawls-done", redis::url(recipe)));
    let storage = spec.storage.as_ref();
    let optional = [
        ("STORE_PATH", storage.and_then(|storage| storage.path.as_deref())),
        (
            "STORE_FILENAME",
            storage.and_then(|storage| storage.filename.as_deref()),
        ),
        ("STORE_USER", spec.user_id.as_deref()),
        ("WARC_PREFIX", spec.warc_prefix.as_deref()),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            values.insert(name, literal(value));
        }
    }
    values
        .into_iter()
        .map(|(name, value)| EnvVar {
            name: name.to_owned(),
            value: Some(value),
            value_from: None,
        })
        .collect()
}

/// Names of variables that a spec can't set.
fn is_reserved(name: &str) -> bool {
    const NAMES: [&str; 5] = ["CRAWL_ARGS", "CRAWL_ID", "HOME", "WARC_PREFIX", "WEBHOOK_URL"];
    NAMES.contains(&name) || name.starts_with("STORE_")
}

/// As the crawler splits it again: at spaces, except between double quotes.
fn in_one_line(arguments: &[String]) -> String {
    let quoted: Vec<String> = arguments
        .iter()
        .map(|argument| {
            if argument.contains(' ') {
                format!("\"{argument}\"")
            } else {
                argument.clone()
            }
        })
        .collect();
    quoted.join(" ")
}

fn liveness(number: u16) -> Option<Probe> {
    (number != 0).then(|| Probe {
        failure_threshold: Some(3),
        http_get: Some(HTTPGetAction {
            path: Some("/healthz".to_owned()),
            port: IntOrString::Int(i32::from(number)),
            ..HTTPGetAction::default()
        }),
        initial_delay_seconds: Some(15),
        period_seconds: Some(120),
        ..Probe::default()
    })
}

fn ports(liveness: u16) -> Vec<k8s_openapi::api::core::v1::ContainerPort> {
    let mut ports = vec![port("screencast", SCREENCAST_PORT)];
    if liveness != 0 && liveness != SCREENCAST_PORT {
        ports.push(port("health", liveness));
    }
    ports
}

fn mounts(recipe: Recipe<'_>) -> Vec<VolumeMount> {
    let mut mounts = vec![
        mount("crawl-data", "/crawls", false),
        mount(SCRATCH, "/tmp", false),
        mount("crawl-config", CONFIG_FOLDER, true),
    ];
    if recipe.spec.proxy_secret.is_some() {
        mounts.push(mount("proxies", PROXY_FOLDER, true));
    }
    mounts
}

fn volumes(recipe: Recipe<'_>, claim: String) -> Vec<Volume> {
    let spec = recipe.spec;
    let mut volumes = vec![
        data_volume("crawl-data", claim, spec.ephemeral, spec.volume),
        scratch_volume(),
        config_volume(recipe),
    ];
    if let Some(secret) = &spec.proxy_secret {
        volumes.push(Volume {
            name: "proxies".to_owned(),
            secret: Some(SecretVolumeSource {
                secret_name: Some(secret.clone()),
                default_mode: Some(OWNER_ONLY),
                ..SecretVolumeSource::default()
            }),
            ..Volume::default()
        });
    }
    volumes
}

/// The configuration: our ConfigMap, or the user's own one, mounted and never copied.
fn config_volume(recipe: Recipe<'_>) -> Volume {
    let source = match &recipe.spec.config {
        Config::Inline(_) => ConfigMapVolumeSource {
            name: names::config(&recipe.identity.job.name),
            ..ConfigMapVolumeSource::default()
        },
        Config::From { name, key } => ConfigMapVolumeSource {
            name: name.clone(),
            items: Some(vec![KeyToPath {
                key: key.clone(),
                path: CONFIG_KEY.to_owned(),
                ..KeyToPath::default()
            }]),
            ..ConfigMapVolumeSource::default()
        },
    };
    Volume {
        name: "crawl-config".to_owned(),
        config_map: Some(source),
        ..Volume::default()
    }
}

/// The first pods of every crawl go before the later ones of any. Only deployed classes are named (D6): a pod of an
/// unknown class is refused.
fn priority_class(recipe: Recipe<'_>, index: u32) -> Option<String> {
    let prefix = match recipe.spec.priority {
        Priority::Crawl => &recipe.policy.priority_class,
        Priority::Background => &recipe.policy.background_priority_class,
    };
    let last = recipe.policy.priority_classes.checked_sub(1)?;
    (!prefix.is_empty()).then(|| format!("{prefix}-{}", index.min(last)))
}

fn affinity(recipe: Recipe<'_>) -> Affinity {
    let required = recipe.policy.node_type.as_deref().map(|value| NodeAffinity {
        preferred_during_scheduling_ignored_during_execution: None,
        required_during_scheduling_ignored_during_execution: Some(NodeSelector {
            node_selector_terms: vec![nodes_of_type(value)],
        }),
    });
    Affinity {
        node_affinity: required,
        pod_affinity: Some(near_family(recipe.identity, "kubernetes.io/hostname", 10)),
        pod_anti_affinity: None,
    }
}
