//! Who reaches whom under the rendered network policies: the table of the chart's README, played with pods and addresses.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::{Case, case};
use crate::helm::{Helm, RELEASE};

/// One end of a connection. What has no namespace is an address outside the cluster's pods.
#[derive(Debug, Clone)]
struct End {
    namespace: &'static str,
    labels: Value,
    address: IpAddr,
}

fn pod(namespace: &'static str, labels: Value) -> End {
    End {
        namespace,
        labels,
        address: "10.244.0.7".parse().unwrap(),
    }
}

fn outside(address: &str) -> End {
    End {
        namespace: "",
        labels: json!({}),
        address: address.parse().unwrap(),
    }
}

/// `matchLabels` of a selector, empty or not, against labels.
fn selects(selector: &Value, labels: &Value) -> bool {
    let wanted = selector["matchLabels"].as_object().into_iter().flatten();
    wanted.into_iter().all(|(label, value)| labels[label] == *value)
}

fn contains(range: &Value, address: IpAddr) -> bool {
    let (start, bits) = range.as_str().unwrap().split_once('/').unwrap();
    let bits: u32 = bits.parse().unwrap();
    match (start.parse().unwrap(), address) {
        (IpAddr::V4(start), IpAddr::V4(address)) => {
            (u32::from(start) ^ u32::from(address))
                .checked_shr(32 - bits)
                .unwrap_or(0)
                == 0
        }
        (IpAddr::V6(start), IpAddr::V6(address)) => {
            (u128::from(start) ^ u128::from(address))
                .checked_shr(128 - bits)
                .unwrap_or(0)
                == 0
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}

/// Whether a peer of a policy in `namespace` is this end.
fn is_peer(peer: &Value, namespace: &str, end: &End) -> bool {
    if let Some(block) = peer.get("ipBlock") {
        let except = block["except"].as_array().into_iter().flatten();
        return contains(&block["cidr"], end.address) && !except.into_iter().any(|range| contains(range, end.address));
    }
    let there = match peer.get("namespaceSelector") {
        None => namespace == end.namespace,
        Some(selector) => selects(selector, &json!({"kubernetes.io/metadata.name": end.namespace})),
    };
    !end.namespace.is_empty() && there && selects(&peer["podSelector"], &end.labels)
}

/// What the policies that select `of` say about its connections in one direction with `other`.
fn allows(objects: &[Value], direction: (&str, &str, &str), of: &End, other: &End, port: u16) -> bool {
    let (kind, rules, peers) = direction;
    let policies = objects.iter().filter(|object| {
        object["kind"] == "NetworkPolicy"
            && object["metadata"]["namespace"] == of.namespace
            && selects(&object["spec"]["podSelector"], &of.labels)
            && object["spec"]["policyTypes"]
                .as_array()
                .is_some_and(|kinds| kinds.contains(&kind.into()))
    });
    let policies: Vec<&Value> = policies.collect();
    let any = |policy: &&Value| {
        let rules = policy["spec"][rules].as_array().into_iter().flatten();
        rules.into_iter().any(|rule| {
            let ports = rule["ports"].as_array();
            let through = ports.is_none_or(|ports| ports.iter().any(|one| one["port"] == port));
            let peers = rule[peers].as_array().into_iter().flatten();
            through && peers.into_iter().any(|peer| is_peer(peer, of.namespace, other))
        })
    };
    policies.is_empty() || policies.iter().any(any)
}

fn reaches(objects: &[Value], from: &End, to: &End, port: u16) -> bool {
    allows(objects, ("Egress", "egress", "to"), from, to, port)
        && allows(objects, ("Ingress", "ingress", "from"), to, from, port)
}

fn service() -> End {
    let labels = json!({"app.kubernetes.io/name": "rollcall", "app.kubernetes.io/instance": RELEASE});
    pod(RELEASE, labels)
}

fn crawler() -> End {
    pod("crawls", json!({"rollcall.dev/role": "crawler"}))
}

fn redis(namespace: &'static str) -> End {
    pod(namespace, json!({"rollcall.dev/role": "redis"}))
}

fn judge(case: &Case, helm: &Helm, expected: bool, connections: &[(End, End, u16)]) {
    let objects = case.objects(helm);
    for (from, to, port) in connections {
        assert_eq!(
            reaches(&objects, from, to, *port),
            expected,
            "{}: {from:?} to {to:?} at {port}",
            case.name
        );
    }
}

#[test]
fn whoever_needs_to_reach_somebody_does() {
    let Some(helm) = Helm::found() else { return };
    let dns = pod("kube-system", json!({"k8s-app": "kube-dns"}));
    let needed = [
        (pod("metacontroller", json!({})), service(), 8080),
        (service(), redis("crawls"), 6379),
        (service(), dns.clone(), 53),
        (crawler(), redis("crawls"), 6379),
        (crawler(), dns, 53),
        (crawler(), outside("192.0.2.7"), 443),
        (crawler(), outside("2001:db8::7"), 8443),
    ];
    judge(&case("crawls"), &helm, true, &needed);
    let prometheus = pod("observability", json!({"app": "prometheus"}));
    judge(&case("monitored"), &helm, true, &[(prometheus, service(), 8081)]);
}

#[test]
fn nobody_else_reaches_anybody() {
    let Some(helm) = Helm::found() else { return };
    let stranger = pod("default", json!({"app": "stranger"}));
    let neighbour = pod("crawls", json!({"app": "stranger"}));
    let metacontroller = pod("metacontroller", json!({}));
    let refused = [
        (stranger.clone(), service(), 8080),
        (crawler(), service(), 8080),
        (stranger.clone(), service(), 8081),
        (metacontroller.clone(), service(), 8081),
        (metacontroller, redis("crawls"), 6379),
        (service(), outside("192.0.2.7"), 443),
        (service(), crawler(), 6379),
        (service(), redis("elsewhere"), 6379),
        (service(), redis("crawls"), 22),
        (stranger.clone(), redis("crawls"), 6379),
        (neighbour, redis("crawls"), 6379),
        (stranger.clone(), crawler(), 9037),
        (crawler(), crawler(), 9037),
        (crawler(), stranger, 80),
        (crawler(), redis("elsewhere"), 6379),
        (crawler(), outside("10.96.0.1"), 443),
        (crawler(), outside("169.254.169.254"), 80),
        (crawler(), outside("fd00::1"), 443),
        (redis("crawls"), outside("192.0.2.7"), 443),
        (redis("crawls"), crawler(), 6379),
    ];
    judge(&case("crawls"), &helm, false, &refused);
    let tuned = case("tuned");
    let crawler = pod("crawls-a", json!({"rollcall.dev/role": "crawler"}));
    judge(&tuned, &helm, false, &[(crawler.clone(), outside("203.0.113.9"), 443)]);
    let store = pod("object-store", json!({}));
    judge(&tuned, &helm, true, &[(crawler, store, 9000)]);
    let chosen = [
        (pod("operators", json!({})), service(), 8080),
        (pod("metacontroller", json!({})), service(), 8080),
    ];
    judge(&case("least-privilege"), &helm, false, &chosen);
}
