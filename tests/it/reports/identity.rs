//! Who is who: children of an earlier parent, strangers among the objects, and a pod beside its own remains.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{container, exit, running, status};

fn succeeded() -> Value {
    status("Succeeded", &json!({"terminated": exit(0, "Completed")}))
}

fn of_another(object: &mut Value) {
    object["metadata"]["ownerReferences"] =
        json!([{"kind": "CrawlJob", "name": "news", "uid": "an earlier one", "controller": true}]);
}

/// A parent was deleted and made again at once; the children of the old one have the same names, and judged the new one.
#[tokio::test]
async fn c33_children_of_an_earlier_parent_are_neither_adopted_nor_judged() {
    let pods = [
        succeeded(),
        running(),
        json!({"phase": "Failed"}),
        json!({"phase": "Pending"}),
        super::states::backing_off(17),
    ];
    for pod in pods {
        let call = Call::new()
            .crawler(0, pod.clone())
            .edit("Pod", "crawl-news-0", of_another);
        for call in [
            call.clone(),
            call.clone().terminating("Pod", "crawl-news-0"),
            call.register(json!({"started": false})),
        ] {
            let seen = call.ask().await;
            assert!(seen.goes_on(), "{pod}");
            assert!(!seen.lists().contains("Pod/"), "{pod}: {}", seen.lists());
            assert_eq!(seen.status("/pods"), Value::Null, "{pod}");
            assert!(
                ["starting", "waiting_capacity"].contains(&seen.state()),
                "{pod}: {}",
                seen.state()
            );
            assert!(seen.wake() > 0, "{pod}: it keeps asking");
        }
    }
    // A volume, a register with a result, and a Redis of the old one are no different.
    let register =
        Call::new()
            .register(json!({"result": "complete"}))
            .edit("ConfigMap", "crawl-register-news", of_another);
    let seen = register.ask().await;
    assert!(
        seen.goes_on() && seen.register("/started") == false,
        "its register is not ours"
    );
    let taken = Call::new().register(json!({"started": false})).volume(0).edit(
        "PersistentVolumeClaim",
        "crawl-news-0",
        of_another,
    );
    assert_eq!(taken.ask().await.makes(), "", "no pod on the volume of another");
    let redis = Call::at_work(1).edit("Pod", "redis-news", of_another).ask().await;
    assert_eq!(redis.condition("StoreReachable"), "False", "its store is not asked");
    let gone = Call::new().register(json!({"started": false})).ask().await;
    assert_eq!(
        gone.makes(),
        "PVC/crawl-news-0 Pod/crawl-news-0",
        "a fresh start once the old ones are gone"
    );
    // Without a controller an object is being adopted and is ours (O2).
    let adopting = Call::at_work(1).edit("Pod", "crawl-news-0", |pod| {
        pod["metadata"]["ownerReferences"] = json!([{"kind": "ConfigMap", "uid": "anchor", "controller": false}]);
    });
    assert_eq!(adopting.ask().await.state(), "running");
}

/// A failed pod beside its replacement of the same index was counted twice. With fixed names there is one of each; what has
/// another name counts nowhere.
#[tokio::test]
async fn c38_a_pod_beside_its_remains_counts_once() {
    let labels = json!({"rollcall.dev/crawl": "news", "rollcall.dev/role": "crawler", "rollcall.dev/index": "0"});
    for phase in ["Failed", "Succeeded", "Running", "Pending"] {
        for name in ["crawl-news-0-old", "crawl-news-00", "crawl-news-0x", "news-0"] {
            let remains = json!({"metadata": {"name": name, "labels": labels}, "status": {"phase": phase}});
            let seen = Call::at_work(1).child("Pod", remains).ask().await;
            assert_eq!(
                (seen.state(), seen.status("/scale")),
                ("running", json!(1)),
                "{phase} {name}"
            );
            let shown = seen.status("/pods").as_object().map_or(0, serde_json::Map::len);
            assert_eq!(
                (shown, seen.makes().as_str(), seen.goes_on()),
                (1, "", true),
                "{phase} {name}"
            );
        }
    }
    for remains in [json!({"phase": "Failed"}), succeeded()] {
        let seen = Call::at_work(2).crawler(0, remains.clone()).ask().await;
        assert_eq!(
            (seen.state(), seen.status("/pods/1/state")),
            ("running", json!("running")),
            "{remains}"
        );
        let seen = seen.next().ask().await;
        assert_eq!(
            (seen.makes().as_str(), seen.status("/scale")),
            ("Pod/crawl-news-0", json!(2)),
            "{remains}"
        );
    }
}

/// Figures about a pod that does not exist made up an entry for it; figures of a sidecar were taken for the crawler's.
#[tokio::test]
async fn c40_strangers_make_no_entries_and_the_container_is_found_by_name() {
    let usage = json!({"metadata": {"name": "crawl-news-7", "namespace": "crawls"}, "containers": [{"name": "proxy", "usage": {"memory": "9Gi"}}]});
    let map = json!({"metadata": {"name": "crawl-news-7", "namespace": "crawls"}, "data": {"memory": "9Gi"}});
    for related in [
        json!({"PodMetrics.metrics.k8s.io/v1beta1": {"crawls/crawl-news-7": usage}}),
        json!({"ConfigMap.v1": {"crawls/crawl-news-7": map}}),
        json!({}),
        Value::Null,
    ] {
        let mut call = Call::at_work(1);
        call.body["related"] = related.clone();
        let kept = Kept::marked()
            .pages(9, 3)
            .queued(2)
            .entry(0, "running")
            .field("news:status", "crawl-blog-7", "running")
            .field("news:status", "crawl-news-07", "running")
            .size(7, 5);
        let seen = call.kept(kept).ask().await;
        let shown: Vec<String> = seen
            .status("/pods")
            .as_object()
            .into_iter()
            .flatten()
            .map(|(index, _)| index.clone())
            .collect();
        assert_eq!(shown, ["0"], "{related}");
        assert_eq!((seen.state(), seen.makes().as_str()), ("running", ""), "{related}");
    }
    let two = |first: &str, second: &str| {
        let memory = |name: &str| if name == "crawler" { "1Gi" } else { "64Mi" };
        let list =
            [first, second].map(|name| json!({"name": name, "resources": {"requests": {"memory": memory(name)}}}));
        Call::at_work(1).crawler(0, json!({"phase": "Running", "containerStatuses": [container("proxy", &json!({"running": {}})), container("crawler", &json!({"running": {}}))]}))
            .edit("Pod", "crawl-news-0", |pod| pod["spec"]["containers"] = json!(list))
    };
    for call in [two("proxy", "crawler"), two("crawler", "proxy")] {
        assert_eq!(call.ask().await.status("/pods/0/memory"), "1Gi");
    }
    let seen = Call::at_work(1).ask().await;
    assert_eq!(seen.status("/pods/0/memory"), Value::Null, "unknown is not made up");
}
