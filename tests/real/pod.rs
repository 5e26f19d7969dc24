//! Takes one pod on the node; gives what a kubelet gives it: a container that runs, a status that says how it does,
//! restarts with back-off, and an end once it is deleted. May not touch any other pod.

use std::time::{Duration, Instant};

use kube::Client;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::api::{Objects, POD, is_conflict, is_missing};
use crate::container::{Container, Refused};
use crate::kubelet::{Order, text};
use crate::machine::Machine;
use crate::pod_status::{Record, evicted};

const STEP: Duration = Duration::from_millis(20);
/// A kubelet's back-off goes from 10 s to 5 min; here it is a fiftieth.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(6));

pub(crate) struct Pod {
    objects: Objects,
    client: Client,
    machine: Machine,
    /// As last seen; `seen` is where newer versions arrive, `None` once it is gone.
    object: Value,
    seen: watch::Receiver<Option<Value>>,
    orders: mpsc::UnboundedReceiver<Order>,
    record: Record,
    /// When SIGTERM was sent and how long there is from then.
    terminating: Option<Instant>,
    out_of_memory: bool,
    evicted: bool,
}

/// What comes after a container's end.
enum Next {
    Restart,
    Over,
}

impl Pod {
    pub(crate) fn new(
        client: &Client,
        namespace: &str,
        object: Value,
        seen: watch::Receiver<Option<Value>>,
        orders: mpsc::UnboundedReceiver<Order>,
        machine: Machine,
    ) -> Self {
        let objects = Objects::new(client, POD, namespace);
        let record = Record::new(Machine::address());
        let (terminating, out_of_memory, evicted) = (None, false, false);
        Self {
            objects,
            client: client.clone(),
            machine,
            object,
            seen,
            orders,
            record,
            terminating,
            out_of_memory,
            evicted,
        }
    }

    fn name(&self) -> String {
        text(&self.object["metadata"]["name"])
    }

    /// The whole life of the pod on this node.
    pub(crate) async fn run(mut self) {
        let host = format!(
            "{}.{}",
            text(&self.object["spec"]["hostname"]),
            text(&self.object["spec"]["subdomain"])
        );
        let mut back_off = BACK_OFF.0;
        while let Some(mut container) = self.start().await {
            self.machine.publish(&host, Some(self.record.address));
            let code = self.watch(&mut container).await;
            drop(container);
            self.machine.publish(&host, None);
            let Some(code) = code else { return };
            self.machine.account().exits.push((self.name(), code));
            match self.after(code).await {
                Next::Over => break,
                Next::Restart => self.pause(back_off).await,
            }
            back_off = (back_off * 2).min(BACK_OFF.1);
        }
        self.leave().await;
    }

    /// Takes in what was seen meanwhile; false once the pod is gone.
    fn refresh(&mut self) -> bool {
        let latest = self.seen.borrow_and_update().clone();
        match latest {
            Some(pod) => {
                self.object = pod;
                true
            }
            None => false,
        }
    }

    fn is_terminating(&self) -> bool {
        self.object["metadata"]["deletionTimestamp"].is_string()
    }

    /// Writes the status; false when the pod is gone.
    async fn write(&self, status: &Value) -> bool {
        match self
            .objects
            .merge_status(&self.name(), &with_uid(status, &self.object))
            .await
        {
            Ok(_) => true,
            // Gone, or another pod of that name is there already.
            Err(kube::Error::Api(answer)) if matches!(answer.code, 404 | 409 | 422) => false,
            Err(error) => panic!("the status of pod {} cannot be written: {error}", self.name()),
        }
    }

    /// Waits until the container can be made; `None` when the pod was deleted before.
    async fn start(&mut self) -> Option<Container> {
        let mut said = "";
        loop {
            if !self.refresh() || self.is_terminating() {
                return None;
            }
            let made = Container::start(&self.client, &self.object, self.record.address, &self.machine).await;
            let reason = match made {
                Ok(container) => {
                    self.record.start(&self.object);
                    return Some(container);
                }
                Err(Refused(reason)) => reason,
            };
            if said != reason {
                said = reason;
                self.write(&self.record.waiting(&self.object, "Pending", reason)).await;
            }
            tokio::time::sleep(STEP * 5).await;
        }
    }

