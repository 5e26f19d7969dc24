//! What scenes are mixed from: values that a cluster, a user or a broken crawler could put somewhere. Each pool holds what is
//! likely, and what nobody should write.

use serde_json::{Value, json};

/// A change to an object: a path of names, and what stands there.
pub(super) type Change = (&'static str, Value);

/// Changes of one kind of object.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    /// What a working system shows.
    pub(super) likely: Vec<Change>,
    /// What is against a schema, or beside every sense.
    pub(super) odd: Vec<Change>,
}

/// Times before, at and after the frozen instant.
fn times() -> Vec<Value> {
    let texts = [
        "2026-11-30T12:50:00Z",
        "2026-11-30T13:30:00+01:00",
        "2026-11-20T00:00:00Z",
        "2027-01-01T00:00:00Z",
    ];
    texts.map(|text| json!(text)).to_vec()
}

/// What is no time.
fn no_times() -> Vec<Value> {
    vec![json!(""), json!("soon"), json!(null), json!(17)]
}

/// Values that stand nowhere in a schema of ours.
fn nonsense() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!("\u{0}\u{202e}💥"),
        json!("x".repeat(5000)),
        json!([]),
        json!({}),
        json!([[{"a": [1, {"b": null}]}]]),
    ]
}

fn each(path: &'static str, values: Vec<Value>) -> impl Iterator<Item = Change> {
    values.into_iter().map(move |value| (path, value))
}

fn texts<const N: usize>(words: [&str; N]) -> Vec<Value> {
    words.map(|word| json!(word)).to_vec()
}

/// Changes of a spec that was fine.
pub(super) fn of_spec() -> Pool {
    let mut likely: Vec<Change> = each("scale", [0, 1, 1, 3, 4, 1000].map(|scale| json!(scale)).to_vec()).collect();
    likely.extend(each("pausedAt", times()));
    likely.extend(each("restartTime", times()));
    likely.extend(each("maxCrawlSize", texts(["1Gi", "1", "0"])));
    likely.extend(each("stopping", vec![json!(true), json!(true), json!(false)]));
    likely.extend(each("timeout", vec![json!(0), json!(60), json!(u64::MAX)]));
    likely.extend(each("workers", vec![json!(1), json!(3)]));
    likely.extend(each("storage", vec![json!(null), json!(null)]));
    likely.extend(each("resources/memory", texts(["2Gi"])));
    let mut odd: Vec<Change> = each("scale", vec![json!(1001)]).collect();
    odd.extend(each("pausedAt", no_times()));
    odd.extend(each("restartTime", no_times()));
    for field in ["maxCrawlSize", "resources/memory", "resources/storage"] {
        odd.extend(each(field, texts(["1e400", "-1", "1.5Ki", "Gi"])));
    }
    odd.extend(each("workers", vec![json!(0), json!(1_000_000_000_u64)]));
    odd.extend(each("ephemeral", vec![json!(true)]));
    odd.extend(each("storage", vec![json!({}), json!({"secretName": "no/name"})]));
    odd.extend(each(
        "configFrom",
        vec![json!({"name": "other", "key": "crawl-config.json"})],
    ));
    odd.extend(each("crawlerChannel", texts(["default", "nightly", "\"};\n"])));
    odd.extend(each("org", vec![json!("acme"), json!("-acme"), json!("a".repeat(64))]));
    odd.extend(each(
        "extraArgs",
        vec![json!(["--text", "all"]), json!(["--exec", "rm"]), json!([7])],
    ));
    odd.extend(each(
        "env",
        vec![json!({"A": "b"}), json!({"CRAWL_ID": "x"}), json!({"": ""})],
    ));
    odd.extend(each("selector", vec![json!(null), json!({"matchLabels": {"a": "b"}})]));
    odd.extend(each("priority", texts(["background", "urgent"])));
    for field in ["scale", "config", "stopping", "timeout", "storage", "unheardOf"] {
        odd.extend(each(field, nonsense()));
    }
    Pool { likely, odd }
}

/// A container that waits for its restart after this exit.
fn ended(code: i64) -> Value {
    let reason = if code == 137 { "OOMKilled" } else { "Error" };
    json!({"name": "crawler", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"containerID": format!("containerd://{code}"), "exitCode": code,
        "reason": reason, "startedAt": "2026-11-30T12:40:00Z", "finishedAt": "2026-11-30T12:50:00Z"}}})
}

/// The owner is somebody else.
pub(super) fn foreign() -> Value {
    json!([{"apiVersion": "v1", "kind": "Other", "name": "other", "uid": "other", "controller": true}])
}

