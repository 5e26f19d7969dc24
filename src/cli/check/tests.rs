//! CrawlJobs with something wrong, and what is said of it; the last tests hold the check against the CRD itself.

use serde_json::{Value, json};

use super::*;
use crate::api;

fn job(spec: &Value) -> Value {
    let mut job = json!({
        "apiVersion": "rollcall.dev/v1",
        "kind": "CrawlJob",
        "metadata": {"name": "news"},
        "spec": {"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}, "config": {"seeds": [{"url": "https://example.org/"}]}}
    });
    for (field, value) in spec.as_object().unwrap() {
        job["spec"][field] = value.clone();
    }
    job
}

fn named(name: &str) -> Value {
    let mut job = job(&json!({"selector": {"matchLabels": {"rollcall.dev/crawl": name}}}));
    job["metadata"]["name"] = name.into();
    job
}

fn paths(job: &Value) -> Vec<String> {
    let problems = job::problems(job, &Config::built_in().crawl);
    problems.into_iter().map(|problem| problem.path).collect()
}

fn paths_of(spec: &Value) -> Vec<String> {
    paths(&job(spec))
}

fn report(text: &str) -> (Outcome, String) {
    let mut out = Vec::new();
    let mut report = Report {
        out: &mut out,
        problems: 0,
        jobs: 0,
    };
    report.file("a.yaml", text.as_bytes(), &Config::built_in()).unwrap();
    let outcome = if report.problems == 0 {
        Outcome::Fine
    } else {
        Outcome::Found
    };
    (outcome, String::from_utf8(out).unwrap())
}

#[test]
fn a_job_as_the_readme_shows_it_is_fine() {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme.split_once("```yaml\napiVersion: rollcall.dev/v1").unwrap();
    let (yaml, _) = after.split_once("```").unwrap();
    assert_eq!(
        report(&format!("apiVersion: rollcall.dev/v1{yaml}")),
        (Outcome::Fine, String::new())
    );
    let parent = include_str!("../../../hooks/crawljob/parent.yaml");
    assert_eq!(report(parent), (Outcome::Fine, String::new()));
}

#[test]
fn every_problem_is_named_at_once_and_once() {
    let all = paths_of(&json!({
        "scale": 5000,
        "workers": "two",
        "crawlerChannel": "nightly",
        "scael": 1,
        "extraArgs": ["--nope", "--nope=1", 7],
        "maxCrawlSize": "big",
        "resources": {"cpu": -1, "memory": "1Gi"},
        "pausedAt": "yesterday",
        "storage": {"path": "a/"},
        "configFrom": {"name": "Not A Name", "key": "k"}
    }));
    assert_eq!(
        all,
        [
            "spec.config",
            "spec.crawlerChannel",
            "spec.extraArgs[0]",
            "spec.extraArgs[1]",
            "spec.extraArgs[2]",
            "spec.maxCrawlSize",
            "spec.pausedAt",
            "spec.resources.cpu",
            "spec.scael",
            "spec.scale",
            "spec.storage.secretName",
            "spec.workers",
        ]
    );
}

#[test]
fn null_is_unset() {
    assert_eq!(
        paths_of(&json!({"scale": null, "configFrom": null, "storage": null, "timeout": null})),
        [""; 0]
    );
}

#[test]
fn a_status_and_server_fields_do_no_harm() {
    let mut job = job(&json!({}));
    job["status"] = json!({"state": 7});
    job["metadata"] = json!({"name": "news", "uid": "u", "resourceVersion": "1", "managedFields": []});
    assert_eq!(paths(&job), [""; 0]);
}

#[test]
fn lists_and_several_documents_are_looked_into_and_other_kinds_are_skipped() {
    let bad = job(&json!({"scale": -1})).to_string();
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}).to_string();
    let (_, text) = report(&format!("---\n---\n{secret}\n---\n{bad}\n"));
    assert_eq!(text, "a.yaml, document 2: spec.scale: it is -1; write 0 or more\n");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [job(&json!({})), job(&json!({"scale": -1}))]});
    assert!(
        report(&list.to_string())
            .1
            .starts_with("a.yaml, document 2: spec.scale")
    );
}

#[test]
fn what_may_not_be_meant_is_noted_and_is_no_problem() {
    let odd = job(&json!({"config": {"seeds": []}, "resources": {"memory": "100Gi", "storage": "1Gi"}}));
    let (outcome, text) = report(&odd.to_string());
    assert_eq!(outcome, Outcome::Fine);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with("a.yaml: note: spec.resources.memory: 100Gi is above crawl.memoryMaximum; "));
    assert!(lines[1].starts_with("a.yaml: note: spec.config: it has none of seeds, "));
    for begins in [
        json!({"url": "https://example.org/"}),
        json!({"seedFile": "/seeds.txt"}),
    ] {
        assert_eq!(report(&job(&json!({"config": begins})).to_string()).1, "");
    }
}

