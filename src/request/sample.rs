//! Bodies for tests, in the form metacontroller sends: v2 keys, everything else given by the test.

use serde_json::{Map, Value, json};

use super::declared::{ChildKind, ParentKind, Strategy};

pub(crate) const PARENT: ParentKind = ParentKind {
    api_version: "rollcall.dev/v1",
    kind: "CrawlJob",
};

const fn kind(key: &'static str, resource: &'static str, strategy: Strategy) -> ChildKind {
    ChildKind {
        key,
        api_version: "v1",
        resource,
        strategy,
    }
}

pub(crate) const KINDS: [ChildKind; 3] = [
    kind("Pod.v1", "pods", Strategy::OnDelete),
    kind("PersistentVolumeClaim.v1", "persistentvolumeclaims", Strategy::InPlace),
    kind("ConfigMap.v1", "configmaps", Strategy::InPlace),
];

/// A call for the job `news` in `crawls` without any child.
pub(crate) fn call() -> Value {
    let child = |resource: &str, method: &str| json!({"apiVersion": "v1", "resource": resource, "updateStrategy": {"method": method, "statusChecks": {}}});
    json!({
        "controller": {"spec": {"childResources": [child("pods", "OnDelete"),
            child("persistentvolumeclaims", "InPlace"), child("configmaps", "InPlace")]}},
        "parent": {"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob",
            "metadata": {"name": "news", "namespace": "crawls", "uid": "news-uid",
                "creationTimestamp": "2026-11-30T12:00:00Z"},
            "spec": {"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}},
                "config": {"seeds": [{"url": "https://example.org/"}]}}},
        "children": {"Pod.v1": {}, "PersistentVolumeClaim.v1": {}, "ConfigMap.v1": {}},
        "related": {},
        "finalizing": false
    })
}

/// Objects by `namespace/name`.
pub(crate) fn by_name(objects: &[Value]) -> Value {
    let key = |object: &Value| format!("crawls/{}", object["metadata"]["name"].as_str().unwrap_or_default());
    Value::Object(
        objects
            .iter()
            .map(|object| (key(object), object.clone()))
            .collect::<Map<_, _>>(),
    )
}
