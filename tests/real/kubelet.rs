//! Takes the pods that the scheduler put on the node; gives each of them its task (pod.rs), and the test a way to do things to
//! them. Knows pods only, no hook and no CrawlJob.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube::Client;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::api::{Cache, POD};
use crate::machine::Machine;
use crate::pod::Pod;

/// What a test does to one pod.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// Ended by the kubelet for lack of a resource; the pod is Failed.
    Evict,
    /// SIGKILL by the kernel's memory killer.
    OutOfMemory,
    /// SIGKILL by somebody.
    Kill,
    Freeze,
    Thaw,
}

type Pods = Arc<Mutex<HashMap<String, mpsc::UnboundedSender<Order>>>>;

pub(crate) struct Kubelet {
    pods: Pods,
    task: tokio::task::JoinHandle<()>,
}

/// A string field, empty when it is not one.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Kubelet {
    pub(crate) fn start(client: Client, namespace: String, machine: Machine) -> Self {
        let pods = Pods::default();
        let task = tokio::spawn(run(client, namespace, machine, Arc::clone(&pods)));
        Self { pods, task }
    }

    /// Does it to the pod of that name; there must be a running one.
    pub(crate) fn order(&self, pod: &str, order: Order) {
        let pods = self.pods.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = pods.get(pod).unwrap_or_else(|| panic!("no pod {pod} on the node"));
        sender.send(order).unwrap_or_else(|_| panic!("pod {pod} is over"));
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(client: Client, namespace: String, machine: Machine, pods: Pods) {
    let cache = Cache::start(&client, POD, &namespace).await;
    let mut changes = cache.changes();
    let mut known: HashMap<String, watch::Sender<Option<Value>>> = HashMap::new();
    // Dropped with this task, and then every pod's task ends.
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let seen = cache.list();
        for pod in seen.iter().filter(|pod| pod["spec"]["nodeName"].is_string()) {
            let uid = text(&pod["metadata"]["uid"]);
            if let Some(sender) = known.get(&uid) {
                sender.send_replace(Some(pod.clone()));
            } else if !matches!(pod["status"]["phase"].as_str(), Some("Failed" | "Succeeded")) {
                let (sender, receiver) = watch::channel(Some(pod.clone()));
                let (orders, inbox) = mpsc::unbounded_channel();
                let name = text(&pod["metadata"]["name"]);
                pods.lock().unwrap_or_else(PoisonError::into_inner).insert(name, orders);
                known.insert(uid, sender);
                tasks.spawn(Pod::new(&client, &namespace, pod.clone(), receiver, inbox, machine.clone()).run());
            }
        }
        known.retain(|uid, sender| {
            let here = seen.iter().any(|pod| pod["metadata"]["uid"] == **uid);
            if !here {
                sender.send_replace(None);
            }
            here
        });
        while let Some(ended) = tasks.try_join_next() {
            ended.expect("a pod's task does not fail");
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}
