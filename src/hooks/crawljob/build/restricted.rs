//! The "restricted" Pod Security Standard as checks: takes a pod as JSON, gives what it breaks, in words.

use serde_json::Value;

const VOLUME_KINDS: [&str; 8] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// Every rule of the standard that `pod` breaks; baseline rules included.
pub(super) fn broken(pod: &Value) -> Vec<String> {
    let spec = &pod["spec"];
    let mut broken = Vec::new();
    let mut demand = |holds: bool, rule: &str| {
        if !holds {
            broken.push(rule.to_owned());
        }
    };
    for field in ["hostNetwork", "hostPID", "hostIPC"] {
        demand(spec[field] != true, field);
    }
    demand(spec["securityContext"]["sysctls"].is_null(), "sysctls");
    for volume in list(&spec["volumes"]) {
        let known = volume.as_object().is_some_and(|fields| {
            fields
                .keys()
                .all(|kind| kind == "name" || VOLUME_KINDS.contains(&kind.as_str()))
        });
        demand(known, "volume kinds");
    }
    for container in ["containers", "initContainers", "ephemeralContainers"]
        .into_iter()
        .flat_map(|kind| list(&spec[kind]))
    {
        check_container(container, &spec["securityContext"], &mut demand);
    }
    broken
}

fn check_container(container: &Value, pod: &Value, demand: &mut impl FnMut(bool, &str)) {
    let own = &container["securityContext"];
    let effective = |field: &str| if own[field].is_null() { &pod[field] } else { &own[field] };
    demand(own["privileged"] != true, "privileged");
    demand(own["allowPrivilegeEscalation"] == false, "allowPrivilegeEscalation");
    demand(own["procMount"].is_null() || own["procMount"] == "Default", "procMount");
    demand(effective("runAsNonRoot") == true, "runAsNonRoot");
    demand(effective("runAsUser") != 0, "runAsUser");
    demand(
        ["RuntimeDefault", "Localhost"]
            .map(Value::from)
            .contains(&effective("seccompProfile")["type"]),
        "seccompProfile",
    );
    demand(
        list(&own["capabilities"]["drop"]).contains(&Value::from("ALL")),
        "drop ALL",
    );
    demand(
        list(&own["capabilities"]["add"])
            .iter()
            .all(|added| added == "NET_BIND_SERVICE"),
        "added capabilities",
    );
    for port in list(&container["ports"]) {
        demand(port["hostPort"].is_null() || port["hostPort"] == 0, "hostPort");
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn the_checks_see_what_a_plain_pod_breaks() {
    let pod = serde_json::json!({"spec": {
        "hostNetwork": true,
        "volumes": [{"name": "host", "hostPath": {"path": "/"}}],
        "containers": [{"name": "shell", "ports": [{"containerPort": 80, "hostPort": 80}]}],
    }});
    let expected = [
        "hostNetwork",
        "volume kinds",
        "allowPrivilegeEscalation",
        "runAsNonRoot",
        "seccompProfile",
        "drop ALL",
        "hostPort",
    ];
    assert_eq!(broken(&pod), expected);
}
