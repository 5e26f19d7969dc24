//! The webhook as the caller's code treats it: overload, caching, strict decoding, customize and large bodies.

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::{Value, json};

use rollcall::config::Config;
use rollcall::outside::Stores;
use rollcall::sim::metacontroller::answer::decode;
use rollcall::sim::metacontroller::related;
use rollcall::sim::metacontroller::retry::{Verdict, classify};

use super::call::Call;
use super::states::running;
use crate::corpus::{Answer, NOW, answer_to, app_of, send};

fn bytes(call: &Call) -> Vec<u8> {
    serde_json::to_vec(&call.body).expect("a body can be written")
}

/// Back-pressure without a readable time to come back turned into a hot loop.
#[tokio::test]
async fn b18_a_hook_that_has_too_much_to_do_never_asks_for_a_hot_loop() {
    let mut config = Config::built_in();
    config.server.bytes_in_flight = 10;
    let answer = send(
        app_of(config, Stores::Disabled),
        "/crawljob/sync",
        &bytes(&Call::at_work(1)),
    )
    .await;
    assert!([429, 503].contains(&answer.status.as_u16()), "{}", answer.status);
    let wait = answer.headers["retry-after"].to_str().expect("text");
    assert!(
        wait.parse::<u32>().is_ok_and(|seconds| seconds >= 1),
        "{wait}: whole seconds"
    );
    match classify(answer.status.as_u16(), Some(wait), NOW.parse().expect("a time")) {
        Verdict::BackOff => {}
        Verdict::After(wait) => assert!(wait.as_secs() >= 1, "{wait:?}"),
        Verdict::Decode => panic!("an overload is no answer"),
    }
}

async fn with_tag(call: &Call, tag: Option<&str>) -> Answer {
    let mut request = Request::post("/crawljob/sync").header(header::CONTENT_TYPE, "application/json");
    if let Some(tag) = tag {
        request = request.header(header::IF_NONE_MATCH, tag);
    }
    let request = request.body(Body::from(bytes(call))).expect("a request can be built");
    answer_to(app_of(Config::built_in(), Stores::Disabled), request).await
}

/// An answer that was kept under a tag fitted another parent of the same name, or older children.
#[tokio::test]
async fn b19_no_answer_is_tagged_and_every_call_is_answered_anew() {
    let call = Call::at_work(1);
    let first = with_tag(&call, None).await;
    for name in ["etag", "last-modified", "cache-control", "expires"] {
        assert!(first.headers.get(name).is_none(), "{name}");
    }
    let changed = call.clone().crawler(0, json!({"phase": "Failed"}));
    let owned = json!([{"kind": "CrawlJob", "uid": "uid-of-news", "controller": true}]);
    let call = call.edit("Pod", "crawl-news-0", |pod| pod["metadata"]["ownerReferences"] = owned);
    let first = with_tag(&call, None).await;
    let reborn = call.clone().meta("uid", "another");
    for tag in ["*", "\"0\"", "W/\"0\""] {
        assert_eq!(with_tag(&call, Some(tag)).await.status, 200, "{tag}");
        for other in [&changed, &reborn] {
            let answer = with_tag(other, Some(tag)).await;
            assert_eq!(answer.status, 200, "{tag}");
            assert_ne!(answer.bytes, first.bytes, "{tag}: a pod, or its owner, is another one");
        }
    }
}

/// One field too many, or of another type, refuses the whole answer.
#[tokio::test]
async fn b20_answers_have_the_known_fields_in_the_known_types() {
    let calls = [
        Call::new(),
        Call::at_work(2),
        Call::at_work(1).finalizing(),
        Call::new().finalizing(),
        Call::at_work(1).spec("scale", "x"),
        Call::at_work(1).register(json!({"result": "failed"})),
        Call::at_work(1).meta("finalizers", json!(["orphan"])),
    ];
    for call in calls {
        let seen = call.ask().await;
        decode(&seen.bytes).expect("it is decoded strictly");
        let fields: Vec<&str> = seen
            .answer
            .as_object()
            .expect("an object")
            .keys()
            .map(String::as_str)
            .collect();
        assert!(
            fields
                .iter()
                .all(|field| ["status", "children", "resyncAfterSeconds", "finalized"].contains(field)),
            "{fields:?}"
        );
        assert!(seen.answer["status"].is_object() && seen.answer["children"].is_array());
        let wake = &seen.answer["resyncAfterSeconds"];
        assert!(
            seen.answer.get("resyncAfterSeconds").is_none() || wake.as_u64() > Some(0),
            "{wake}"
        );
        assert!(seen.answer.get("finalized").is_none() || seen.answer["finalized"].is_boolean());
        assert_eq!(
            seen.answer.get("finalized").is_some(),
            call.body["finalizing"] == true,
            "said in finalize only"
        );
    }
    let rules = customize(&Call::new()).await;
    related::decode(&rules.bytes).expect("it is decoded strictly");
    assert_eq!(
        rules.json().as_object().expect("an object").keys().collect::<Vec<_>>(),
        ["relatedResources"]
    );
}

