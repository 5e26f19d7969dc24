//! Takes the chart as helm renders it; gives the API server's word on every object, and a crawl that the installed service
//! carries: its pods' command runs on the node, and the caller has no right but those of the chart's role.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::api::{COMPOSITE, CRAWL_JOB, NAMESPACE, Objects, POD, is_conflict};
use crate::audit;
use crate::cluster::User;
use crate::helm::{Helm, RELEASE, chart, objects};
use crate::installed::{self, DEPLOYMENT};
use crate::kubelet::text;
use crate::metacontroller;
use crate::oracle;
use crate::wait::until;
use crate::world::{BOUND, World, delete, is_gone};

const PAGES: u32 = 20;

async fn namespace(world: &World, name: &str) {
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    if let Err(error) = Objects::new(&world.client, NAMESPACE, "").create(&object).await {
        assert!(is_conflict(&error), "{name}: {error}");
    }
}

#[tokio::test]
async fn the_api_server_accepts_every_object_of_every_configuration() {
    let Some(helm) = Helm::found() else { return };
    let world = World::new("chart-objects").await;
    metacontroller::install(&world.client).await;
    installed::serve_monitoring(&world.client).await;
    let files = std::fs::read_dir(chart().join("ci")).expect("the configurations");
    let mut seen = 0;
    for file in files {
        let file = file.expect("a configuration").path().display().to_string();
        let rendered = objects(&helm.render(RELEASE, &["--values", &file]).expect("it renders"));
        let namespaces = rendered.iter().map(|object| text(&object["metadata"]["namespace"]));
        for name in namespaces.filter(|name| !name.is_empty()).collect::<BTreeSet<_>>() {
            namespace(&world, &name).await;
        }
        installed::would_be_accepted(&world.client, &rendered).await;
        seen += rendered.len();
    }
    assert!(seen > 0, "something was asked");
}

/// The chart for one namespace, in which the service lives as well as the crawls.
fn render(helm: &Helm, namespace: &str) -> Vec<Value> {
    let values = [
        "image.repository=registry.example.org/rollcall".to_owned(),
        format!("jobNamespaces={{{namespace}}}"),
        "metacontroller.rbac.create=true".to_owned(),
        // As every test here: a wait of seconds, not of minutes.
        "config.crawl.resyncSeconds=1".to_owned(),
    ];
    let arguments: Vec<&str> = values.iter().flat_map(|value| ["--set", value]).collect();
    objects(&helm.render(namespace, &arguments).expect("it renders"))
}

/// What a Service does: the address of a ready pod that it selects.
async fn ready_pod(world: &World, selector: &str, of_all: usize) -> Option<String> {
    let pods = world.objects(POD).list(selector).await;
    let ready = |pod: &&Value| {
        let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
        conditions
            .into_iter()
            .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
    };
    let ready: Vec<&Value> = pods.iter().filter(ready).collect();
    (ready.len() == of_all).then(|| text(&ready[0]["status"]["podIP"]))
}

/// Our driver patches finalizers and owners where metacontroller updates them; no other right is added.
fn patches() -> [Value; 2] {
    let name = json!({"name": "driver-patches"});
    let rule =
        |group: &str, resources: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": ["patch"]});
    let children = rule("", &["pods", "persistentvolumeclaims", "configmaps"]);
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": name,
        "rules": [children, rule("rollcall.dev", &["crawljobs"])]});
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": name,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "driver-patches"},
        "subjects": [{"kind": "ServiceAccount", "namespace": "metacontroller", "name": "metacontroller"}]});
    [role, binding]
}

#[tokio::test]
async fn the_installed_chart_carries_a_crawl_to_its_end() {
    let Some(helm) = Helm::found() else { return };
    let mut world = World::new("chart").await;
    metacontroller::install(&world.client).await;
    namespace(&world, "metacontroller").await;
    // From here on the API server itself refuses what breaks the restricted standard, of the chart as of the crawl.
    let enforced = json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}});
    let namespaces = Objects::new(&world.client, NAMESPACE, "");
    namespaces.merge(&world.namespace, &enforced).await.expect("a label");

    let rendered = render(&helm, &world.namespace);
    installed::install(&world.client, &rendered).await;
    if metacontroller::binary().is_none() {
        installed::install(&world.client, &patches()).await;
    }
    let selector = format!("app.kubernetes.io/name=rollcall,app.kubernetes.io/instance={RELEASE}");
    let address = until("both pods are ready", BOUND, || ready_pod(&world, &selector, 2)).await;
    until("the Deployment is available", BOUND, || async {
        let deployment = world.objects(DEPLOYMENT).get(RELEASE).await?;
        (deployment["status"]["availableReplicas"] == 2).then_some(())
    })
    .await;

    let controller = rendered.into_iter().find(|object| object["kind"] == COMPOSITE.kind);
    let controller = controller.expect("the chart has the controller");
    world
        .drive_by(controller, User::Tamed, &format!("http://{address}:8080"))
        .await;
    world.crawl("news", 2, PAGES, 60).await;
    world.wait_for_condition("news", "Complete").await;
    oracle::everything_saved(&world, "news", PAGES as usize).await;
    let register = world.config_map("crawl-register-news").await.expect("the register");
    let owners = register["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    assert!(
        owners.into_iter().any(|owner| owner["name"] == "rollcall-anchor"),
        "the anchor of the chart owns what must outlive the job"
    );
    let jobs = world.objects(CRAWL_JOB);
    delete(&jobs, "news").await;
    until("the job is gone", BOUND, || async {
        is_gone(&jobs, "news").await.then_some(())
    })
    .await;
    assert_eq!(
        audit::forbidden(User::Tamed),
        Vec::<String>::new(),
        "the role is enough"
    );
}
