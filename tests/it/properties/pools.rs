//! What scenes are mixed from: values that a cluster, a user or a broken crawler could put somewhere. Each list holds plain
//! values beside odd ones; a scene takes a few of each.

use serde_json::{Value, json};

/// A change to an object: a path of names, and what stands there. Null takes it away.
pub(super) type Change = (&'static str, Value);

/// Times around the frozen instant, and what is none.
fn times() -> Vec<Value> {
    let texts = [
        "2026-11-30T12:30:00Z",
        "2026-11-30T13:30:00+01:00",
        "2027-01-01T00:00:00Z",
        "",
        "soon",
    ];
    let mut all: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    all.extend([json!(null), json!(17), json!("2026-11-20T00:00:00Z")]);
    all
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

/// Changes of a spec that was fine.
pub(super) fn of_spec() -> Vec<Change> {
    let scales = [0, 1, 2, 4, 1000, 1001].map(|scale| json!(scale)).to_vec();
    let sizes = ["1Gi", "1", "0", "1e400", "-1", "1.5Ki", "Gi"]
        .map(|size| json!(size))
        .to_vec();
    let mut all: Vec<Change> = each("scale", scales).collect();
    all.extend(each("pausedAt", times()));
    all.extend(each("restartTime", times()));
    all.extend(each("maxCrawlSize", sizes.clone()));
    all.extend(each("resources/memory", sizes.clone()));
    all.extend(each("resources/storage", sizes));
    all.extend(each("stopping", vec![json!(true), json!("true")]));
    all.extend(each("timeout", vec![json!(0), json!(60), json!(u64::MAX), json!(-5)]));
    all.extend(each("workers", vec![json!(0), json!(3), json!(1_000_000_000_u64)]));
    all.extend(each("ephemeral", vec![json!(true)]));
    all.extend(each(
        "storage",
        vec![json!(null), json!({}), json!({"secretName": "no/name"})],
    ));
    all.extend(each("config", vec![json!(null), json!({"seeds": null}), json!("text")]));
    all.extend(each(
        "configFrom",
        vec![json!({"name": "other", "key": "crawl-config.json"})],
    ));
    all.extend(each(
        "crawlerChannel",
        vec![json!("default"), json!("nightly"), json!("\"};\n")],
    ));
    all.extend(each("org", vec![json!("acme"), json!("-acme"), json!("a".repeat(64))]));
    all.extend(each(
        "extraArgs",
        vec![json!(["--text", "all"]), json!(["--exec", "rm"]), json!([7])],
    ));
    all.extend(each(
        "env",
        vec![json!({"A": "b"}), json!({"CRAWL_ID": "x"}), json!({"": ""})],
    ));
    all.extend(each("selector", vec![json!(null), json!({"matchLabels": {"a": "b"}})]));
    all.extend(each("priority", vec![json!("background"), json!("urgent")]));
    for field in ["scale", "config", "stopping", "storage", "unheardOf"] {
        all.extend(each(field, nonsense()));
    }
    all
}

/// Changes of a crawler pod that ran.
pub(super) fn of_pod() -> Vec<Change> {
    const STATUS: &str = "status/containerStatuses/0";
    let ended = |code: i64, reason: &str| {
        json!({"name": "crawler", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"containerID": format!("containerd://{code}"), "exitCode": code,
            "reason": reason, "startedAt": "2026-11-30T12:40:00Z", "finishedAt": "2026-11-30T12:50:00Z"}}})
    };
    let mut all: Vec<Change> = Vec::new();
    for code in [
        0,
        1,
        3,
        4,
        8,
        9,
        11,
        13,
        14,
        17,
        18,
        22,
        137,
        143,
        i64::from(i32::MAX),
        1 << 40,
    ] {
        all.push((STATUS, ended(code, if code == 137 { "OOMKilled" } else { "Error" })));
    }
    for reason in ["ImagePullBackOff", "ContainerCreating", "Odd"] {
        all.push((
            STATUS,
            json!({"name": "crawler", "state": {"waiting": {"reason": reason}}}),
        ));
    }
    let phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown", "Odd"]
        .map(|phase| json!(phase))
        .to_vec();
    all.extend(each("status/phase", phases.clone()));
    all.extend(each("status/phase", phases));
    all.extend(each(
        "status/reason",
        ["Evicted", "NodeLost", "NodeShutdown", ""]
            .map(|word| json!(word))
            .to_vec(),
    ));
    all.extend(each("status", nonsense()));
    all.extend(each(
        "status/containerStatuses",
        vec![json!(null), json!([]), json!([{"name": "sidecar"}])],
    ));
    all.extend(each("spec/nodeName", vec![json!(null), json!("")]));
    all.extend(each("metadata/deletionTimestamp", times()));
    all.extend(each("metadata/creationTimestamp", times()));
    all.extend(each(
        "metadata/ownerReferences",
        vec![json!(null), json!([]), foreign()],
    ));
    for (name, values) in [
        ("rollcall.dev/memory", ["1", "99999999999999999999", "x"]),
        ("rollcall.dev/workers", ["1", "3", "x"]),
        ("rollcall.dev/restart-time", ["2026-11-30T12:30:00Z", "x", ""]),
    ] {
        all.extend(values.map(|value| ("metadata/annotations", json!({name: value}))));
    }
    all
}

