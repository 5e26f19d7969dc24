//! Specs that are used, and specs that are not.

use proptest::prelude::{any, proptest};
use serde_json::{Value, json};

use super::{Config, Spec, SpecFault};
use crate::api::v1::crawljob::Priority;
use crate::hooks::crawljob::sample::policy;

fn minimal() -> Value {
    json!({"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}, "config": {"seeds": []}})
}

fn read(raw: &str) -> Result<Spec, SpecFault> {
    Spec::read("news", raw, &policy())
}

/// The minimal spec with some fields set.
fn with(fields: &Value) -> Result<Spec, SpecFault> {
    let mut spec = minimal();
    for (name, value) in fields.as_object().unwrap() {
        spec[name] = value.clone();
    }
    read(&spec.to_string())
}

/// The field that is named, after some fields were set.
fn refused(fields: &Value) -> String {
    with(fields).unwrap_err().field
}

#[test]
fn a_minimal_spec_takes_the_configurations_values() {
    let spec = read(&minimal().to_string()).unwrap();
    assert_eq!(
        (spec.scale, spec.workers, spec.workers_set, spec.channel.as_str()),
        (1, 2, None, "default")
    );
    assert_eq!((spec.cpu_millis, spec.memory, spec.volume), (1500, 3 << 29, 25 << 30));
    assert_eq!(
        (spec.timeout, spec.max_size, spec.org, spec.storage),
        (None, None, None, None)
    );
    assert_eq!(
        (spec.priority, spec.config),
        (Priority::Crawl, Config::Inline("{\"seeds\":[]}".to_owned()))
    );
}

#[test]
fn null_empty_and_zero_count_as_unset() {
    let nulls = json!({"scale": null, "workers": null, "crawlerChannel": null, "stopping": null, "pausedAt": null,
        "restartTime": null, "timeout": null, "maxCrawlSize": null, "org": null, "storage": null, "extraArgs": null,
        "env": null, "ephemeral": null, "resources": {"memory": null}, "priority": null, "configFrom": null, "proxy": null});
    assert_eq!(with(&nulls), read(&minimal().to_string()));
    let empty =
        json!({"timeout": 0, "maxCrawlSize": "0", "pausedAt": "", "restartTime": "", "org": "", "crawlerChannel": ""});
    assert_eq!(with(&empty), read(&minimal().to_string()));
    assert_eq!(with(&json!({"maxCrawlSize": ""})), read(&minimal().to_string()));
    let storage = with(&json!({"storage": {"secretName": "s3", "path": null, "filename": ""}}))
        .unwrap()
        .storage
        .unwrap();
    assert_eq!(
        (storage.secret.as_str(), storage.path, storage.filename),
        ("s3", None, None)
    );
}

#[test]
fn the_selector_says_the_name_and_nothing_else() {
    let selector = |labels: Value| json!({"selector": {"matchLabels": labels}});
    for labels in [
        json!({}),
        json!({"rollcall.dev/crawl": "blog"}),
        json!({"rollcall.dev/crawl": "news", "tier": "x"}),
    ] {
        assert_eq!(refused(&selector(labels)), "selector.matchLabels");
    }
    assert_eq!(read("{}").unwrap_err().field, "selector");
    assert_eq!(read(r#"{"selector": {}}"#).unwrap_err().field, "selector.matchLabels");
}

#[test]
fn a_name_that_pods_can_not_carry_or_that_is_the_anchors_is_refused() {
    for name in [
        "a".repeat(53).as_str(),
        "News",
        "news.2026",
        "-news",
        "news-",
        "",
        "rollcall-anchor",
    ] {
        let raw = json!({"selector": {"matchLabels": {"rollcall.dev/crawl": name}}, "config": {}}).to_string();
        assert_eq!(
            Spec::read(name, &raw, &policy()).unwrap_err().field,
            "selector.matchLabels",
            "{name}"
        );
    }
    let longest = "a".repeat(52);
    let raw = json!({"selector": {"matchLabels": {"rollcall.dev/crawl": longest}}, "config": {}}).to_string();
    assert!(Spec::read(&longest, &raw, &policy()).is_ok());
}

#[test]
fn exactly_one_configuration_is_needed() {
    let from = json!({"name": "my-map", "key": "crawl-config.json"});
    assert_eq!(refused(&json!({"configFrom": from})), "config");
    assert_eq!(refused(&json!({"config": null})), "config");
    let spec = with(&json!({"config": null, "configFrom": from})).unwrap();
    assert_eq!(
        spec.config,
        Config::From {
            name: "my-map".to_owned(),
            key: "crawl-config.json".to_owned()
        }
    );
    assert_eq!(
        refused(&json!({"config": null, "configFrom": {"name": "My Map", "key": "k"}})),
        "configFrom.name"
    );
    assert_eq!(
        refused(&json!({"config": null, "configFrom": {"name": "map", "key": "../k"}})),
        "configFrom.key"
    );
    assert_eq!(refused(&json!({"config": "text"})), "config");
}

#[test]
fn the_configuration_is_kept_with_its_nulls_compact_and_sorted() {
    let raw = r#"{"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}, "config": {"b": [1.50, null], "a": null, "A": "é&"}}"#;
    assert_eq!(
        read(raw).unwrap().config,
        Config::Inline(r#"{"A":"é&","a":null,"b":[1.5,null]}"#.to_owned())
    );
}

#[test]
fn a_configuration_is_measured_as_the_string_it_becomes() {
    let of = |text: String| with(&json!({"config": {"x": text}}));
    assert!(of("a".repeat(200 * 1024 - 20)).is_ok());
    assert!(of("a".repeat(200 * 1024)).unwrap_err().problem.contains("configFrom"));
    assert!(
        of("&".repeat(35 * 1024)).is_err(),
        "metacontroller writes six characters for each"
    );
    assert!(
        of("\"".repeat(60 * 1024)).is_err(),
        "escaped in the configuration and again in the ConfigMap"
    );
}

#[test]
fn numbers_outside_their_range_are_refused_by_field() {
    assert_eq!(with(&json!({"scale": 0})).unwrap().scale, 0);
    assert_eq!(with(&json!({"scale": 1000})).unwrap().scale, 1000);
    for (field, value) in [
        ("scale", json!(1001)),
        ("scale", json!(-1)),
        ("scale", json!("2")),
        ("workers", json!(0)),
        ("timeout", json!(-5)),
        ("crawlerChannel", json!("gamma")),
        ("stopping", json!("1")),
        ("priority", json!("high")),
        ("maxCrawlSize", json!("1.5e3Mi")),
        ("maxCrawlSize", json!(-1)),
        ("org", json!("a b")),
        ("env", json!([])),
    ] {
        assert_eq!(refused(&json!({field: value})), field, "{value}");
    }
    assert_eq!(with(&json!({"maxCrawlSize": "1.5Gi"})).unwrap().max_size, Some(3 << 29));
    assert_eq!(with(&json!({"maxCrawlSize": 1024})).unwrap().max_size, Some(1024));
    assert_eq!(with(&json!({"crawlerChannel": "beta"})).unwrap().channel, "beta");
}

#[test]
fn unreadable_times_are_unset_and_named() {
    let spec = with(&json!({"pausedAt": "soon", "restartTime": "2026-11-30T13:00:00+01:00"})).unwrap();
    assert_eq!((spec.paused_at, spec.unreadable_times), (None, vec!["pausedAt"]));
    assert_eq!(spec.restart_time, Some("2026-11-30T12:00:00Z".parse().unwrap()));
}

#[test]
fn sizes_start_within_the_configurations_bounds() {
    let sizes = |fields: Value| with(&fields).map(|spec| (spec.cpu_millis, spec.memory, spec.volume));
    assert_eq!(sizes(json!({"workers": 1})), Ok((900, 1 << 30, 25 << 30)));
    assert_eq!(
        sizes(json!({"workers": 4_000_000_000_u32})).unwrap().1,
        4 << 30,
        "at most the maximum"
    );
    let set = json!({"resources": {"cpu": "0.25", "memory": "2Gi", "storage": "1000Gi"}});
    assert_eq!(sizes(set), Ok((250, 2 << 30, 100 << 30)));
    assert_eq!(refused(&json!({"resources": {"memory": "0"}})), "resources.memory");
    assert_eq!(refused(&json!({"resources": {"cpu": -1}})), "resources.cpu");
    assert_eq!(refused(&json!({"resources": {"storage": "big"}})), "resources.storage");
}

#[test]
fn arguments_are_only_those_the_configuration_allows() {
    assert!(with(&json!({"extraArgs": ["--lang=de", "--blockAds"]})).is_ok());
    for arg in ["--workers=9", "--langs=de", "--lang de", "de", "", "=--lang"] {
        assert_eq!(
            refused(&json!({"extraArgs": ["--lang=de", arg]})),
            "extraArgs[1]",
            "{arg}"
        );
    }
}

#[test]
fn variables_have_names_and_never_replace_ours() {
    assert!(with(&json!({"env": {"LANG": "de", "_X1": ""}})).is_ok());
    for name in [
        "CRAWL_ID",
        "CRAWL_ARGS",
        "HOME",
        "WEBHOOK_URL",
        "WARC_PREFIX",
        "STORE_PATH",
        "",
        "1A",
        "A-B",
        "A=B",
        "É",
    ] {
        assert_eq!(refused(&json!({"env": {name: "x"}})), "env", "{name}");
    }
    assert_eq!(refused(&json!({"env": {"A": 1}})), "env.A");
}

#[test]
fn an_ephemeral_crawl_has_scale_one_and_no_pause() {
    assert!(
        with(&json!({"ephemeral": true, "scale": 1, "pausedAt": ""}))
            .unwrap()
            .ephemeral
    );
    assert_eq!(refused(&json!({"ephemeral": true, "scale": 2})), "scale");
    assert_eq!(
        refused(&json!({"ephemeral": true, "pausedAt": "2026-11-30T12:00:00Z"})),
        "pausedAt"
    );
}

#[test]
fn secrets_have_object_names() {
    assert_eq!(refused(&json!({"storage": {"secretName": "S3"}})), "storage.secretName");
    assert_eq!(refused(&json!({"storage": {}})), "storage.secretName");
    assert_eq!(refused(&json!({"proxy": {"secretName": "a/b"}})), "proxy.secretName");
}

#[test]
fn a_fault_is_one_bounded_line() {
    let fault = with(&json!({"crawlerChannel": format!("a\n\u{1b}[31m{}", "x".repeat(10_000))})).unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("spec.crawlerChannel: there is no channel a\\n"),
        "{fault}"
    );
    assert!(fault.to_string().len() < 200 && !fault.to_string().contains('\u{1b}'));
    let typed = with(&json!({"scale": "x".repeat(10_000)})).unwrap_err();
    assert!(typed.problem.len() < 300, "{typed}");
}

#[test]
fn any_json_at_all_gives_a_fault_and_no_panic() {
    let deep = format!("{{\"config\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for raw in [
        "null",
        "[]",
        "1",
        "\"x\"",
        "{}",
        deep.as_str(),
        r#"{"config": {"x": 1e999}}"#,
    ] {
        assert!(read(raw).is_err());
    }
}

proptest! {
    #[test]
    fn no_text_in_any_field_panics(text in any::<String>(), number in any::<i64>()) {
        for field in ["pausedAt", "maxCrawlSize", "crawlerChannel", "org", "scale", "workers", "timeout", "extraArgs", "env"] {
            for value in [json!(text), json!(number), json!([text]), json!({text.as_str(): text})] {
                let _ = with(&json!({field: value}));
            }
        }
    }
}
