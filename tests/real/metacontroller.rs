//! Takes the binary that METACONTROLLER names; gives it running against the cluster for one test's controller. Without the
//! variable nothing here is used.

use std::path::{Path, PathBuf};

use kube::Client;
use serde_json::{Value, json};

use crate::api::{COMPOSITE, CRD, Objects};
use crate::cluster::{User, kubeconfig};
use crate::kind;
use crate::process::Process;

const GROUP: [&str; 2] = ["metacontroller.k8s.io", "v1alpha1"];
const LABEL: &str = "rollcall.dev/test";

/// The binary, if one was given.
pub(crate) fn binary() -> Option<PathBuf> {
    std::env::var_os("METACONTROLLER")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

pub(crate) struct Metacontroller {
    user: User,
    pub(crate) process: Process,
}

impl Metacontroller {
    /// Installs its kinds and the test's controller, restricted to the test's parents, and starts it for that one.
    pub(crate) async fn start(admin: &Client, user: User, namespace: &str, controller: &Value) -> Self {
        install(admin).await;
        let mut object = controller.clone();
        object["metadata"] = json!({"name": format!("crawljob-{namespace}"), "labels": {LABEL: namespace}});
        object["spec"]["parentResource"]["labelSelector"] = json!({"matchLabels": {LABEL: namespace}});
        Objects::new(admin, COMPOSITE, "")
            .create(&object)
            .await
            .expect("the controller is accepted");
        Self {
            user,
            process: Self::process(user, namespace),
        }
    }

    /// Killed as by a crash, and started again.
    pub(crate) fn restarted(mut self, namespace: &str) -> Self {
        self.process.kill();
        Self {
            user: self.user,
            process: Self::process(self.user, namespace),
        }
    }

    fn process(user: User, namespace: &str) -> Process {
        let arguments = [
            format!("--kubeconfig={}", kubeconfig(user).display()),
            format!("--target-label-selector={LABEL}={namespace}"),
            "--metrics-address=127.0.0.1:0".into(),
            "--health-probe-bind-address=127.0.0.1:0".into(),
            "--discovery-interval=5s".into(),
            "--client-go-qps=200".into(),
            "--client-go-burst=400".into(),
        ];
        let binary = binary().expect("METACONTROLLER is set");
        Process::start(&format!("metacontroller-{namespace}"), binary, &arguments)
    }
}

/// Labels that a parent needs to be the test's.
pub(crate) fn labels(namespace: &str) -> Value {
    json!({LABEL: namespace})
}

/// The controller as it is shipped.
pub(crate) fn shipped() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/crawljob/controller.yaml");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_saphyr::from_str(&text).expect("one document of YAML")
}

/// The controller with its hooks at `url`.
pub(crate) fn called_at(mut controller: Value, url: &str) -> Value {
    for (name, hook) in controller["spec"]["hooks"].as_object_mut().expect("hooks") {
        hook["webhook"]["url"] = format!("{url}/crawljob/{name}").into();
    }
    controller
}

/// Makes metacontroller's kinds known to the API server.
pub(crate) async fn install(admin: &Client) {
    for (kind, plural, scope, spec) in [
        ("CompositeController", "compositecontrollers", "Cluster", composite()),
        ("DecoratorController", "decoratorcontrollers", "Cluster", anything()),
        ("ControllerRevision", "controllerrevisions", "Namespaced", anything()),
    ] {
        kind::serve(admin, &definition(GROUP, kind, plural, scope, &spec)).await;
    }
}

pub(crate) fn anything() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

pub(crate) fn fields(names: &[(&str, &Value)]) -> Value {
    let properties: serde_json::Map<String, Value> = names
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), (*schema).clone()))
        .collect();
    json!({"type": "object", "properties": properties})
}

/// The fields of a CompositeController that a manifest of ours may use, so that strict validation finds any other.
fn composite() -> Value {
    let text = &json!({"type": "string"});
    let flag = &json!({"type": "boolean"});
    let number = &json!({"type": "integer"});
    let method =
        &json!({"type": "string", "enum": ["OnDelete", "Recreate", "InPlace", "RollingRecreate", "RollingInPlace"]});
    let version = &json!({"type": "string", "enum": ["v1", "v2"]});
    let webhook = &fields(&[("url", text), ("timeout", text)]);
    let hook = &fields(&[("version", version), ("webhook", webhook)]);
    let strategy = &fields(&[("method", method)]);
    let child = fields(&[("apiVersion", text), ("resource", text), ("updateStrategy", strategy)]);
    let parent = &fields(&[
        ("apiVersion", text),
        ("resource", text),
        ("labelSelector", &anything()),
        ("ignoreStatusChanges", flag),
    ]);
    fields(&[
        ("generateSelector", flag),
        ("resyncPeriodSeconds", number),
        ("parentResource", parent),
        ("childResources", &json!({"type": "array", "items": child})),
        (
            "hooks",
            &fields(&[("sync", hook), ("finalize", hook), ("customize", hook)]),
        ),
    ])
}

/// A kind of `[group, version]`.
pub(crate) fn definition([group, version]: [&str; 2], kind: &str, plural: &str, scope: &str, spec: &Value) -> Value {
    let whole = json!({"type": "object", "properties": {"spec": spec, "status": anything()}});
    // A ControllerRevision keeps its content beside spec.
    let schema = if kind == "ControllerRevision" {
        anything()
    } else {
        whole
    };
    json!({
        "apiVersion": CRD.api_version, "kind": CRD.kind,
        "metadata": {"name": format!("{plural}.{group}"),
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"}},
        "spec": {
            "group": group, "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
                "subresources": {"status": {}}}],
        },
    })
}