/// The owner is somebody else.
fn foreign() -> Value {
    json!([{"apiVersion": "v1", "kind": "Other", "name": "other", "uid": "other", "controller": true}])
}

/// Changes of a volume that was bound.
pub(super) fn of_volume() -> Vec<Change> {
    let sizes = ["1Gi", "500Gi", "0", "x", ""].map(|size| json!(size)).to_vec();
    let mut all: Vec<Change> = each("spec/resources/requests/storage", sizes.clone()).collect();
    all.extend(each("status/capacity/storage", sizes));
    all.extend(each(
        "status/phase",
        ["Pending", "Lost", "Odd"].map(|phase| json!(phase)).to_vec(),
    ));
    all.extend(each("metadata/deletionTimestamp", times()));
    all.extend(each("metadata/ownerReferences", vec![json!(null), foreign()]));
    all.extend(each("spec/storageClassName", vec![json!("fast"), json!("")]));
    all.extend(each("status", nonsense()));
    all
}

/// Changes of a register's `state.json` that said that the crawl began.
pub(super) fn of_register() -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    for flag in ["started", "marked", "renewed", "flushed"] {
        all.extend(each(flag, vec![json!(true), json!(false), json!("true"), json!(null)]));
    }
    let results = ["complete", "failed", "canceled", "running", "over"]
        .map(|result| json!(result))
        .to_vec();
    all.extend(each("result", results));
    all.extend(each(
        "stopReason",
        vec![json!("stopped_by_user"), json!("size_limit"), json!("boredom")],
    ));
    all.extend(each(
        "files/lines",
        vec![json!(0), json!(1), json!(u64::MAX), json!(-1)],
    ));
    all.extend(each("files/count", vec![json!(u64::MAX)]));
    all.extend(each("files/bytes", vec![json!(u64::MAX)]));
    all.extend(each("files", nonsense()));
    for index in ["0", "1", "4294967295", "x"] {
        let lines = [
            json!({"ended": "done", "size": 4096}),
            json!({"ended": "failed", "crashes": 20, "earlyEnds": 5}),
            json!({"memory": u64::MAX, "storage": u64::MAX, "exit": "x", "pagesDone": u64::MAX}),
            json!({"ended": "gone", "size": -1}),
        ];
        let path = format!("instances/{index}").leak();
        all.extend(each(path, lines.to_vec()));
    }
    all.extend(each(
        "counters",
        vec![
            json!({"found": u64::MAX, "done": u64::MAX, "failed": u64::MAX}),
            json!(7),
        ],
    ));
    all.extend(each("finishedAt", times()));
    all.extend(each("startedAt", times()));
    all
}

