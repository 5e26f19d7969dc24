//! Takes a client; gives objects of any kind as JSON values, and a cache of one kind in one namespace that a watch keeps
//! up to date. Decides nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::watch;

use crate::wait::until_some;

/// A kind of object: its apiVersion, kind and plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the API's own words")]
pub(crate) struct Kind {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) namespaced: bool,
}

const fn kind(api_version: &'static str, kind: &'static str, plural: &'static str, namespaced: bool) -> Kind {
    Kind {
        api_version,
        kind,
        plural,
        namespaced,
    }
}

pub(crate) const POD: Kind = kind("v1", "Pod", "pods", true);
pub(crate) const CLAIM: Kind = kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", true);
pub(crate) const CONFIG_MAP: Kind = kind("v1", "ConfigMap", "configmaps", true);
pub(crate) const SECRET: Kind = kind("v1", "Secret", "secrets", true);
pub(crate) const SERVICE_ACCOUNT: Kind = kind("v1", "ServiceAccount", "serviceaccounts", true);
pub(crate) const NAMESPACE: Kind = kind("v1", "Namespace", "namespaces", false);
pub(crate) const NODE: Kind = kind("v1", "Node", "nodes", false);
pub(crate) const VOLUME: Kind = kind("v1", "PersistentVolume", "persistentvolumes", false);
pub(crate) const STORAGE_CLASS: Kind = kind("storage.k8s.io/v1", "StorageClass", "storageclasses", false);
pub(crate) const PRIORITY_CLASS: Kind = kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false);
pub(crate) const CRD: Kind = kind(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    false,
);
pub(crate) const CRAWL_JOB: Kind = kind("rollcall.dev/v1", "CrawlJob", "crawljobs", true);
pub(crate) const COMPOSITE: Kind = kind(
    "metacontroller.k8s.io/v1alpha1",
    "CompositeController",
    "compositecontrollers",
    false,
);

impl Kind {
    /// The key of this kind in `children` and `related`.
    pub(crate) fn key(self) -> String {
        format!("{}.{}", self.kind, self.api_version)
    }

    fn resource(self) -> ApiResource {
        let (group, version) = self.api_version.split_once('/').unwrap_or(("", self.api_version));
        ApiResource {
            group: group.into(),
            version: version.into(),
            api_version: self.api_version.into(),
            kind: self.kind.into(),
            plural: self.plural.into(),
        }
    }
}

/// The objects of one kind, in one namespace when the kind has any.
#[derive(Clone)]
pub(crate) struct Objects {
    pub(crate) kind: Kind,
    api: Api<DynamicObject>,
}

fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).expect("an object is JSON")
}

fn typed(object: &Value) -> DynamicObject {
    serde_json::from_value(object.clone()).unwrap_or_else(|error| panic!("not an object ({error}): {object}"))
}

impl Objects {
    pub(crate) fn new(client: &Client, kind: Kind, namespace: &str) -> Self {
        let resource = kind.resource();
        let api = if kind.namespaced {
            Api::namespaced_with(client.clone(), namespace, &resource)
        } else {
            Api::all_with(client.clone(), &resource)
        };
        Self { kind, api }
    }

    /// For a watch of its own.
    pub(crate) fn api(&self) -> Api<DynamicObject> {
        self.api.clone()
    }

    pub(crate) async fn get(&self, name: &str) -> Option<Value> {
        self.api
            .get_opt(name)
            .await
            .expect("a get is answered")
            .as_ref()
            .map(value)
    }

    pub(crate) async fn list(&self, labels: &str) -> Vec<Value> {
        let list = self
            .api
            .list(&ListParams::default().labels(labels))
            .await
            .expect("a list is answered");
        let types = serde_json::json!({"apiVersion": self.kind.api_version, "kind": self.kind.kind});
        list.items.iter().map(|item| with_types(value(item), &types)).collect()
    }

    pub(crate) async fn create(&self, object: &Value) -> kube::Result<Value> {
        self.api
            .create(&PostParams::default(), &typed(object))
            .await
            .map(|made| value(&made))
    }

    /// Puts the object; with its resourceVersion, so a stale one is refused.
    pub(crate) async fn replace(&self, name: &str, object: &Value) -> kube::Result<Value> {
        self.api
            .replace(name, &PostParams::default(), &typed(object))
            .await
            .map(|made| value(&made))
    }

    pub(crate) async fn replace_status(&self, name: &str, object: &Value) -> kube::Result<Value> {
        self.api
            .replace_status(name, &PostParams::default(), &typed(object))
            .await
            .map(|made| value(&made))
    }