async fn customize(call: &Call) -> Answer {
    let body = json!({"controller": call.body["controller"], "parent": call.body["parent"]});
    let body = serde_json::to_vec(&body).expect("a body can be written");
    let answer = send(
        app_of(call.config.clone(), Stores::Disabled),
        "/crawljob/customize",
        &body,
    )
    .await;
    assert_eq!(answer.status, 200);
    answer
}

fn of_an_org() -> Call {
    let mut call = Call::new().spec("org", "acme");
    call.config.crawl.max_concurrent = 3;
    call
}

/// The rules are kept for a generation: what depends on anything else grows stale.
#[tokio::test]
async fn b21_the_rules_depend_on_spec_and_identity_alone() {
    for call in [Call::new(), of_an_org()] {
        let first = customize(&call).await.bytes;
        let others = [
            call.clone().status(json!({"state": "complete", "pods": {"0": {}}})),
            call.clone().meta("labels", json!({"a": "b"})),
            call.clone().meta("annotations", json!({"a": "b"})),
            call.clone().meta("resourceVersion", "9"),
            call.clone().meta("creationTimestamp", "2020-01-01T00:00:00Z"),
            call.clone().finalizing(),
        ];
        for other in others {
            assert_eq!(customize(&other).await.bytes, first);
        }
    }
    assert_ne!(
        customize(&Call::new()).await.bytes,
        customize(&of_an_org()).await.bytes,
        "the org is of the spec"
    );
}

/// One rule that makes no sense stops the parent, and an empty selector selects everything.
#[tokio::test]
async fn b22_a_rule_whose_key_is_missing_is_left_out() {
    let mut without_anchor = of_an_org();
    without_anchor.config.crawl.anchor = None;
    let mut nothing = Call::new();
    nothing.config.crawl.anchor = None;
    let odd_spec = [
        json!({}),
        Value::Null,
        json!("x"),
        json!({"org": ""}),
        json!({"org": null}),
    ];
    let odd = odd_spec.into_iter().map(|spec| {
        let mut call = of_an_org();
        call.body["parent"]["spec"] = spec;
        call
    });
    let calls = [
        Call::new(),
        of_an_org(),
        without_anchor,
        of_an_org().spec("org", ""),
        Call::new().spec("org", "acme"),
    ];
    for call in calls.into_iter().chain(odd) {
        let answer = customize(&call).await.json();
        for rule in answer["relatedResources"].as_array().expect("a list") {
            let names = rule["names"].as_array().map_or(0, Vec::len);
            let labels = rule["labelSelector"]["matchLabels"].as_object().into_iter().flatten();
            let labels = labels
                .filter(|(_, value)| value.as_str().is_some_and(|value| !value.is_empty()))
                .count();
            assert!((names > 0) != (labels > 1), "names or a selector: {rule}");
            assert_eq!(
                (rule.get("namespaceSelector"), rule["namespace"].as_str()),
                (None, Some("crawls")),
                "{rule}"
            );
        }
    }
    assert_eq!(customize(&nothing).await.json(), json!({"relatedResources": []}));
}

/// Many pods with all the text that the server keeps about them were over a framework's limit: refused for ever, and only
/// for large crawls.
#[tokio::test]
async fn b25_a_large_call_is_answered_and_a_boundless_one_refused() {
    let text = "x".repeat(25_000);
    let mut call = Call::at_work(1).spec("scale", 200);
    for index in 0..200 {
        call = call
            .crawler(index, running())
            .edit("Pod", &format!("crawl-news-{index}"), |pod| {
                pod["metadata"]["managedFields"] =
                    json!([{"manager": "kubelet", "operation": "Update", "fieldsV1": {"f:text": text}}]);
            });
    }
    let size = bytes(&call).len();
    assert!(size > 5_000_000, "{size}");
    let seen = call.send().await;
    assert_eq!((seen.state(), seen.leaves_out().as_str()), ("running", ""));
    let mut small = Config::built_in();
    assert!(
        (32 << 20..=256 << 20).contains(&small.server.body_limit),
        "tens of megabytes, and an end"
    );
    small.server.body_limit = 1_000_000;
    let answer = send(app_of(small, Stores::Disabled), "/crawljob/sync", &bytes(&call)).await;
    assert_eq!(answer.status, 413);
}
