//! Takes a test's name; gives it a namespace of its own with everything a crawl needs around it: node, volumes, kubelet,
//! secrets, the kinds, a driver. What a scenario does to it stands in the scenario.

use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};

use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, Kind, NAMESPACE, Objects, POD, SECRET, SERVICE_ACCOUNT, is_missing};
use crate::audit;
use crate::cluster::{User, cluster};
use crate::driver::Driver;
use crate::kind::{self, Share};
use crate::kubelet::{Kubelet, text};
use crate::machine::Machine;
use crate::metacontroller::{self, Metacontroller, called_at, shipped};
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
    _kind: Share,
}

impl World {
    pub(crate) async fn new(name: &str) -> Self {
        Self::with(name, Share::one().await).await
    }

    pub(crate) async fn with(name: &str, share: Share) -> Self {
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
        kind::serve_ours(&client).await;
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
            _kind: share,
        }
    }

    /// Lets our driver, or the metacontroller that METACONTROLLER names, call the hooks below `url`.
    pub(crate) async fn drive(&mut self, url: &str) {
        self.drive_by(shipped(), User::Driver, url).await;
    }

    /// The same by another controller and with the rights of another user.
    pub(crate) async fn drive_by(&mut self, controller: Value, user: User, url: &str) {
        let url = recorder::in_front_of(url, &self.namespace).await;
        let controller = called_at(controller, &url);
        self.conductor = Some(if metacontroller::binary().is_some() {
            let started = Metacontroller::start(&self.client, user, &self.namespace, &controller).await;
            Conductor::Metacontroller(started)
        } else {
            Self::ourselves(&self.namespace, &controller, user, &url).await
        });
    }

    pub(crate) async fn drive_ourselves(&mut self, url: &str) {
        let url = recorder::in_front_of(url, &self.namespace).await;
        let controller = called_at(shipped(), &url);
        self.conductor = Some(Self::ourselves(&self.namespace, &controller, User::Driver, &url).await);
    }

    async fn ourselves(namespace: &str, controller: &Value, user: User, url: &str) -> Conductor {
        let driver = Driver::start(user, namespace, controller, url).await;
        Conductor::Own { _drives: driver }
    }

    pub(crate) fn objects(&self, kind: Kind) -> Objects {
        Objects::new(&self.client, kind, &self.namespace)
    }

    /// A CrawlJob with `pages` pages, `page_milliseconds` each.
    pub(crate) fn manifest(&self, name: &str, scale: u32, pages: u32, page_milliseconds: u32) -> Value {
        json!({
            "apiVersion": CRAWL_JOB.api_version, "kind": CRAWL_JOB.kind,
            "metadata": {"name": name, "labels": metacontroller::labels(&self.namespace)},
            "spec": {
                "selector": {"matchLabels": {"rollcall.dev/crawl": name}},
                "config": {"seeds": [{"url": "https://site.example/"}], "scopeType": "prefix", "limit": pages,
                    "pageExtraDelay": page_milliseconds},
                "scale": scale,
                "storage": {"secretName": "storage-default", "path": "acme/"},
            },
        })
    }

    pub(crate) async fn crawl(&self, name: &str, scale: u32, pages: u32, page_milliseconds: u32) {
        self.make(&self.manifest(name, scale, pages, page_milliseconds)).await;
    }

    pub(crate) async fn make(&self, job: &Value) {
        self.objects(CRAWL_JOB)
            .create(job)
            .await
            .expect("the CrawlJob is accepted");
    }

    /// Changes the spec of a job, as `kubectl patch --type merge` does.
    pub(crate) async fn wish(&self, job: &str, spec: Value) {
        let jobs = self.objects(CRAWL_JOB);
        jobs.merge(job, &json!({"spec": spec}))
            .await
            .expect("the wish is accepted");
    }

    /// Everything that the job has: pods, claims and ConfigMaps.
    pub(crate) async fn children(&self, job: &str) -> Vec<Value> {
        let mut children = Vec::new();
        for kind in [POD, CLAIM, CONFIG_MAP] {
            children.extend(self.objects(kind).list(&format!("rollcall.dev/crawl={job}")).await);
        }
        children
    }

    pub(crate) async fn job(&self, name: &str) -> Option<Value> {
        self.objects(CRAWL_JOB).get(name).await
    }

    /// A connection to the crawl's Redis.
    pub(crate) async fn redis(&self, job: &str) -> redis::aio::MultiplexedConnection {
        let host = format!("redis-{job}.redis");
        until(&format!("{host} answers"), BOUND, || self.machine.redis(&host)).await
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

    /// Ends the caller as a crash would.
    pub(crate) fn stop_caller(&mut self) {
        match &mut self.conductor {
            Some(Conductor::Metacontroller(metacontroller)) => metacontroller.process.kill(),
            _ => self.conductor = None,
        }
    }

    /// The same, and starts it again.
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
