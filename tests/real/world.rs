//! Takes a test's name; gives it a namespace of its own with everything a crawl needs around it: node, volumes, kubelet,
//! secrets, the kinds, a driver. What a scenario does to it stands in the scenario.

use std::path::Path;
use std::time::Duration;

use kube::{Client, CustomResourceExt};
use serde_json::{Value, json};

use crate::api::{
    CONFIG_MAP, CRAWL_JOB, CRD, Kind, NAMESPACE, Objects, POD, PRIORITY_CLASS, SECRET, SERVICE_ACCOUNT, is_conflict,
    is_missing,
};
use crate::audit;
use crate::cluster::{User, cluster};
use crate::driver::Driver;
use crate::kubelet::{Kubelet, text};
use crate::machine::Machine;
use crate::metacontroller::{self, Metacontroller};
use crate::wait::until;
use crate::{node, recorder};

/// Long enough for a machine that does other work too; nothing waits this long when all is well.
pub(crate) const BOUND: Duration = Duration::from_secs(90);

pub(crate) enum Conductor {
    Own { _drives: Driver },
    Metacontroller(Metacontroller),
}

pub(crate) struct World {
    pub(crate) namespace: String,
    pub(crate) client: Client,
    pub(crate) machine: Machine,
    pub(crate) kubelet: Kubelet,
    pub(crate) conductor: Option<Conductor>,
    provisioner: tokio::task::JoinHandle<()>,
}

impl World {
    pub(crate) async fn new(name: &str) -> Self {
        let client = cluster().client(User::Admin).await;
        let namespace = format!("{name}-{}", std::process::id());
        node::set_up(&client).await;
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        Objects::new(&client, NAMESPACE, "")
            .create(&object)
            .await
            .expect("a new namespace");
        let accounts = Objects::new(&client, SERVICE_ACCOUNT, &namespace);
        until("the default service account is there", BOUND, || {
            accounts.get("default")
        })
        .await;
        priority_classes(&client).await;
        let storage = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "storage-default"},
            "stringData": {"STORE_ENDPOINT_URL": "http://s3.example:9000/bucket/", "STORE_ACCESS_KEY": "access",
                "STORE_SECRET_KEY": "secret"}});
        Objects::new(&client, SECRET, &namespace)
            .create(&storage)
            .await
            .expect("a secret");
        let anchor = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "rollcall-anchor"}});
        Objects::new(&client, CONFIG_MAP, &namespace)
            .create(&anchor)
            .await
            .expect("the anchor, as the chart makes it");
        let crawl_job = serde_json::to_value(rollcall::api::v1::CrawlJob::crd()).expect("a CRD is JSON");
        serve_definition(&client, &crawl_job).await;
        let machine = Machine::default();
        let hands = cluster().client(User::Node).await;
        let kubelet = Kubelet::start(hands.clone(), namespace.clone(), machine.clone());
        let provisioner = tokio::spawn(node::provision(hands, namespace.clone(), machine.clone()));
        Self {
            namespace,
            client,
            machine,
            kubelet,
            conductor: None,
            provisioner,
        }
    }

    /// Lets our driver, or the metacontroller that METACONTROLLER names, call the hooks below `url`.
    pub(crate) async fn drive(&mut self, url: &str) {
        if metacontroller::binary().is_none() {
            return self.drive_ourselves(url).await;
        }
        let url = recorder::in_front_of(url, &self.namespace).await;
        let started = Metacontroller::start(&self.client, &self.namespace, &controller(&url)).await;
        self.conductor = Some(Conductor::Metacontroller(started));
    }

    pub(crate) async fn drive_ourselves(&mut self, url: &str) {
        let url = recorder::in_front_of(url, &self.namespace).await;
        let driver = Driver::start(&self.namespace, &controller(&url), &url).await;
        self.conductor = Some(Conductor::Own { _drives: driver });
    }

    pub(crate) fn objects(&self, kind: Kind) -> Objects {
        Objects::new(&self.client, kind, &self.namespace)
    }

    /// Makes a CrawlJob with `pages` pages, `page_milliseconds` each.
    pub(crate) async fn crawl(&self, name: &str, scale: u32, pages: u32, page_milliseconds: u32) {
        let job = json!({
            "apiVersion": CRAWL_JOB.api_version, "kind": CRAWL_JOB.kind,
            "metadata": {"name": name, "labels": metacontroller::labels(&self.namespace)},
            "spec": {
                "selector": {"matchLabels": {"rollcall.dev/crawl": name}},
                "config": {"seeds": [{"url": "https://site.example/"}], "scopeType": "prefix", "limit": pages,
                    "pageExtraDelay": page_milliseconds},
                "scale": scale,
                "storage": {"secretName": "storage-default", "path": "acme/"},
            },
        });
        self.objects(CRAWL_JOB)
            .create(&job)
            .await
            .expect("the CrawlJob is accepted");
    }

    pub(crate) async fn job(&self, name: &str) -> Option<Value> {
        self.objects(CRAWL_JOB).get(name).await
    }

    pub(crate) async fn config_map(&self, name: &str) -> Option<Value> {
        self.objects(CONFIG_MAP).get(name).await
    }

    /// What `kubectl wait --for=condition=<kind>` waits for.
    pub(crate) async fn wait_for_condition(&self, job: &str, kind: &str) {
        self.wait_for_status(job, &format!("has condition {kind}"), |status| {
            let is = |condition: &Value| condition["type"] == kind && condition["status"] == "True";
            status["conditions"]
                .as_array()
                .is_some_and(|conditions| conditions.iter().any(is))
        })
        .await;
    }

    pub(crate) async fn wait_for_state(&self, job: &str, state: &str) {
        self.wait_for_status(job, &format!("is {state}"), |status| status["state"] == state)
            .await;
    }

    /// Waits until the status of the job is right; a failure shows everything there is.
    pub(crate) async fn wait_for_status(&self, job: &str, what: &str, right: impl Fn(&Value) -> bool) {
        let right = &right;
        let asked = until(what, BOUND * 2, || async {
            self.job(job).await.filter(|job| right(&job["status"]))
        });
        let seen = tokio::time::timeout(BOUND, asked).await;
        assert!(
            seen.is_ok(),
            "waited {BOUND:?} in vain until {job} {what}\n{}",
            self.picture(job).await
        );
    }

    /// Ends the caller as a crash would and starts it again.
    pub(crate) async fn restart_caller(&mut self, url: &str) {
        match self.conductor.take() {
            Some(Conductor::Metacontroller(old)) => {
                self.conductor = Some(Conductor::Metacontroller(old.restarted(&self.namespace)));
            }
            _ => self.drive(url).await,
        }
    }

    /// UIDs of the running crawler pods by name.
    pub(crate) async fn running_pods(&self, prefix: &str) -> Vec<(String, String)> {
        let pods = self.objects(POD).list("").await.into_iter();
        let running = pods.filter(|pod| {
            pod["status"]["phase"] == "Running" && pod["status"]["containerStatuses"][0]["ready"] == true
        });
        let pairs = running.map(|pod| (text(&pod["metadata"]["name"]), text(&pod["metadata"]["uid"])));
        pairs.filter(|(name, _)| name.starts_with(prefix)).collect()
    }

    /// Waits until that many pages were visited: the crawl is in full swing.
    pub(crate) async fn wait_for_pages(&self, pages: usize) {
        let what = format!("{pages} pages are visited");
        until(&what, BOUND, || {
            std::future::ready((self.machine.account().visited.len() >= pages).then_some(()))
        })
        .await;
    }

    /// What is there, for the message of a failure.
    pub(crate) async fn picture(&self, job: &str) -> String {
        let status = self.job(job).await.map(|job| job["status"].clone()).unwrap_or_default();
        let pods = self.objects(POD).list("").await;
        let pods = pods
            .iter()
            .map(|pod| format!("{} {}", text(&pod["metadata"]["name"]), pod["status"]["phase"]));
        let pods: Vec<String> = pods.collect();
        let register = self
            .config_map(&format!("crawl-register-{job}"))
            .await
            .map(|map| map["data"]["state.json"].clone());
        let caller = match &self.conductor {
            Some(Conductor::Metacontroller(metacontroller)) => metacontroller.process.tail(),
            _ => String::new(),
        };
        let account = self.machine.account();
        format!(
            "status {status}\npods {pods:?}\nregister {register:?}\nexits {:?}\nvisited {} uploads {}\n{caller}",
            account.exits,
            account.visited.len(),
            account.uploads.len()
        )
    }

    /// Prints how often the driver wrote, and gives the writes.
    pub(crate) fn report(&self, what: &str) -> Vec<audit::Write> {
        let writes = audit::writes(&self.namespace);
        eprintln!("{what}: {} writes: {:?}", writes.len(), audit::counts(&writes));
        writes
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.provisioner.abort();
    }
}

