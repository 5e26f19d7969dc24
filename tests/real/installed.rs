//! Takes what helm renders; gives it to the API server, every unknown and doubled field refused. Kinds of other projects
//! that the chart uses are small ones of our own.

use kube::Client;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::api::{COMPOSITE, CONFIG_MAP, Kind, Objects, PRIORITY_CLASS, SERVICE_ACCOUNT, short};
use crate::kind;
use crate::kubelet::text;
use crate::metacontroller::{anything, definition, fields};

const RBAC: &str = "rbac.authorization.k8s.io/v1";
const MONITORING: [&str; 2] = ["monitoring.coreos.com", "v1"];

const fn kind(api_version: &'static str, kind: &'static str, plural: &'static str, namespaced: bool) -> Kind {
    Kind {
        api_version,
        kind,
        plural,
        namespaced,
    }
}

pub(crate) const DEPLOYMENT: Kind = kind("apps/v1", "Deployment", "deployments", true);

/// What the chart is made of.
const KINDS: [Kind; 14] = [
    COMPOSITE,
    CONFIG_MAP,
    DEPLOYMENT,
    PRIORITY_CLASS,
    SERVICE_ACCOUNT,
    kind(RBAC, "ClusterRole", "clusterroles", false),
    kind(RBAC, "ClusterRoleBinding", "clusterrolebindings", false),
    kind(RBAC, "Role", "roles", true),
    kind(RBAC, "RoleBinding", "rolebindings", true),
    kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", true),
    kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", true),
    kind("v1", "Service", "services", true),
    kind("monitoring.coreos.com/v1", "PrometheusRule", "prometheusrules", true),
    kind("monitoring.coreos.com/v1", "ServiceMonitor", "servicemonitors", true),
];

fn of(client: &Client, object: &Value) -> Objects {
    let known = |kind: &&Kind| object["kind"] == kind.kind && object["apiVersion"] == kind.api_version;
    let kind = KINDS
        .iter()
        .find(known)
        .unwrap_or_else(|| panic!("a kind that no test knows: {object}"));
    Objects::new(client, *kind, &text(&object["metadata"]["namespace"]))
}

/// Asks whether each object would be accepted; nothing is kept.
pub(crate) async fn would_be_accepted(client: &Client, objects: &[Value]) {
    let parameters = PatchParams::apply("tests").force().validation_strict().dry_run();
    for object in objects {
        let name = text(&object["metadata"]["name"]);
        let asked = of(client, object).api();
        let answer = asked.patch(&name, &parameters, &Patch::Apply(object)).await;
        answer.unwrap_or_else(|error| panic!("{}\n{object:#}", short(&error)));
    }
}

/// Makes each object.
pub(crate) async fn install(client: &Client, objects: &[Value]) {
    for object in objects {
        let answer = of(client, object).apply_strictly(object).await;
        answer.unwrap_or_else(|error| panic!("{}\n{object:#}", short(&error)));
    }
}

/// Makes the Prometheus operator's kinds known to the API server, with the fields that the chart may use.
pub(crate) async fn serve_monitoring(admin: &Client) {
    let text = &json!({"type": "string"});
    let texts = &json!({"type": "object", "additionalProperties": text});
    let list = |of: &Value| json!({"type": "array", "items": of});
    let endpoint = fields(&[("port", text), ("path", text), ("interval", text)]);
    let monitor = fields(&[("selector", &anything()), ("endpoints", &list(&endpoint))]);
    let alert = fields(&[
        ("alert", text),
        ("expr", text),
        ("for", text),
        ("labels", texts),
        ("annotations", texts),
    ]);
    let group = fields(&[("name", text), ("rules", &list(&alert))]);
    let rule = fields(&[("groups", &list(&group))]);
    for (kind, plural, spec) in [
        ("ServiceMonitor", "servicemonitors", monitor),
        ("PrometheusRule", "prometheusrules", rule),
    ] {
        kind::serve(admin, &definition(MONITORING, kind, plural, "Namespaced", &spec)).await;
    }
}
