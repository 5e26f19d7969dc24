//! What is rendered, object by object: controllers as shipped, pods that the restricted standard takes, a configuration
//! that the product takes, policies that fit the configuration, and nothing secret.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use rollcall::config::Config;

use super::{Case, case, cases};
use crate::contract::manifest;
use crate::corpus::hooks;
use crate::helm::Helm;
use crate::restricted::broken;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn of_kind<'a>(objects: &'a [Value], kind: &str) -> Vec<&'a Value> {
    objects.iter().filter(|object| object["kind"] == kind).collect()
}

/// Configuration files written so far.
static FILES: AtomicU32 = AtomicU32::new(0);

/// The configuration that the service of this case reads.
fn configuration(case: &Case, objects: &[Value]) -> Config {
    let maps = of_kind(objects, "ConfigMap");
    let file = maps.iter().find_map(|map| map["data"]["config.yaml"].as_str());
    let file = file.unwrap_or_else(|| panic!("{}: no config.yaml", case.name));
    // Tests run side by side, so each reading has a file of its own.
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let place = std::env::temp_dir().join(format!("rollcall-chart-{}-{number}.yaml", std::process::id()));
    fs::write(&place, file).unwrap();
    let read = Config::load(Some(&place));
    fs::remove_file(&place).unwrap();
    read.unwrap_or_else(|fault| panic!("{}: {fault}", case.name))
}

#[test]
fn the_controllers_equal_the_shipped_ones_at_default_values() {
    let Some(helm) = Helm::found() else { return };
    let objects = case("minimal").objects(&helm);
    let mut rendered = of_kind(&objects, "CompositeController");
    let mut shipped: Vec<Value> = hooks().iter().map(|hook| manifest(hook)).collect();
    shipped.sort_by_key(|object| text(&object["metadata"]["name"]).to_owned());
    rendered.sort_by_key(|object| text(&object["metadata"]["name"]).to_owned());
    // The labels say whose release it is; everything else is equal, the address included.
    let without_labels = rendered.into_iter().map(|object| {
        let mut object = object.clone();
        object["metadata"].as_object_mut().unwrap().remove("labels");
        object
    });
    assert_eq!(without_labels.collect::<Vec<_>>(), shipped);
}

#[test]
fn the_values_of_a_hook_reach_its_controller() {
    let Some(helm) = Helm::found() else { return };
    let objects = case("tuned").objects(&helm);
    let controllers = of_kind(&objects, "CompositeController");
    let mut wanted = manifest("crawljob");
    wanted["spec"]["resyncPeriodSeconds"] = 600.into();
    for call in ["sync", "finalize", "customize"] {
        wanted["spec"]["hooks"][call]["webhook"] =
            json!({"url": format!("http://crawl-hook.rollcall.svc:8080/crawljob/{call}"), "timeout": "30s"});
    }
    assert_eq!(controllers.len(), 1);
    assert_eq!(controllers[0]["spec"], wanted["spec"]);
    let bare = case("bare").objects(&helm);
    assert!(of_kind(&bare, "CompositeController").is_empty(), "controllers: false");
}

#[test]
fn every_pod_passes_the_restricted_standard_and_has_no_token() {
    let Some(helm) = Helm::found() else { return };
    for case in cases() {
        let objects = case.objects(&helm);
        let pods: Vec<&Value> = objects
            .iter()
            .map(|object| &object["spec"]["template"])
            .filter(|pod| !pod.is_null())
            .collect();
        assert_eq!(pods.len(), 1, "{}", case.name);
        for pod in pods {
            assert_eq!(broken(pod), Vec::<String>::new(), "{}", case.name);
            assert_eq!(pod["spec"]["automountServiceAccountToken"], false, "{}", case.name);
            let container = &pod["spec"]["containers"][0]["securityContext"];
            assert_eq!(container["readOnlyRootFilesystem"], true, "{}", case.name);
        }
    }
}

#[test]
fn nothing_secret_is_rendered() {
    let Some(helm) = Helm::found() else { return };
    for case in cases() {
        let objects = case.objects(&helm);
        assert!(of_kind(&objects, "Secret").is_empty(), "{}", case.name);
        let rendering = case.render(&helm).to_lowercase();
        for word in ["password", "secretkey", "bearer", "token:"] {
            let said = rendering.lines().filter(|line| line.contains(word));
            let said = said.filter(|line| !line.contains("automountserviceaccounttoken: false"));
            assert_eq!(said.collect::<Vec<_>>(), Vec::<&str>::new(), "{}", case.name);
        }
    }
}