    pub(crate) async fn merge(&self, name: &str, patch: &Value) -> kube::Result<Value> {
        self.api
            .patch(name, &PatchParams::default(), &Patch::Merge(patch))
            .await
            .map(|made| value(&made))
    }

    pub(crate) async fn merge_status(&self, name: &str, patch: &Value) -> kube::Result<Value> {
        self.api
            .patch_status(name, &PatchParams::default(), &Patch::Merge(patch))
            .await
            .map(|made| value(&made))
    }

    /// Server-side apply with strict field validation: an unknown or doubled field is refused.
    pub(crate) async fn apply_strictly(&self, object: &Value) -> kube::Result<Value> {
        let name = object["metadata"]["name"].as_str().expect("a name");
        let parameters = PatchParams::apply("tests").force().validation_strict();
        self.api
            .patch(name, &parameters, &Patch::Apply(object))
            .await
            .map(|made| value(&made))
    }

    pub(crate) async fn delete(&self, name: &str, grace: Option<u32>, uid: Option<&str>) -> kube::Result<()> {
        let preconditions = uid.map(|uid| Preconditions {
            uid: Some(uid.to_owned()),
            resource_version: None,
        });
        let parameters = DeleteParams {
            grace_period_seconds: grace,
            preconditions,
            ..DeleteParams::background()
        };
        self.api.delete(name, &parameters).await.map(|_| ())
    }

    /// As `kubectl delete --cascade=orphan`.
    pub(crate) async fn orphan(&self, name: &str) -> kube::Result<()> {
        self.api.delete(name, &DeleteParams::orphan()).await.map(|_| ())
    }
}

/// The server's sentence, without the structure around it.
pub(crate) fn short(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => format!("{} {}", status.code, status.message),
        other => other.to_string(),
    }
}

/// Whether the server said that the object is not there.
pub(crate) fn is_missing(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

/// Whether the server refused a stale or doubled write.
pub(crate) fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}

fn with_types(mut object: Value, types: &Value) -> Value {
    for field in ["apiVersion", "kind"] {
        object[field] = types[field].clone();
    }
    object
}

type Shared = Arc<Mutex<BTreeMap<String, Value>>>;

/// What a watch has shown so far, by name. As with any informer it may be behind.
pub(crate) struct Cache {
    objects: Shared,
    seen: watch::Receiver<u64>,
    task: tokio::task::JoinHandle<()>,
}

impl Cache {
    /// Starts the watch and waits for its first list.
    pub(crate) async fn start(client: &Client, kind: Kind, namespace: &str) -> Self {
        let objects = Shared::default();
        let (count, seen) = watch::channel(0);
        let api = Objects::new(client, kind, namespace).api;
        let task = tokio::spawn(follow(api, kind, Arc::clone(&objects), count));
        let cache = Self { objects, seen, task };
        let what = format!("the watch of {} has listed", kind.plural);
        until_some(&what, Duration::from_secs(20), || {
            (*cache.seen.borrow() > 0).then_some(())
        })
        .await;
        cache
    }

    pub(crate) fn list(&self) -> Vec<Value> {
        self.lock().values().cloned().collect()
    }

    /// A receiver that is told of each change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.seen.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Value>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn follow(api: Api<DynamicObject>, kind: Kind, objects: Shared, count: watch::Sender<u64>) {
    let types = serde_json::json!({"apiVersion": kind.api_version, "kind": kind.kind});
    let mut events = std::pin::pin!(watcher::watcher(api, watcher::Config::default()));
    let mut listed = BTreeMap::new();
    while let Some(event) = events.next().await {
        let lock = || objects.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = |object: &DynamicObject| {
            let name = object.metadata.name.clone().unwrap_or_default();
            (name, with_types(value(object), &types))
        };
        match event {
            Ok(Event::Init) => {
                listed = BTreeMap::new();
                continue;
            }
            Ok(Event::InitApply(object)) => {
                listed.extend([entry(&object)]);
                continue;
            }
            Ok(Event::InitDone) => *lock() = std::mem::take(&mut listed),
            Ok(Event::Apply(object)) => lock().extend([entry(&object)]),
            Ok(Event::Delete(object)) => {
                lock().remove(object.metadata.name.as_deref().unwrap_or_default());
            }
            // The watcher connects again by itself; a kind that is not served yet ends up here too.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            }
        }
        count.send_modify(|seen| *seen += 1);
    }
}