/// Keys of a store, of the job and of others; a later one replaces an earlier one.
pub(super) fn of_store() -> Vec<Change> {
    let text = |value: &str| json!({"type": "string", "value": value});
    let entries = |words: [&str; 3]| {
        json!({"type": "hash", "value": {"crawl-news-0": words[0], "crawl-news-1": words[1], "crawl-news-2": words[2],
            "crawl-news-07": "done", "crawl-other-0": "done", "crawl-news-4294967296": "done", "\u{7}": ""}})
    };
    let mut all: Vec<Change> = Vec::new();
    for word in [
        "running",
        "pending-wait",
        "uploading-wacz",
        "interrupted",
        "done",
        "canceled",
        "failed",
        "💥",
        "",
    ] {
        all.push(("news:status", entries([word, word, word])));
        all.push(("news:status", entries([word, "done", "running"])));
    }
    for size in [
        "0",
        "4096",
        "100000000000",
        "-1",
        "1e9",
        "99999999999999999999999999",
        "NaN",
    ] {
        all.push(("news:size", entries([size, "4096", size])));
    }
    for number in ["0", "1", "40", "-3", "18446744073709551616", "x"] {
        all.push(("news:d", text(number)));
    }
    for flag in ["paused", "stopping", "canceled"] {
        let key: &'static str = format!("news:{flag}").leak();
        all.extend(each(
            key,
            vec![text("1"), text("0"), text(""), json!({"type": "list", "value": ["1"]})],
        ));
    }
    all.push((
        "news:stopone",
        json!({"type": "hash", "value": {"crawl-news-1": "1", "x": "1"}}),
    ));
    for mark in ["first", "renewed", "odd"] {
        all.push(("rollcall:mark", text(mark)));
    }
    let line = |name: &str, size: &str| format!(r#"{{"id":"news","filename":"{name}","size":{size}}}"#);
    let lines = [
        line("a.wacz", "7"),
        line("a.wacz", "8"),
        line("b.wacz", "18446744073709551615"),
        "{".into(),
        "x".repeat(70_000),
    ];
    all.push(("crawls-done", json!({"type": "list", "value": lines})));
    all.push((
        "crawls-done",
        json!({"type": "list", "value": vec![line("c.wacz", "1"); 600]}),
    ));
    all.push(("crawls-done", text("no list")));
    let pages: Vec<String> = (0..50).map(|page| format!("http://site.example/{page}")).collect();
    all.push(("news:s", json!({"type": "set", "value": pages})));
    all.push(("news:s", json!({"type": "set", "value": ["http://site.example/"]})));
    all.push(("news:q", json!({"type": "zset", "value": [["x", 1.0]]})));
    all.push((
        "news:excluded",
        json!({"type": "set", "value": (0..60).map(|page| page.to_string()).collect::<Vec<_>>()}),
    ));
    all.push(("news:failReason", text("not_logged_in")));
    for at in [
        "2026-11-30T12:00:00Z",
        "2026-11-28T12:00:00Z",
        "2030-01-01T00:00:00Z",
        "x",
    ] {
        all.push(("rollcall:idle", text(at)));
        all.push(("rollcall:rate-limited", text(at)));
    }
    all.push((
        "rollcall:exec",
        json!({"type": "hash", "value": {"0/a/0": "18446744073709551615", "x": "-1", "//": "9"}}),
    ));
    all.push(("rollcall:flagged", json!({"type": "set", "value": ["pod-0", "", "x"]})));
    all
}

/// Statuses that were, or that somebody wrote.
pub(super) fn statuses() -> Vec<Value> {
    let mut all: Vec<Value> = ["starting", "running", "paused", "complete", "failed", "canceled", "odd"]
        .iter()
        .map(|state| json!({"state": state, "pagesFound": 7, "startedAt": "2026-11-30T12:00:00Z"}))
        .collect();
    all.extend(nonsense());
    all.push(json!({"state": "running", "conditions": [{"type": 7}], "pagesDone": -1, "sizePending": u64::MAX}));
    all
}