#[test]
fn the_product_takes_the_configuration_and_the_arguments() {
    let Some(helm) = Helm::found() else { return };
    for case in cases() {
        let objects = case.objects(&helm);
        let config = configuration(&case, &objects);
        let deployment = of_kind(&objects, "Deployment")[0];
        let pod = &deployment["spec"]["template"]["spec"];
        let arguments: Vec<&str> = pod["containers"][0]["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect();
        let option = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
        let address = |name: &str| option(name).unwrap().parse::<std::net::SocketAddr>().unwrap();
        let (listen, admin) = (address("--listen="), address("--admin-listen="));
        assert!(
            listen.ip().is_unspecified() && admin.ip().is_unspecified(),
            "{}",
            case.name
        );
        assert!(arguments.contains(&"--allow-unauthenticated"), "{}", case.name);
        let ports = pod["containers"][0]["ports"].as_array().unwrap();
        let ports: Vec<&Value> = ports.iter().map(|port| &port["containerPort"]).collect();
        assert_eq!(ports, [listen.port(), admin.port()], "{}", case.name);
        let needs = config.server.grace + config.server.drain;
        let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
        assert!(grace > needs.as_secs(), "{}: {grace} s for {needs:?}", case.name);
        let timeouts = of_kind(&objects, "CompositeController")
            .into_iter()
            .flat_map(|controller| {
                let hooks = controller["spec"]["hooks"].as_object().unwrap().values();
                hooks.map(|hook| {
                    text(&hook["webhook"]["timeout"])
                        .trim_end_matches('s')
                        .parse::<u64>()
                        .unwrap()
                })
            });
        for timeout in timeouts {
            assert!(timeout > config.server.deadline.as_secs(), "{}", case.name);
        }
    }
}

#[test]
fn the_pods_are_replaced_when_the_configuration_changes() {
    let Some(helm) = Helm::found() else { return };
    let checksum = |name: &str| {
        let objects = case(name).objects(&helm);
        let deployment = of_kind(&objects, "Deployment")[0].clone();
        text(&deployment["spec"]["template"]["metadata"]["annotations"]["rollcall.dev/config-checksum"]).to_owned()
    };
    assert_eq!(checksum("minimal"), checksum("monitored"));
    assert_ne!(checksum("minimal"), checksum("tuned"));
}

#[test]
fn the_priority_classes_are_those_that_pods_are_given() {
    let Some(helm) = Helm::found() else { return };
    for case in cases() {
        let objects = case.objects(&helm);
        let policy = configuration(&case, &objects).crawl;
        let families = [policy.priority_class, policy.background_priority_class];
        let named = families.iter().filter(|family| !family.is_empty());
        let wanted: BTreeSet<String> = named
            .flat_map(|family| (0..policy.priority_classes).map(move |index| format!("{family}-{index}")))
            .collect();
        let classes = of_kind(&objects, "PriorityClass");
        let values: Vec<i64> = classes.iter().map(|class| class["value"].as_i64().unwrap()).collect();
        let made: BTreeSet<String> = classes
            .iter()
            .map(|class| text(&class["metadata"]["name"]).to_owned())
            .collect();
        assert_eq!(made, wanted, "{}", case.name);
        // Each family falls with the index; all of one stand above all of the other.
        assert!(
            values.is_sorted_by(|before, after| before > after),
            "{}: {values:?}",
            case.name
        );
    }
}

#[test]
fn each_job_namespace_gets_what_crawls_need_and_keeps_it() {
    let Some(helm) = Helm::found() else { return };
    for case in cases() {
        let objects = case.objects(&helm);
        let policy = configuration(&case, &objects).crawl;
        let namespaces = case.values()["jobNamespaces"].as_array().cloned().unwrap_or_default();
        let wanted: BTreeSet<String> = namespaces
            .iter()
            .flat_map(|namespace| {
                let name = |kind: &str, name: &str| format!("{} {kind} {name}", text(namespace));
                let anchor = policy.anchor.as_deref().map(|anchor| name("ConfigMap", anchor));
                anchor
                    .into_iter()
                    .chain([name("Service", "crawler"), name("Service", "redis")])
            })
            .collect();
        let kept = objects
            .iter()
            .filter(|object| object["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep");
        let kept: BTreeSet<String> = kept
            .map(|object| {
                let metadata = &object["metadata"];
                let kind = text(&object["kind"]);
                format!("{} {kind} {}", text(&metadata["namespace"]), text(&metadata["name"]))
            })
            .collect();
        assert_eq!(kept, wanted, "{}", case.name);
    }
}
