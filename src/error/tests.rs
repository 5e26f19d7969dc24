//! Every error: its status, its code, and what it must not tell.

use axum::body::to_bytes;
use serde_json::Value;

use super::*;
use crate::request::{ParentKind, Strategy};

fn every_error() -> Vec<(Error, u16)> {
    let needed = ParentKind {
        api_version: "rollcall.dev/v1",
        kind: "CrawlJob",
    };
    vec![
        (RequestFault::NotJson { line: 1, column: 2 }.into(), 400),
        (RequestFault::WrongShape { path: "parent".into() }.into(), 400),
        (RequestFault::WrongParent { needed }.into(), 400),
        (
            RequestFault::MissingChildKind {
                kind: "Pod.v1",
                resource: "pods",
            }
            .into(),
            422,
        ),
        (
            RequestFault::UpdateStrategy {
                resource: "pods",
                found: "InPlace",
                needed: Strategy::OnDelete,
            }
            .into(),
            422,
        ),
        (RequestFault::ServerSideApply.into(), 422),
        (Error::RouteDisagrees { finalizing: true }, 400),
        (Error::BodyBroken, 400),
        (Error::BodyTooLarge { limit: 1 }, 413),
        (Error::BodySlow, 408),
        (Error::Busy, 503),
        (Error::Deadline, 503),
        (Error::NotFound, 404),
        (Error::MethodNotAllowed, 405),
        (Error::NotReady, 503),
        (
            Error::Answer(AnswerFault::Twice {
                kind: "Pod",
                name: "secret-name".into(),
            }),
            500,
        ),
        (Error::Panic, 500),
    ]
}

#[tokio::test]
async fn every_error_is_a_problem_with_its_status_a_code_and_a_sentence() {
    for (error, status) in every_error() {
        let code = error.code();
        let response = error.into_response();
        assert_eq!(response.status(), status, "{code}");
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        let body = to_bytes(response.into_body(), 4096).await.unwrap();
        let problem: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["code"], code);
        assert!(!problem["detail"].as_str().unwrap().is_empty());
        assert!(
            !problem.to_string().contains("secret-name"),
            "a problem becomes a public event"
        );
    }
}

#[test]
fn codes_are_unique() {
    let mut codes: Vec<_> = every_error().iter().map(|(error, _)| error.code()).collect();
    codes.sort_unstable();
    let count = codes.len();
    codes.dedup();
    assert_eq!(codes.len(), count);
}

#[test]
fn what_passes_by_itself_says_when_to_come_back_in_whole_seconds() {
    for (error, status) in every_error() {
        let code = error.code();
        let response = error.into_response();
        let seconds = response
            .headers()
            .get("retry-after")
            .map(|value| value.to_str().unwrap().parse::<u32>().unwrap());
        assert_eq!(seconds.is_some(), matches!(status, 408 | 429 | 503), "{code}");
        assert!(seconds.is_none_or(|seconds| seconds >= 1));
    }
}
