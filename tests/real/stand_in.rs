//! Takes the bodies of the hook protocol; gives the simplest answers that carry a crawl through. With it the harness is
//! tested without the product. It keeps no rule of ours: it remembers nothing and recovers from nothing.

use axum::Router;
use axum::extract::Path;
use axum::routing::post;
use serde_json::{Value, json};

/// Serves on loopback until the runtime ends; gives the address.
pub(crate) async fn serve() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = Router::new().route("/crawljob/{hook}", post(answer));
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

async fn answer(Path(hook): Path<String>, body: String) -> String {
    let body: Value = serde_json::from_str(&body).expect("a body in JSON");
    let answer = match hook.as_str() {
        "customize" => json!({"relatedResources": []}),
        "finalize" => {
            let children = body["children"].as_object().expect("children");
            let none = children
                .values()
                .all(|group| group.as_object().is_none_or(serde_json::Map::is_empty));
            json!({"status": status(false), "children": [], "finalized": none, "resyncAfterSeconds": 1})
        }
        _ => sync(&body),
    };
    answer.to_string()
}

fn sync(body: &Value) -> Value {
    let parent = &body["parent"];
    let name = parent["metadata"]["name"].as_str().expect("a name");
    let namespace = parent["metadata"]["namespace"].as_str().expect("a namespace");
    let pods = body["children"]["Pod.v1"].as_object().expect("the kind is declared");
    let scale = parent["spec"]["scale"].as_u64().unwrap_or(1);
    let succeeded = |pod: &Value| pod["status"]["phase"] == "Succeeded";
    let failed = |pod: &Value| pod["status"]["phase"] == "Failed";
    let crawlers = (0..scale).map(|index| format!("crawl-{name}-{index}"));
    let over = crawlers
        .clone()
        .all(|crawler| pods.get(&format!("{namespace}/{crawler}")).is_some_and(succeeded));
    let config = object(
        "ConfigMap",
        name,
        &format!("crawl-config-{name}"),
        json!({"data": {"crawl-config.json": parent["spec"]["config"].to_string()}}),
    );
    let redis = format!("redis-{name}");
    let mut children = vec![config, claim(name, &redis), redis_pod(name, &redis)];
    for crawler in crawlers {
        children.push(claim(name, &crawler));
        if !pods.get(&format!("{namespace}/{crawler}")).is_some_and(failed) {
            children.push(crawler_pod(name, namespace, &crawler));
        }
    }
    json!({"status": status(over), "children": children})
}

/// What the kind's schema requires, and the one condition that is waited for.
fn status(over: bool) -> Value {
    let zeros = [
        "pagesFound",
        "pagesDone",
        "pagesFailed",
        "size",
        "sizePending",
        "scale",
        "desiredScale",
        "filesAdded",
        "filesAddedSize",
        "crawlExecSeconds",
        "elapsedSeconds",
    ];
    let mut status: Value = zeros
        .iter()
        .map(|field| ((*field).to_owned(), json!(0)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    status["state"] = json!(if over { "complete" } else { "running" });
    status["sizeHuman"] = json!("0");
    status["conditions"] = json!([{"type": "Complete", "status": if over { "True" } else { "False" }, "reason": "StandIn",
        "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
    status
}

fn object(kind: &str, job: &str, name: &str, rest: Value) -> Value {
    let mut object = rest;
    object["apiVersion"] = json!("v1");
    object["kind"] = json!(kind);
    object["metadata"] = json!({"name": name, "labels": {"rollcall.dev/crawl": job}});
    object
}

fn claim(job: &str, name: &str) -> Value {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    object("PersistentVolumeClaim", job, name, json!({"spec": spec}))
}

fn redis_pod(job: &str, name: &str) -> Value {
    let container = json!({"name": "redis", "image": "redis", "args": ["--appendonly", "yes"]});
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": name}}]);
    let spec = json!({"hostname": name, "subdomain": "redis", "restartPolicy": "Always", "containers": [container],
        "volumes": volumes, "terminationGracePeriodSeconds": 5, "automountServiceAccountToken": false});
    object("Pod", job, name, json!({"spec": spec}))
}

fn crawler_pod(job: &str, namespace: &str, name: &str) -> Value {
    let url = format!("redis://redis-{job}.redis.{namespace}.svc.cluster.local/0");
    let variable = |name: &str, value: &str| json!({"name": name, "value": value});
    let env = [
        variable("CRAWL_ID", job),
        variable("WEBHOOK_URL", &format!("{url}/crawls-done")),
    ];
    let command = [
        "crawl",
        "--config",
        "/tmp/config/crawl-config.json",
        "--redisStoreUrl",
        &url,
    ];
    let container = json!({"name": "crawler", "image": "crawler", "command": command, "env": env,
        "envFrom": [{"secretRef": {"name": "storage-default"}}]});
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": name}},
        {"name": "config", "configMap": {"name": format!("crawl-config-{job}")}}]);
    let spec = json!({"hostname": name, "subdomain": "crawler", "restartPolicy": "OnFailure", "containers": [container],
        "volumes": volumes, "terminationGracePeriodSeconds": 5, "automountServiceAccountToken": false});
    object("Pod", job, name, json!({"spec": spec}))
}
