//! The commands that look and repair, as processes: what they print and how they end.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::corpus::{Folder, NOW, of, root};

/// Runs the binary in the repository with `input` as its standard input.
fn rollcall(arguments: &[&str], input: &[u8]) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_rollcall"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = process.stdin.take().expect("standard input is piped");
    // A process that refuses its arguments reads nothing.
    let _ = stdin.write_all(input);
    drop(stdin);
    process.wait_with_output().expect("the process ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

fn explain(fixture: &str, more: &[&str]) -> Output {
    let request = format!("hooks/crawljob/{fixture}.request.json");
    rollcall(&[&["explain", &request, "--now", NOW], more].concat(), b"")
}

#[test]
fn explain_shows_every_child_with_its_rule_and_the_state() {
    let fixture = "sync/09-evicted-with-register";
    let store = format!("hooks/crawljob/{fixture}.store.json");
    let output = explain(fixture, &["--store-file", &store]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines: Vec<Vec<&str>> = text(&output.stdout)
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(lines.contains(&vec!["KIND", "NAME", "VERDICT", "RULE", "REASON"]));
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with(&["Pod", "crawl-news-2", "call", "back", "O5"])),
        "{lines:?}"
    );
    assert!(lines.contains(&vec!["state", "running"]));
    assert!(lines.contains(&vec!["store", "was", "read"]));
    assert!(lines.iter().any(|line| line.starts_with(&["StoreReachable", "True"])));
}

/// The state and the wake-up are those of the recorded answers, for bodies of both hook versions.
#[test]
fn explain_says_of_every_recorded_sync_what_was_answered() {
    let all: Vec<_> = of(Folder::Sync).chain(of(Folder::Finalize)).collect();
    for fixture in all
        .iter()
        .filter(|fixture| fixture.name.ends_with("-v1") || fixture.name.ends_with("blog-with-register"))
    {
        let name = format!("{}/{}", fixture.folder.name(), fixture.name);
        let twins = [("--store-file", "store.json"), ("--config", "config.yaml")];
        let twins = twins.map(|(option, ending)| (option, format!("hooks/crawljob/{name}.{ending}")));
        let mut more = vec!["--json"];
        for (option, twin) in twins.iter().filter(|(_, twin)| root().join(twin).exists()) {
            more.extend([*option, twin]);
        }
        let output = explain(&name, &more);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let answer: Value = serde_json::from_slice(&std::fs::read(&fixture.response).unwrap()).unwrap();
        assert_eq!(said["state"], answer["status"]["state"], "{name}");
        assert_eq!(said["conditions"], answer["status"]["conditions"], "{name}");
        assert_eq!(said.get("finalized"), answer.get("finalized"), "{name}");
        let children = said["children"].as_array().unwrap().iter();
        let stay = children
            .filter(|child| child["verdict"] == "keep" || child["verdict"] == "make")
            .count();
        assert_eq!(stay, answer["children"].as_array().unwrap().len(), "{name}");
    }
}

#[test]
fn explain_refuses_with_the_code_of_the_service_and_1() {
    for fixture in of(Folder::Reject) {
        let twin: Value = serde_json::from_slice(&std::fs::read(&fixture.response).unwrap()).unwrap();
        let output = rollcall(&["explain", "--json"], &fixture.request);
        assert_eq!(output.status.code(), Some(1), "{}", fixture.title());
        let problem: Value = serde_json::from_slice(&output.stdout).expect("a problem document");
        assert_eq!(
            (&problem["code"], &problem["status"]),
            (&twin["code"], &twin["status"]),
            "{}",
            fixture.title()
        );
    }
}

/// The children of a recorded call as `kubectl get -o json` would show them, without an owner that is gone.
fn registers_of(fixture: &str) -> Value {
    let body = std::fs::read(root().join(format!("hooks/crawljob/{fixture}.request.json"))).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let maps = body["children"]["ConfigMap.v1"].as_object().unwrap().values();
    let items: Vec<Value> = maps
        .filter(|map| map["metadata"]["labels"]["rollcall.dev/role"] == "register")
        .cloned()
        .map(|mut map| {
            let owners = map["metadata"]["ownerReferences"].as_array_mut().unwrap();
            owners.retain(|owner| owner["kind"] != "CrawlJob");
            map["kind"] = "ConfigMap".into();
            map
        })
        .collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

#[test]
fn recover_prints_a_job_that_check_finds_fine() {
    let registers = registers_of("sync/21-all-running-blog-with-register");
    let recovered = rollcall(&["recover"], registers.to_string().as_bytes());
    assert_eq!(recovered.status.code(), Some(0), "{}", text(&recovered.stderr));
    let yaml = text(&recovered.stdout);
    assert!(
        yaml.starts_with("---\napiVersion: rollcall.dev/v1\nkind: CrawlJob\n"),
        "{yaml}"
    );
    for line in ["  name: blog", "  namespace: crawls"] {
        assert!(yaml.lines().any(|it| it == line), "{yaml}");
    }
    for field in ["status:", "uid:", "resourceVersion:", "managedFields:"] {
        assert!(!yaml.contains(field), "{yaml}");
    }
    let checked = rollcall(&["check", "-"], &recovered.stdout);
    // The recorded job has a field that the CRD prunes; nothing else is said but the sum.
    let lines = text(&checked.stdout)
        .lines()
        .filter(|line| !line.contains("ttlSecondsAfterFinished"))
        .count();
    assert_eq!(lines, 1, "{}", text(&checked.stdout));
}

#[test]
fn recover_names_what_it_can_not_read_and_ends_with_1() {
    let mut registers = registers_of("sync/21-all-running-blog-with-register");
    registers["items"][0]["data"].as_object_mut().unwrap().remove("job");
    let output = rollcall(&["recover"], registers.to_string().as_bytes());
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
    assert!(text(&output.stderr).contains("crawls/crawl-register-blog: it has no key job"));
}

#[test]
fn check_names_every_problem_and_ends_with_1() {
    let fine = rollcall(&["check", "hooks/crawljob/parent.yaml"], b"");
    assert_eq!(fine.status.code(), Some(0));
    assert_eq!(
        text(&fine.stdout),
        "checked the configuration and 1 CrawlJob in 1 file: 0 problems\n"
    );
    let wrong =
        std::fs::read_to_string(root().join("hooks/crawljob/parent.yaml")).unwrap() + "  scale: -1\n  seeds: []\n";
    let found = rollcall(&["check", "-"], wrong.as_bytes());
    assert_eq!(found.status.code(), Some(1));
    assert!(
        text(&found.stdout).starts_with("-: spec.scale: it is -1; write 0 or more\n-: spec.seeds: it is unknown"),
        "{}",
        text(&found.stdout)
    );
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &["explain", "nowhere.json"][..],
        &["explain", "--store", "http://a"],
        &["explain", "--now", "today"],
        &["recover"],
        &["check", "nowhere.yaml"],
        &["check", "--config", "nowhere.yaml"],
    ] {
        let output = rollcall(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_rollcall"))
        .arg("crds")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(process.stdout.take());
    let output = process.wait_with_output().expect("the process ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}
