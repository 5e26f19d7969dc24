//! The HTTP surface with a toy hook: limits, deadlines, refusals and the admin side.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use serde_json::Value;
use tower::ServiceExt;

use super::*;
use crate::flow::tests::{Toy, ToyPolicy, toy_body, toy_shell};

/// The toy keeps no policy in the configuration.
fn no_policy(_: &Config) -> &ToyPolicy {
    static POLICY: std::sync::OnceLock<ToyPolicy> = std::sync::OnceLock::new();
    POLICY.get_or_init(crate::flow::tests::toy_policy)
}

fn state(change: impl FnOnce(&mut crate::config::ServerConfig)) -> State {
    let mut config = Config::built_in();
    change(&mut config.server);
    State::new(config, toy_shell())
}

fn toy_app(state: State) -> Router {
    finish(mount::<Toy>(Router::new(), no_policy), state)
}

fn request(method: &str, path: &str, body: impl Into<Body>) -> Request {
    Request::builder().method(method).uri(path).body(body.into()).unwrap()
}

async fn send(app: Router, request: Request) -> (u16, axum::http::HeaderMap, Value) {
    let (head, body) = app.oneshot(request).await.unwrap().into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    (
        head.status.as_u16(),
        head.headers,
        serde_json::from_slice(&body).unwrap_or(Value::Null),
    )
}

async fn post_to(state: State, path: &str, body: impl Into<Body>) -> (u16, axum::http::HeaderMap, Value) {
    send(toy_app(state), request("POST", path, body)).await
}

/// A body of unannounced length; `wait` never ends it.
fn streamed(chunks: Vec<&'static [u8]>, wait: bool) -> Body {
    use futures_util::stream::{self, StreamExt};
    let chunks = stream::iter(chunks).map(|chunk| Ok::<_, std::io::Error>(Bytes::from_static(chunk)));
    if wait {
        Body::from_stream(chunks.chain(stream::pending()))
    } else {
        Body::from_stream(chunks)
    }
}

#[tokio::test]
async fn every_call_of_a_hook_has_its_path() {
    for (path, finalizing) in [("/toy/sync", false), ("/toy/finalize", true), ("/toy/customize", false)] {
        let (status, headers, _) = post_to(state(|_| ()), path, toy_body("fine", finalizing)).await;
        assert_eq!(status, 200, "{path}");
        assert_eq!(headers["content-type"], "application/json");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let (status, _, problem) = post_to(state(|_| ()), "/other/sync", "{}").await;
    assert_eq!((status, &problem["code"]), (404, &"not-found".into()));
    let (status, headers, problem) = send(toy_app(state(|_| ())), request("GET", "/toy/sync", "")).await;
    assert_eq!((status, &problem["code"]), (405, &"method-not-allowed".into()));
    assert_eq!(headers["allow"], "POST");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_announced_or_not() {
    let small = |server: &mut crate::config::ServerConfig| server.body_limit = 10;
    let (status, headers, _) = post_to(state(small), "/toy/sync", "12345678901").await;
    assert_eq!(
        (status, &headers["connection"]),
        (413, &HeaderValue::from_static("close"))
    );
    let (status, ..) = post_to(state(small), "/toy/sync", streamed(vec![b"123456", b"78901"], false)).await;
    assert_eq!(status, 413);
    let (status, _, problem) = post_to(state(small), "/toy/sync", streamed(vec![b"{\"a\"", b":1}"], false)).await;
    assert_eq!((status, &problem["code"]), (400, &"wrong-shape".into()));
}

#[tokio::test]
async fn bytes_in_flight_are_limited_and_given_back() {
    let state = state(|server| server.bytes_in_flight = 400);
    let held = state.0.bytes_in_flight.try_acquire_many(300).unwrap();
    for body in [Body::from(toy_body("fine", false)), streamed(vec![&[b' '; 200]], false)] {
        let (status, headers, _) = post_to(state.clone(), "/toy/sync", body).await;
        assert_eq!((status, &headers["retry-after"]), (503, &HeaderValue::from_static("1")));
    }
    drop(held);
    let (status, ..) = post_to(state.clone(), "/toy/sync", toy_body("fine", false)).await;
    assert_eq!((status, state.0.bytes_in_flight.available_permits()), (200, 400));
}

#[tokio::test(start_paused = true)]
async fn a_body_without_progress_ends_after_five_seconds() {
    let start = Instant::now();
    let (status, headers, _) = post_to(state(|_| ()), "/toy/sync", streamed(vec![b"{"], true)).await;
    assert_eq!((status, start.elapsed().as_secs()), (408, 5));
    assert!(headers.contains_key("retry-after"));
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline() {
    let start = Instant::now();
    let (status, headers, problem) = post_to(state(|_| ()), "/toy/sync", toy_body("slow", false)).await;
    assert_eq!((status, &problem["code"]), (503, &"deadline".into()));
    assert!(headers.contains_key("retry-after"));
    assert!(start.elapsed() < Duration::from_secs(9));
}

#[tokio::test]
async fn a_bug_in_one_decision_is_a_500_and_the_next_call_is_answered() {
    let state = state(|_| ());
    let (status, _, problem) = post_to(state.clone(), "/toy/sync", toy_body("bug", false)).await;
    assert_eq!((status, &problem["code"]), (500, &"bug".into()));
    let (status, ..) = post_to(state.clone(), "/toy/customize", toy_body("fine", false)).await;
    assert_eq!(status, 200);
    assert_eq!(state.0.bytes_in_flight.available_permits(), 256 << 20);
}

#[tokio::test]
async fn the_admin_surface_says_alive_ready_and_counts() {
    let state = state(|_| ());
    post_to(state.clone(), "/toy/sync", toy_body("fine", false)).await;
    let get = async |path: &str| {
        let (head, body) = admin(state.clone())
            .oneshot(request("GET", path, ""))
            .await
            .unwrap()
            .into_parts();
        (
            head.status.as_u16(),
            String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap(),
        )
    };
    assert_eq!(get("/healthz").await.0, 200);
    assert_eq!(get("/readyz").await.0, 200);
    let (status, text) = get("/metrics").await;
    assert!(status == 200 && text.contains(r#"rollcall_requests_total{hook="toy",call="sync",status="200"} 1"#));
    state.set_ready(false);
    assert_eq!(get("/readyz").await.0, 503);
    assert_eq!(get("/healthz").await.0, 200);
    assert_eq!(get("/toy/sync").await.0, 404);
}
