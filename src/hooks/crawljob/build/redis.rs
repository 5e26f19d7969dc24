//! The Redis pod of a job. Arguments only: no configuration that another object would have to hold.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, Container, ExecAction, NodeAffinity, Pod, PodSpec, PreferredSchedulingTerm, Probe,
};

use super::pod::{
    SCRATCH, container_security, data_volume, mount, near_family, nodes_of_type, pod_security, port, scratch_volume,
    sizes, tolerations,
};
use super::{Recipe, Role, meta};
use crate::api::v1::crawljob_names as names;

/// Redis' own port, which needs no argument.
const USUAL_PORT: u16 = 6379;

/// The Redis pod, made with `memory` bytes.
#[must_use]
pub fn redis_pod(recipe: Recipe<'_>, memory: u64) -> Pod {
    let Recipe { identity, policy, .. } = recipe;
    let name = names::redis(&identity.job.name);
    let mut metadata = meta::metadata(identity, Role::Redis, name.clone(), None);
    metadata.annotations = Some(BTreeMap::from([(
        names::ANNOTATION_MEMORY.to_owned(),
        memory.to_string(),
    )]));
    Pod {
        metadata,
        spec: Some(PodSpec {
            affinity: Some(affinity(recipe)),
            automount_service_account_token: Some(false),
            containers: vec![container(recipe, memory)],
            enable_service_links: Some(false),
            hostname: Some(name.clone()),
            restart_policy: Some("Always".to_owned()),
            security_context: Some(pod_security(policy.redis.user)),
            subdomain: Some("redis".to_owned()),
            termination_grace_period_seconds: Some(300),
            tolerations: Some(tolerations()),
            volumes: Some(vec![
                data_volume("redis-data", name, recipe.spec.ephemeral, policy.redis.storage),
                scratch_volume(),
            ]),
            ..PodSpec::default()
        }),
        status: None,
    }
}

/// Where crawlers find it: the pod's hostname below the headless service `redis`.
pub(super) fn url(recipe: Recipe<'_>) -> String {
    let job = recipe.identity.job;
    let host = format!("{}.redis.{}.svc.cluster.local", names::redis(&job.name), job.namespace);
    match recipe.policy.store_port {
        USUAL_PORT => format!("redis://{host}/0"),
        other => format!("redis://{host}:{other}/0"),
    }
}

fn container(recipe: Recipe<'_>, memory: u64) -> Container {
    let redis = &recipe.policy.redis;
    Container {
        name: "redis".to_owned(),
        image: Some(redis.image.name.clone()),
        image_pull_policy: Some(redis.image.pull_policy.clone()),
        args: Some(arguments(recipe)),
        liveness_probe: Some(probe(recipe, &[])),
        ports: Some(vec![port("redis", recipe.policy.store_port)]),
        // Ready only once it answers commands: an error answer (loading) counts as not ready, but as alive.
        readiness_probe: Some(probe(recipe, &["-e"])),
        resources: Some(sizes(redis.cpu_millis, memory, redis.memory_max)),
        security_context: Some(container_security()),
        volume_mounts: Some(vec![mount("redis-data", "/data", false), mount(SCRATCH, "/tmp", false)]),
        ..Container::default()
    }
}

/// The dump's name is the job's, so that a store that answers on a reused address can be told apart (S1).
fn arguments(recipe: Recipe<'_>) -> Vec<String> {
    let dump = format!("{}.rdb", recipe.identity.job.name);
    let mut arguments: Vec<String> = ["--appendonly", "yes", "--dir", "/data", "--dbfilename", &dump]
        .map(str::to_owned)
        .into();
    if recipe.policy.store_port != USUAL_PORT {
        arguments.extend(["--port".to_owned(), recipe.policy.store_port.to_string()]);
    }
    arguments
}

fn probe(recipe: Recipe<'_>, options: &[&str]) -> Probe {
    let mut command = vec!["redis-cli".to_owned()];
    command.extend(options.iter().map(|&option| option.to_owned()));
    if recipe.policy.store_port != USUAL_PORT {
        command.extend(["-p".to_owned(), recipe.policy.store_port.to_string()]);
    }
    command.push("ping".to_owned());
    Probe {
        exec: Some(ExecAction { command: Some(command) }),
        failure_threshold: Some(3),
        initial_delay_seconds: Some(10),
        period_seconds: Some(10),
        timeout_seconds: Some(5),
        ..Probe::default()
    }
}

fn affinity(recipe: Recipe<'_>) -> Affinity {
    let preferred = recipe.policy.redis.node_type.as_deref().map(|value| NodeAffinity {
        preferred_during_scheduling_ignored_during_execution: Some(vec![PreferredSchedulingTerm {
            preference: nodes_of_type(value),
            weight: 1,
        }]),
        required_during_scheduling_ignored_during_execution: None,
    });
    Affinity {
        node_affinity: preferred,
        pod_affinity: Some(near_family(recipe.identity, "topology.kubernetes.io/zone", 2)),
        pod_anti_affinity: None,
    }
}
