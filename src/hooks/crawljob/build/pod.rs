//! What crawler and Redis pods have in common: security, tolerations, sizes, mounts. Takes plain values, gives the
//! pieces; every pod passes the "restricted" Pod Security Standard.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Capabilities, ContainerPort, EmptyDirVolumeSource, NodeSelectorRequirement, NodeSelectorTerm,
    PersistentVolumeClaimVolumeSource, PodAffinity, PodAffinityTerm, PodSecurityContext, ResourceRequirements,
    SeccompProfile, SecurityContext, Toleration, Volume, VolumeMount, WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::Identity;
use super::meta::family;
use crate::policy::UserIds;
use crate::quantity::canonical_bytes;

const MIB: u64 = 1 << 20;

/// Sizes of a container. The memory limit is 1.2 times the request, so that the step by which memory grows after an
/// out-of-memory kill (Z1) starts from what the container was killed at: with a limit at the request, each start would
/// be killed by a peak that the next request has room for anyway. It never passes the configured maximum: that is what
/// an operator of the cluster reads as "no crawler takes more". A request above the maximum is its own limit.
pub(super) fn sizes(cpu_millis: u64, memory: u64, memory_max: u64) -> ResourceRequirements {
    let padded = memory.saturating_add(memory / 5) / MIB * MIB;
    let limit = padded.min(memory_max).max(memory);
    ResourceRequirements {
        requests: Some(BTreeMap::from([
            ("cpu".to_owned(), Quantity(canonical_millis(cpu_millis))),
            ("memory".to_owned(), Quantity(canonical_bytes(memory))),
        ])),
        limits: Some(BTreeMap::from([(
            "memory".to_owned(),
            Quantity(canonical_bytes(limit)),
        )])),
        claims: None,
    }
}

fn canonical_millis(millis: u64) -> String {
    if millis.is_multiple_of(1000) {
        (millis / 1000).to_string()
    } else {
        format!("{millis}m")
    }
}

/// Who a pod runs as. Large volumes are not walked at each start: their owner changes only when the root's is wrong.
pub(super) fn pod_security(user: UserIds) -> PodSecurityContext {
    PodSecurityContext {
        fs_group: Some(user.fs_group),
        fs_group_change_policy: Some("OnRootMismatch".to_owned()),
        run_as_group: Some(user.gid),
        run_as_non_root: Some(true),
        run_as_user: Some(user.uid),
        seccomp_profile: Some(SeccompProfile {
            localhost_profile: None,
            type_: "RuntimeDefault".to_owned(),
        }),
        ..PodSecurityContext::default()
    }
}

/// What a container may do: nothing beyond running, on a root file system it can't write.
pub(super) fn container_security() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities {
            add: None,
            drop: Some(vec!["ALL".to_owned()]),
        }),
        read_only_root_filesystem: Some(true),
        ..SecurityContext::default()
    }
}

/// The taint of crawl nodes, and both default NoExecute tolerations written out: the list has no merge key, so what the
/// API server adds would be a difference for ever.
pub(super) fn tolerations() -> Vec<Toleration> {
    let evicted_after = |key: &str| Toleration {
        effect: Some("NoExecute".to_owned()),
        key: Some(key.to_owned()),
        operator: Some("Exists".to_owned()),
        toleration_seconds: Some(300),
        value: None,
    };
    vec![
        Toleration {
            effect: Some("NoSchedule".to_owned()),
            key: Some(NODE_TYPE.to_owned()),
            operator: Some("Equal".to_owned()),
            toleration_seconds: None,
            value: Some("crawling".to_owned()),
        },
        evicted_after("node.kubernetes.io/not-ready"),
        evicted_after("node.kubernetes.io/unreachable"),
    ]
}

/// Label and taint of nodes that are kept for crawls.
const NODE_TYPE: &str = "nodeType";

/// Nodes labelled `nodeType: <value>`.
pub(super) fn nodes_of_type(value: &str) -> NodeSelectorTerm {
    NodeSelectorTerm {
        match_expressions: Some(vec![NodeSelectorRequirement {
            key: NODE_TYPE.to_owned(),
            operator: "In".to_owned(),
            values: Some(vec![value.to_owned()]),
        }]),
        match_fields: None,
    }
}

/// Prefers to be near the other pods of the job.
pub(super) fn near_family(identity: Identity<'_>, topology: &str, weight: i32) -> PodAffinity {
    PodAffinity {
        preferred_during_scheduling_ignored_during_execution: Some(vec![WeightedPodAffinityTerm {
            pod_affinity_term: PodAffinityTerm {
                label_selector: Some(LabelSelector {
                    match_expressions: None,
                    match_labels: Some(family(identity)),
                }),
                topology_key: topology.to_owned(),
                ..PodAffinityTerm::default()
            },
            weight,
        }]),
        required_during_scheduling_ignored_during_execution: None,
    }
}

/// A named TCP port.
pub(super) fn port(name: &str, number: u16) -> ContainerPort {
    ContainerPort {
        container_port: i32::from(number),
        name: Some(name.to_owned()),
        protocol: Some("TCP".to_owned()),
        ..ContainerPort::default()
    }
}

/// Data of a pod: its claim, or, for an ephemeral job, a directory of at most `bytes` that goes with the pod.
pub(super) fn data_volume(name: &str, claim: String, ephemeral: bool, bytes: u64) -> Volume {
    if ephemeral {
        return Volume {
            name: name.to_owned(),
            empty_dir: Some(EmptyDirVolumeSource {
                size_limit: Some(Quantity(canonical_bytes(bytes))),
                ..EmptyDirVolumeSource::default()
            }),
            ..Volume::default()
        };
    }
    Volume {
        name: name.to_owned(),
        persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
            claim_name: claim,
            read_only: None,
        }),
        ..Volume::default()
    }
}

/// Room for temporary files, as the root file system is read-only.
pub(super) fn scratch_volume() -> Volume {
    Volume {
        name: SCRATCH.to_owned(),
        empty_dir: Some(EmptyDirVolumeSource::default()),
        ..Volume::default()
    }
}

/// Name of [`scratch_volume`].
pub(super) const SCRATCH: &str = "tmpdir";

/// A mount of the volume `name`.
pub(super) fn mount(name: &str, path: &str, read_only: bool) -> VolumeMount {
    VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    }
}

/// Text for an argument or a variable's value: Kubernetes would replace `$(NAME)` in it by the value of a variable,
/// also of one that comes from the storage Secret, and put it where others can read it.
pub(super) fn literal(text: &str) -> String {
    text.replace('$', "$$")
}