    /// Looks after the running container until it ends; `None` when its pod was taken away by force.
    async fn watch(&mut self, container: &mut Container) -> Option<i32> {
        self.write(&self.record.running(&self.object, false)).await;
        let mut ready = false;
        loop {
            if let Some(code) = container.ended().await {
                return Some(code);
            }
            if !ready && container.is_ready(self.record.address).await {
                ready = true;
                self.write(&self.record.running(&self.object, true)).await;
            }
            while let Ok(order) = self.orders.try_recv() {
                self.obey(order, container);
            }
            if !self.refresh() {
                container.kill();
                return None;
            }
            self.terminate(container);
            tokio::time::sleep(STEP).await;
        }
    }

    fn obey(&mut self, order: Order, container: &mut Container) {
        match order {
            Order::Evict => self.evicted = true,
            Order::OutOfMemory => self.out_of_memory = true,
            Order::Kill => {}
            Order::Freeze | Order::Thaw => return container.freeze(matches!(order, Order::Freeze)),
        }
        container.kill();
    }

    /// SIGTERM once the pod is deleted, SIGKILL when its grace has run out or somebody wrote a failed phase.
    fn terminate(&mut self, container: &mut Container) {
        if self.object["status"]["phase"] == "Failed" {
            return container.kill();
        }
        if self.is_terminating() {
            let grace = self.object["metadata"]["deletionGracePeriodSeconds"]
                .as_u64()
                .unwrap_or(30);
            let since = *self.terminating.get_or_insert_with(|| {
                container.terminate();
                Instant::now()
            });
            if since.elapsed() > Duration::from_secs(grace) {
                container.kill();
            }
        }
    }

    /// Writes what the end means and says whether the container is started again.
    async fn after(&mut self, code: i32) -> Next {
        if self.evicted || self.object["status"]["phase"] == "Failed" {
            self.write(&evicted("The node was low on resource: ephemeral-storage."))
                .await;
            return Next::Over;
        }
        let reason = self.out_of_memory.then_some("OOMKilled");
        self.out_of_memory = false;
        let terminated = self.record.terminated(code, reason);
        let again = match self.object["spec"]["restartPolicy"].as_str() {
            _ if self.is_terminating() => false,
            Some("Never") => false,
            Some("OnFailure") => code != 0,
            _ => true,
        };
        if again {
            self.record.last = Some(terminated);
            self.write(&self.record.waiting(&self.object, "Running", "CrashLoopBackOff"))
                .await;
            self.record.restarts += 1;
            return Next::Restart;
        }
        let phase = if code == 0 { "Succeeded" } else { "Failed" };
        self.write(&self.record.ended(&self.object, phase, &terminated)).await;
        Next::Over
    }

    async fn pause(&mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time && self.refresh() && !self.is_terminating() {
            tokio::time::sleep(STEP).await;
        }
    }

    /// The container is over; waits for the pod's deletion and then lets the object go.
    async fn leave(&mut self) {
        while self.refresh() {
            if self.is_terminating() {
                let uid = text(&self.object["metadata"]["uid"]);
                let deleted = self.objects.delete(&self.name(), Some(0), Some(&uid)).await;
                let gone = |error: &kube::Error| is_missing(error) || is_conflict(error);
                assert!(
                    deleted.as_ref().err().is_none_or(gone),
                    "pod {} cannot go: {deleted:?}",
                    self.name()
                );
                return;
            }
            if self.seen.changed().await.is_err() {
                return;
            }
        }
    }
}

/// With the uid in it a patch is refused when another pod has the name by now.
fn with_uid(status: &Value, pod: &Value) -> Value {
    let mut patch = status.clone();
    patch["metadata"]["uid"] = pod["metadata"]["uid"].clone();
    patch
}