/// Changes of a crawler pod that runs.
pub(super) fn of_pod() -> Pool {
    const CONTAINER: &str = "status/containerStatuses/0";
    let mut likely: Vec<Change> = [1, 4, 9, 11, 17, 18, 137].map(|code| (CONTAINER, ended(code))).to_vec();
    likely.extend(each(
        "status/phase",
        texts(["Succeeded", "Succeeded", "Succeeded", "Failed", "Failed", "Unknown"]),
    ));
    likely.extend(each("metadata/deletionTimestamp", times()));
    likely.extend(each(
        "metadata/ownerReferences",
        vec![foreign(), foreign(), json!(null)],
    ));
    likely.extend([("metadata/annotations", json!({"rollcall.dev/workers": "1"}))]);
    likely.extend([(
        "metadata/annotations",
        json!({"rollcall.dev/restart-time": "2026-11-30T12:50:00Z"}),
    )]);
    let mut odd: Vec<Change> = [0, 3, 8, 13, 14, 22, 143, i64::from(i32::MAX), 1 << 40]
        .map(|code| (CONTAINER, ended(code)))
        .to_vec();
    for reason in ["ImagePullBackOff", "ContainerCreating", "Odd"] {
        odd.push((
            CONTAINER,
            json!({"name": "crawler", "state": {"waiting": {"reason": reason}}}),
        ));
    }
    odd.extend(each("status/phase", texts(["Pending", "Odd"])));
    odd.extend(each(
        "status/reason",
        texts(["Evicted", "NodeLost", "NodeShutdown", ""]),
    ));
    odd.extend(each("status", nonsense()));
    odd.extend(each(
        "status/containerStatuses",
        vec![json!(null), json!([]), json!([{"name": "sidecar"}])],
    ));
    odd.extend(each("spec/nodeName", vec![json!(null), json!("")]));
    odd.extend(each("metadata/deletionTimestamp", no_times()));
    odd.extend(each("metadata/creationTimestamp", times()));
    odd.extend(each("metadata/creationTimestamp", no_times()));
    for value in ["1", "99999999999999999999", "x"] {
        odd.push((
            "metadata/annotations",
            json!({"rollcall.dev/memory": value, "rollcall.dev/workers": value}),
        ));
    }
    Pool { likely, odd }
}

/// Changes of a volume that is bound.
pub(super) fn of_volume() -> Pool {
    let mut likely: Vec<Change> = each("spec/resources/requests/storage", texts(["1Gi", "500Gi"])).collect();
    likely.extend(each("status/phase", texts(["Pending"])));
    likely.extend(each("metadata/deletionTimestamp", times()));
    likely.extend(each("metadata/ownerReferences", vec![json!(null), foreign()]));
    let mut odd: Vec<Change> = each("spec/resources/requests/storage", texts(["0", "x", ""])).collect();
    odd.extend(each("status/capacity/storage", texts(["1Gi", "500Gi", "0", "x", ""])));
    odd.extend(each("status/phase", texts(["Lost", "Odd"])));
    odd.extend(each("spec/storageClassName", texts(["fast", ""])));
    odd.extend(each("status", nonsense()));
    Pool { likely, odd }
}

/// Changes of a register's `state.json` that said that the crawl began.
pub(super) fn of_register() -> Pool {
    let mut likely: Vec<Change> = Vec::new();
    for flag in ["started", "marked", "renewed", "flushed"] {
        likely.extend(each(flag, vec![json!(true), json!(true), json!(false)]));
    }
    likely.extend(each("result", texts(["complete", "failed"])));
    likely.extend(each("stopReason", texts(["stopped_by_user", "size_limit"])));
    likely.extend(each("files/lines", vec![json!(1)]));
    likely.extend(each("counters", vec![json!({"found": 40, "done": 20, "failed": 0})]));
    for path in ["instances/0", "instances/1"] {
        let lines = [
            json!({"ended": "done", "size": 4096}),
            json!({"ended": "failed", "crashes": 20, "earlyEnds": 5}),
            json!({"memory": 9_000_000_000_u64, "storage": 90_000_000_000_u64}),
        ];
        likely.extend(each(path, lines.to_vec()));
    }
    let mut odd: Vec<Change> = each("result", texts(["canceled", "running", "over"])).collect();
    odd.extend(each("stopReason", texts(["boredom"])));
    odd.extend(each("started", vec![json!("true"), json!(null)]));
    for path in ["files/lines", "files/count", "files/bytes"] {
        odd.extend(each(path, vec![json!(u64::MAX), json!(-1)]));
    }
    odd.extend(each("files", nonsense()));
    for path in ["instances/0", "instances/4294967295", "instances/x"] {
        let lines = [
            json!({"memory": u64::MAX, "storage": u64::MAX, "exit": "x", "pagesDone": u64::MAX}),
            json!({"ended": "gone", "size": -1}),
        ];
        odd.extend(each(path, lines.to_vec()));
    }
    odd.extend(each(
        "counters",
        vec![
            json!({"found": u64::MAX, "done": u64::MAX, "failed": u64::MAX}),
            json!(7),
        ],
    ));
    odd.extend(each("finishedAt", no_times()));
    odd.extend(each("startedAt", no_times()));
    Pool { likely, odd }
}