#[test]
fn a_file_that_holds_no_job_we_know_says_so() {
    let said = |text: &str| report(text).1;
    assert!(said("apiVersion: v1\nkind: Pod").contains("there is no CrawlJob in it"));
    assert!(said("").contains("there is no CrawlJob in it"));
    assert!(said("a: [").contains("not YAML"));
    assert!(said("{\"a\": ").contains("not JSON"));
    assert!(said("a: 1").contains("apiVersion and kind"));
    assert!(said("apiVersion: rollcall.dev/v2\nkind: CrawlJob").contains("write rollcall.dev/v1"));
    assert!(said("apiVersion: rollcall.dev/v1\nkind: CrawlJbo").contains("did you mean CrawlJob?"));
    assert!(said("a: 1\na: 2").contains("a.yaml: it is not YAML: "));
}

#[test]
fn a_wrong_configuration_is_reported_and_the_jobs_are_checked_all_the_same() {
    let config = Config::from_parts("crawl: {maxScale: many}\nserver: {listne: a}", []);
    let (mut out, args) = (
        Vec::new(),
        Args {
            files: Vec::new(),
            config: Some("c.yaml".into()),
        },
    );
    let mut report = Report {
        out: &mut out,
        problems: 0,
        jobs: 0,
    };
    assert_eq!(report.config(&args, config).unwrap(), Config::built_in());
    assert_eq!(report.problems, 2);
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.contains("c.yaml: crawl.maxScale: ") && text.contains("did you mean listen?"),
        "{text}"
    );
}

/// A job that breaks the rule, for each CEL rule of the CRD by the start of its message, and where it is reported.
fn breaking(message: &str) -> Option<(Value, &'static str)> {
    let ephemeral = |more: Value| {
        let mut spec = json!({"ephemeral": true});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        job(&spec)
    };
    let broken = [
        (
            "metadata.name must be a DNS label",
            named(&"a".repeat(53)),
            "metadata.name",
        ),
        (
            "metadata.name must not be rollcall-anchor",
            named("rollcall-anchor"),
            "metadata.name",
        ),
        (
            "spec.selector.matchLabels must be exactly",
            job(&json!({"selector": {"matchLabels": {"rollcall.dev/crawl": "news", "b": "c"}}})),
            "spec.selector.matchLabels",
        ),
        ("exactly one of config", job(&json!({"config": null})), "spec.config"),
        (
            "an ephemeral crawl has a scale",
            ephemeral(json!({"scale": 2})),
            "spec.scale",
        ),
        (
            "an ephemeral crawl can't be paused",
            ephemeral(json!({"pausedAt": "2026-11-30T13:00:00Z"})),
            "spec.pausedAt",
        ),
        ("names of variables", job(&json!({"env": {"1A": ""}})), "spec.env"),
        ("CRAWL_ARGS", job(&json!({"env": {"STORE_PATH": ""}})), "spec.env"),
    ];
    let found = broken.into_iter().find(|(start, _, _)| message.starts_with(start));
    found.map(|(_, job, path)| (job, path))
}

/// Every value of `key` at any depth, with the path of fields to it.
fn each_value<'a>(value: &'a Value, key: &str, path: &str, visit: &mut impl FnMut(&str, &'a Value)) {
    for (field, below) in value.as_object().into_iter().flatten() {
        if field == key {
            visit(path, below);
        }
        let path = if field == "properties" {
            path.to_owned()
        } else {
            format!("{path}.{field}")
        };
        each_value(below, key, &path, visit);
    }
}

fn schema_of_the_crd() -> Value {
    let schema = api::crds()[0].spec.versions[0].schema.clone();
    let mut schema = serde_json::to_value(schema.unwrap().open_api_v3_schema.unwrap()).unwrap();
    schema["properties"].as_object_mut().unwrap().remove("status");
    schema
}

#[test]
fn every_rule_that_the_crd_states_in_cel_is_checked() {
    let schema = schema_of_the_crd();
    let mut count = 0;
    each_value(&schema, "x-kubernetes-validations", "", &mut |_, rules| {
        for rule in rules.as_array().unwrap() {
            let message = rule["message"].as_str().unwrap();
            let (job, path) = breaking(message).unwrap_or_else(|| panic!("nothing checks: {message}"));
            assert_eq!(paths(&job), [path], "{message}");
            count += 1;
        }
    });
    assert_eq!(count, 8);
}

#[test]
fn every_pattern_of_the_crd_is_checked_by_the_reader() {
    let schema = schema_of_the_crd();
    let mut count = 0;
    each_value(&schema, "pattern", "", &mut |path, _| {
        let spec = match path.trim_start_matches(".spec.") {
            "org" => json!({"org": "-"}),
            "configFrom.key" => json!({"config": null, "configFrom": {"name": "a", "key": "a/b"}}),
            "maxCrawlSize" => json!({"maxCrawlSize": "5 GB"}),
            other => json!({"resources": {other.trim_start_matches("resources."): "5 GB"}}),
        };
        assert_eq!(paths_of(&spec), [path.trim_start_matches('.')]);
        count += 1;
    });
    assert_eq!(count, 6);
}
