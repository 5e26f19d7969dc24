//! One body in, an account out, without a store.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::request::sample::{by_name, call};

fn explained(body: &[u8], json: bool) -> (Outcome, String) {
    // Tests run side by side, so each call has a file of its own.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("rollcall-explain-{}-{call}", std::process::id()));
    std::fs::write(&file, body).unwrap();
    let args = Args {
        file: Some(file.clone()),
        store: None,
        store_file: None,
        now: Some("2026-11-30T13:00:00Z".parse().unwrap()),
        config: None,
        json,
    };
    let mut out = Vec::new();
    let outcome = run(&args, &mut out).unwrap();
    std::fs::remove_file(&file).unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[test]
fn a_new_job_is_told_what_would_be_made() {
    let (outcome, text) = explained(call().to_string().as_bytes(), false);
    assert_eq!(outcome, Outcome::Fine);
    assert!(
        text.starts_with("CrawlJob crawls/news, sync at 2026-11-30T13:00:00Z\n\nKIND"),
        "{text}"
    );
    assert!(text.contains("ConfigMap  crawl-register-news  make"), "{text}");
    assert!(text.contains("not asked: there is no Redis pod"), "{text}");
    assert!(text.contains("Nothing would be written to the store."), "{text}");
}

#[test]
fn the_json_says_the_same_and_leaves_out_what_does_not_apply() {
    let (_, text) = explained(call().to_string().as_bytes(), true);
    let account: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(account["job"], json!({"namespace": "crawls", "name": "news"}));
    assert_eq!(account["call"], "sync");
    assert_eq!(account["store"], "no-pod");
    assert_eq!(account["storeWrites"], json!([]));
    assert!(
        account["children"]
            .as_array()
            .unwrap()
            .iter()
            .any(|child| child["verdict"] == "make")
    );
    for absent in ["stopReason", "finalized"] {
        assert!(account.get(absent).is_none(), "{absent}");
    }
}

#[test]
fn a_refused_body_gets_the_code_and_sentence_of_the_service() {
    let mut body = call();
    body["controller"]["spec"]["childResources"][0]["updateStrategy"]["method"] = "Recreate".into();
    let refusal = read(body.to_string().as_bytes(), u64::MAX).unwrap_err();
    let (outcome, text) = explained(body.to_string().as_bytes(), false);
    assert_eq!(outcome, Outcome::Found);
    assert_eq!(text, format!("refused with 422 update-strategy: {refusal}\n"));
    let (_, text) = explained(body.to_string().as_bytes(), true);
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap()["detail"],
        refusal.to_string()
    );
    assert_eq!(read(b"{}", 1).unwrap_err().code(), "body-too-large");
}

#[test]
fn a_name_can_not_move_the_cursor() {
    let mut body = call();
    body["children"]["ConfigMap.v1"] = by_name(&[json!({"metadata": {"name": "a\u{1b}[2J", "namespace": "crawls"}})]);
    let (_, text) = explained(body.to_string().as_bytes(), false);
    assert!(text.contains("  a\\u{1b}[2J  "), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_store_is_named_by_scheme_host_and_port_alone() {
    for good in ["redis://127.0.0.1:6379", "redis://localhost/", "redis://[::1]:1"] {
        assert!(good.parse::<Url>().is_ok(), "{good}");
    }
    for bad in [
        "127.0.0.1:6379",
        "http://a:1",
        "redis://u:p@a:1",
        "redis://a:1/2",
        "redis://",
        "",
    ] {
        assert!(bad.parse::<Url>().is_err(), "{bad}");
    }
}
