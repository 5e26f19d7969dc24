//! Calls with parts missing, null or of another type: unknown is answered like unset, and what can't be read is named.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;

/// Arithmetic on a value that is not there yet, or a group that is missing, threw in the whole call.
#[tokio::test]
async fn a22_the_first_call_is_answered_in_full_whatever_is_missing() {
    for status in [
        None,
        Some(Value::Null),
        Some(json!({})),
        Some(json!("garbage")),
        Some(json!([])),
        Some(json!({"pods": {"9": null}, "state": 1})),
    ] {
        for related in [
            None,
            Some(Value::Null),
            Some(json!({})),
            Some(json!({"Other.v1": {"x": {}}})),
        ] {
            let mut call = Call::new().spec("timeout", 3600);
            let body = call.body.as_object_mut().expect("a body");
            body.remove("related");
            if let Some(related) = &related {
                body.insert("related".to_owned(), related.clone());
            }
            if let Some(status) = &status {
                call = call.status(status.clone());
            }
            let seen = call.ask().await;
            // The design makes the pods once the register is seen (D8).
            assert_eq!(
                seen.lists(),
                "CM/crawl-config-news CM/crawl-register-news",
                "{status:?} {related:?}"
            );
            let seen = seen.next().ask().await;
            assert_eq!(
                seen.makes(),
                "PVC/crawl-news-0 Pod/crawl-news-0",
                "{status:?} {related:?}"
            );
        }
    }
    let kept = Kept::marked()
        .size(3, 700)
        .size(9, 1)
        .field("news:size", "a stranger", "5")
        .entry(0, "running");
    let seen = Call::at_work(1).spec("timeout", 3600).kept(kept).ask().await;
    assert_eq!(
        (seen.state(), seen.status("/sizePending")),
        ("running", json!(701)),
        "sizes of pods that no status knows"
    );
    for field in [
        "labels",
        "annotations",
        "finalizers",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
    ] {
        let seen = Call::at_work(1).meta(field, Value::Null).ask().await;
        assert_eq!((seen.state(), seen.leaves_out().as_str()), ("running", ""), "{field}");
    }
}

/// `null` where a number is expected broke the reconcile.
#[tokio::test]
async fn a31_null_is_unset() {
    let fields = [
        "timeout",
        "maxCrawlSize",
        "scale",
        "workers",
        "crawlerChannel",
        "stopping",
        "pausedAt",
        "restartTime",
        "org",
        "userId",
        "profileFilename",
        "saveProfile",
        "proxy",
        "warcPrefix",
        "extraArgs",
        "env",
        "ephemeral",
        "resources",
        "priority",
        "configFrom",
    ];
    let plain = Call::at_work(1).ask().await;
    for field in fields {
        let seen = Call::at_work(1).spec(field, Value::Null).ask().await;
        assert_eq!(
            (seen.condition("SpecValid"), seen.state()),
            ("True", "running"),
            "{field}"
        );
        assert_eq!(
            (seen.leaves_out(), seen.makes()),
            (plain.leaves_out(), plain.makes()),
            "{field}"
        );
        assert_eq!(seen.status("/stopReason"), Value::Null, "{field}");
    }
    for zero in [json!(0), json!("0"), json!("")] {
        let seen = Call::at_work(1).spec("maxCrawlSize", zero.clone()).ask().await;
        assert_eq!(
            (seen.status("/stopReason"), seen.condition("SpecValid")),
            (Value::Null, "True"),
            "{zero}"
        );
    }
    assert_eq!(
        Call::at_work(1).spec("timeout", 0).ask().await.status("/stopReason"),
        Value::Null
    );
}

/// A text where a boolean is meant broke the reconcile.
#[tokio::test]
async fn a31_what_can_not_be_read_is_named() {
    let unreadable = [
        ("stopping", json!("1")),
        ("stopping", json!("")),
        ("stopping", json!(1)),
        ("ephemeral", json!("true")),
        ("saveProfile", json!("0")),
        ("scale", json!("2")),
        ("scale", json!(-1)),
        ("scale", json!(1.5)),
        ("timeout", json!("3600")),
        ("maxCrawlSize", json!("much")),
        ("workers", json!(0)),
        ("pausedAt", json!(5)),
        ("env", json!([])),
        ("priority", json!("urgent")),
        ("crawlerChannel", json!("none such")),
    ];
    for (field, value) in unreadable {
        let seen = Call::at_work(1).spec(field, value.clone()).ask().await;
        assert_eq!(
            (
                seen.condition("SpecValid"),
                seen.leaves_out().as_str(),
                seen.makes().as_str()
            ),
            ("False", "", ""),
            "{field} {value}"
        );
        assert!(
            seen.message("SpecValid").contains(field),
            "{field}: {}",
            seen.message("SpecValid")
        );
        assert_eq!(
            (seen.state(), seen.condition("Failed")),
            ("running", "False"),
            "{field} {value}"
        );
    }
}