/// Makes the definition unless it is there and waits until the kind is served: for a moment it answers 404 or 429.
pub(crate) async fn serve_definition(client: &Client, definition: &Value) {
    if let Err(error) = Objects::new(client, CRD, "").create(definition).await {
        assert!(is_conflict(&error), "the definition is refused: {error}");
    }
    let spec = &definition["spec"];
    let version = text(&spec["versions"][0]["name"]);
    let path = format!(
        "/apis/{}/{version}/{}",
        text(&spec["group"]),
        text(&spec["names"]["plural"])
    );
    until(&format!("{path} is served"), BOUND, || async {
        let request = axum::http::Request::get(&path).body(Vec::new()).expect("a request");
        client.request::<Value>(request).await.ok().map(|_| ())
    })
    .await;
}

async fn priority_classes(client: &Client) {
    let classes = Objects::new(client, PRIORITY_CLASS, "");
    for family in ["crawl-pri", "crawl-bg-pri"] {
        for number in 0..10 {
            let class = json!({"apiVersion": PRIORITY_CLASS.api_version, "kind": PRIORITY_CLASS.kind,
                "metadata": {"name": format!("{family}-{number}")}, "value": -number});
            let made = classes.create(&class).await;
            assert!(
                made.as_ref().err().is_none_or(is_conflict),
                "a priority class: {made:?}"
            );
        }
    }
}

/// The controller as it is shipped, its hooks at `url`.
pub(crate) fn controller(url: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/crawljob/controller.yaml");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut object: Value = serde_saphyr::from_str(&text).expect("one document of YAML");
    for (name, hook) in object["spec"]["hooks"].as_object_mut().expect("hooks") {
        hook["webhook"] = json!({"url": format!("{url}/crawljob/{name}"), "timeout": "10s"});
    }
    object
}

/// Whether the job is gone for good.
pub(crate) async fn is_gone(objects: &Objects, name: &str) -> bool {
    objects.get(name).await.is_none()
}

/// Deletes as `kubectl delete` does, without waiting.
pub(crate) async fn delete(objects: &Objects, name: &str) {
    let deleted = objects.delete(name, None, None).await;
    assert!(
        deleted.as_ref().err().is_none_or(is_missing),
        "{name} cannot be deleted: {deleted:?}"
    );
}
