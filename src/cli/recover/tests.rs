//! Registers as kubectl prints them, and what becomes of each.

use serde_json::json;

use super::*;

const STATE: &str = r#"{"started":true,"files":{"lines":0,"count":0,"bytes":0}}"#;
const OVER: &str = r#"{"started":true,"files":{"lines":0,"count":0,"bytes":0},"result":"complete"}"#;

fn job() -> Value {
    json!({
        "apiVersion": "rollcall.dev/v1",
        "kind": "CrawlJob",
        "metadata": {"name": "news", "namespace": "crawls", "labels": {"team": "yes"}},
        "spec": {"selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}, "config": {"limit": 5, "note": "on"}}
    })
}

fn register(job: Option<&Value>, state: &str, owners: &Value) -> Value {
    let mut data = json!({"state.json": state, "files.jsonl": ""});
    if let Some(job) = job {
        data["job"] = job.to_string().into();
    }
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "crawl-register-news", "namespace": "crawls", "uid": "u", "resourceVersion": "7",
            "labels": {"rollcall.dev/role": "register"}, "ownerReferences": owners
        },
        "data": data
    })
}

fn anchored() -> Value {
    json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "rollcall-anchor", "uid": "a"}])
}

fn owned() -> Value {
    json!([{"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob", "name": "news", "uid": "n", "controller": true}])
}

fn args() -> Args {
    Args {
        registers: None,
        jobs: None,
        all: false,
        finished: false,
    }
}

fn fate_of(register: &Value, existing: Option<&Value>, args: &Args) -> Fate {
    let registers = list::registers(register.to_string().as_bytes()).unwrap();
    let existing = existing.map(|jobs| list::jobs(jobs.to_string().as_bytes()).unwrap());
    fate(&registers[0], existing.as_ref(), args)
}

fn problem(fate: Fate) -> String {
    match fate {
        Fate::Unusable(problem) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_whose_owner_reference_is_gone_comes_back_without_server_fields() {
    let mut kept = job();
    kept["status"] = json!({"state": "running"});
    kept["metadata"]["uid"] = "u".into();
    kept["metadata"]["resourceVersion"] = "1".into();
    kept["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
    let gone = register(Some(&kept), STATE, &anchored());
    assert_eq!(fate_of(&gone, None, &args()), Fate::Recovered(job()));
    assert_eq!(
        fate_of(&register(Some(&job()), STATE, &Value::Null), None, &args()),
        Fate::Recovered(job())
    );
}

#[test]
fn a_job_whose_owner_reference_is_there_is_printed_only_on_demand() {
    let there = register(Some(&job()), STATE, &owned());
    assert_eq!(fate_of(&there, None, &args()), Fate::Exists);
    assert_eq!(
        fate_of(&there, None, &Args { all: true, ..args() }),
        Fate::Recovered(job())
    );
}

#[test]
fn a_list_of_jobs_beats_the_owner_references() {
    let there = register(Some(&job()), STATE, &owned());
    let none = json!({"kind": "List", "items": []});
    assert_eq!(fate_of(&there, Some(&none), &args()), Fate::Recovered(job()));
    let gone = register(Some(&job()), STATE, &anchored());
    let some = json!({"kind": "CrawlJobList", "items": [job()]});
    assert_eq!(fate_of(&gone, Some(&some), &args()), Fate::Exists);
    let mut elsewhere = job();
    elsewhere["metadata"]["namespace"] = "other".into();
    assert_eq!(fate_of(&gone, Some(&elsewhere), &args()), Fate::Recovered(job()));
}

#[test]
fn a_job_that_is_over_is_printed_only_on_demand() {
    let over = register(Some(&job()), OVER, &anchored());
    assert_eq!(fate_of(&over, None, &args()), Fate::Over);
    assert_eq!(
        fate_of(
            &over,
            None,
            &Args {
                finished: true,
                ..args()
            }
        ),
        Fate::Recovered(job())
    );
}

#[test]
fn what_can_not_be_recovered_is_named_with_what_to_do() {
    let with = |job: Option<&Value>| problem(fate_of(&register(job, STATE, &anchored()), None, &args()));
    assert!(with(None).contains("apply your own manifest of the CrawlJob news"));
    assert!(with(Some(&json!({"kind": "Pod"}))).contains("no CrawlJob"));
    let mut other = job();
    other["metadata"]["name"] = "blog".into();
    assert!(with(Some(&other)).contains("another name"));
    let mut bare = job();
    bare["spec"] = Value::Null;
    assert!(with(Some(&bare)).contains("without spec"));
    let unreadable = register(Some(&job()), "{", &anchored());
    assert!(problem(fate_of(&unreadable, None, &args())).contains("--finished"));
    assert_eq!(
        fate_of(
            &unreadable,
            None,
            &Args {
                finished: true,
                ..args()
            }
        ),
        Fate::Recovered(job())
    );
}

#[test]
fn a_register_restored_elsewhere_recovers_its_job_there() {
    let mut moved = register(Some(&job()), STATE, &Value::Null);
    moved["metadata"]["namespace"] = "restored".into();
    let Fate::Recovered(job) = fate_of(&moved, None, &args()) else {
        panic!("not recovered");
    };
    assert_eq!(job["metadata"]["namespace"], "restored");
}

#[test]
fn what_is_no_output_of_kubectl_is_wrong_usage() {
    for input in [
        "",
        "[]",
        r#"{"kind": "List"}"#,
        r#"{"kind": "List", "items": [{"kind": "Pod"}]}"#,
    ] {
        assert!(
            list::registers(input.as_bytes())
                .unwrap_err()
                .contains("kubectl get cm"),
            "{input}"
        );
    }
    let other =
        json!({"kind": "ConfigMapList", "items": [{"kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt"}}]});
    assert_eq!(list::registers(other.to_string().as_bytes()).unwrap(), []);
}

#[test]
fn yaml_gives_every_text_back_also_to_readers_of_older_yaml() {
    let mut tricky = job();
    for text in [
        "yes",
        "no",
        "on",
        "y",
        "~",
        "null",
        "1e3",
        "0x1f",
        "012",
        "1_000",
        "12:30:45",
        "2026-11-30",
        "",
        " a ",
        "a: b #c",
        "a\nb\n",
        "\u{7f}",
        "- x",
        "'",
        "\"",
        "=",
        "<<",
    ] {
        tricky["spec"]["config"] = json!({"text": text, text: 1, "list": [text]});
        let yaml = job::yaml(&tricky).unwrap();
        assert_eq!(serde_saphyr::from_str::<Value>(&yaml).unwrap(), tricky, "{yaml}");
    }
    let yaml = job::yaml(&job()).unwrap();
    assert!(yaml.contains("note: \"on\"") || yaml.contains("note: 'on'"), "{yaml}");
    assert!(!yaml.starts_with("---") && yaml.ends_with('\n'), "{yaml}");
}
