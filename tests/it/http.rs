//! The negative space of the HTTP contract, with real bodies through the real router: what must never get 200, what a
//! refusal says, and what it must not say.

mod mutations;
mod sockets;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::Value;

use rollcall::config::Config;
use rollcall::outside::Stores;

use crate::corpus::{Answer, Fixture, Folder, answer_to, app_of, app_with, of, send};

fn router() -> Router {
    app_with(Stores::Disabled)
}

/// A body that gets 200 at `/crawljob/sync`.
pub(crate) fn good() -> &'static Fixture {
    of(Folder::Sync)
        .find(|fixture| fixture.name == "05-all-running")
        .expect("the corpus has it")
}

/// A refusal in the form that every refusal has: nothing in it is worth hiding, because it is copied into a public Event.
fn check_problem(answer: &Answer, what: &str) -> Value {
    assert!(
        answer.status.is_client_error() || answer.status.is_server_error(),
        "{what}: {}",
        answer.status
    );
    assert_eq!(answer.headers["content-type"], "application/problem+json", "{what}");
    let problem = answer.json();
    assert_eq!(problem["status"], answer.status.as_u16(), "{what}");
    let code = problem["code"].as_str().unwrap_or_default();
    assert!(
        !code.is_empty() && code.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'),
        "{what}: {code}"
    );
    let detail = problem["detail"].as_str().unwrap_or_default();
    assert!(!detail.is_empty() && detail.len() <= 512, "{what}: {detail}");
    for secret in [
        "/work",
        "/home",
        "src/",
        ".rs",
        "127.0.0.1",
        "10.244.",
        "example.org",
        "panicked",
    ] {
        assert!(!detail.contains(secret), "{what} tells {secret}: {detail}");
    }
    if matches!(
        answer.status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    ) {
        let seconds = answer.headers["retry-after"]
            .to_str()
            .unwrap()
            .parse::<u32>()
            .expect("whole seconds");
        assert!(seconds >= 1, "{what}: metacontroller reads 0 as a hot loop");
    }
    problem
}

#[tokio::test]
async fn a_broken_body_is_a_problem_and_never_200() {
    let whole = &good().request;
    let truncated = &whole[..whole.len() / 2];
    let no_name = br#"{"controller":{},"parent":{"metadata":{}},"children":{},"related":{},"finalizing":false}"#;
    let nested = vec![b'['; 100_000];
    let cases: [(&str, &[u8]); 9] = [
        ("empty", b""),
        ("blank", b" \n"),
        ("half a body", truncated),
        ("not UTF-8", b"{\"parent\":\"\xff\xfe\"}"),
        ("an array", b"[]"),
        ("null", b"null"),
        ("an empty object", b"{}"),
        ("a parent without a name", no_name),
        ("deep nesting", &nested),
    ];
    for call in ["sync", "finalize", "customize"] {
        for (what, body) in cases {
            let answer = send(router(), &format!("/crawljob/{call}"), body).await;
            check_problem(&answer, &format!("{what} at {call}"));
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{what} at {call}");
        }
    }
}

#[tokio::test]
async fn bytes_behind_a_whole_body_are_no_part_of_it() {
    let mut body = good().request.clone();
    body.extend_from_slice(b"{}");
    let answer = send(router(), "/crawljob/sync", &body).await;
    assert_eq!(check_problem(&answer, "two bodies")["code"], "not-json");
}

#[tokio::test]
async fn an_unknown_path_or_method_is_a_problem() {
    for path in [
        "/",
        "/crawljob",
        "/crawljob/",
        "/crawljob/sync/",
        "/CrawlJob/sync",
        "/unknown/sync",
        "/healthz",
        "/metrics",
    ] {
        let answer = send(router(), path, &good().request).await;
        assert_eq!(check_problem(&answer, path)["status"], 404, "{path}");
    }
    for method in [Method::GET, Method::PUT, Method::DELETE, Method::PATCH] {
        let request = Request::builder()
            .method(&method)
            .uri("/crawljob/sync")
            .body(Body::empty())
            .unwrap();
        let answer = answer_to(router(), request).await;
        assert_eq!(check_problem(&answer, method.as_str())["status"], 405);
    }
}

#[tokio::test]
async fn a_body_at_the_wrong_route_is_refused() {
    let answer = send(router(), "/crawljob/finalize", &good().request).await;
    assert!(check_problem(&answer, "sync at finalize")["code"] == "wrong-route");
    let finalize = of(Folder::Finalize).next().unwrap();
    let answer = send(router(), "/crawljob/sync", &finalize.request).await;
    assert!(check_problem(&answer, "finalize at sync")["code"] == "wrong-route");
}

#[tokio::test]
async fn a_body_over_the_limit_is_413() {
    let fixture = good();
    let mut config = Config::built_in();
    config.server.body_limit = u64::try_from(fixture.request.len()).unwrap();
    let fits = send(
        app_of(config.clone(), Stores::Disabled),
        &fixture.path(),
        &fixture.request,
    )
    .await;
    assert_eq!(fits.status, StatusCode::OK);
    config.server.body_limit -= 1;
    let answer = send(app_of(config, Stores::Disabled), &fixture.path(), &fixture.request).await;
    check_problem(&answer, "too large");
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn too_many_bytes_in_flight_are_503_with_a_time_to_come_back() {
    let fixture = good();
    let mut config = Config::built_in();
    config.server.bytes_in_flight = u64::try_from(fixture.request.len()).unwrap() - 1;
    let answer = send(app_of(config, Stores::Disabled), &fixture.path(), &fixture.request).await;
    check_problem(&answer, "too busy");
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_call_beyond_its_deadline_is_503_with_a_time_to_come_back() {
    let fixture = of(Folder::Sync).find(|fixture| fixture.store.is_some()).unwrap();
    let mut body = fixture.body();
    for (_, pod) in body["children"]["Pod.v1"].as_object_mut().unwrap().iter_mut() {
        pod["status"]["podIP"] = "127.0.0.1".into();
    }
    let mut config = Config::built_in();
    config.crawl.store_port = crate::store::listener::silent();
    config.server.deadline = std::time::Duration::from_millis(50);
    let stores = Stores::Redis(rollcall::outside::redis::RedisStores::new(config.server.store_deadline));
    let answer = send(
        app_of(config, stores),
        &fixture.path(),
        &serde_json::to_vec(&body).unwrap(),
    )
    .await;
    assert_eq!(check_problem(&answer, "deadline")["code"], "deadline");
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_refused_fixture_tells_no_more_than_it_may() {
    for fixture in of(Folder::Reject) {
        check_problem(&fixture.answer().await, &fixture.title());
    }
}
