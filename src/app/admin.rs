//! The admin surface: alive, ready, counted. It is on an address of its own and never shows a job.

use axum::Router;
use axum::extract::State as Extract;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::State;
use crate::error::Error;

/// `GET /healthz`, `/readyz`, `/metrics`.
pub fn admin(state: State) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .fallback(|| async { Error::NotFound })
        .method_not_allowed_fallback(|| async { Error::MethodNotAllowed })
        .with_state(state)
}

async fn readyz(Extract(state): Extract<State>) -> Result<&'static str, Error> {
    if state.is_ready() {
        Ok("ok\n")
    } else {
        Err(Error::NotReady)
    }
}

async fn metrics(Extract(state): Extract<State>) -> Response {
    let Ok(text) = state.0.metrics.text() else {
        return Error::Panic.into_response();
    };
    let mut response = text.into_response();
    let form = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, form);
    response
}
