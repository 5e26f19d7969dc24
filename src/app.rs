//! The webhook's HTTP surface: `POST /<hook>/{sync,finalize,customize}`, with a limit on bytes and time around each
//! call, and the admin surface. Takes a [`State`], gives routers; decides nothing.

mod admin;
mod body;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tracing::{debug, error};

use crate::clock::Stopwatch;
use crate::config::Config;
use crate::error::Error;
use crate::flow::{self, Call, Report, Shell};
use crate::hooks::Hook;
use crate::hooks::crawljob::CrawlJobHook;
use crate::metrics::Metrics;

pub use admin::admin;

/// What all calls share. Nothing in it remembers a job: it could be made anew for every call.
#[derive(Debug, Clone)]
pub struct State(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    config: Config,
    shell: Shell,
    metrics: Metrics,
    bytes_in_flight: Semaphore,
    ready: AtomicBool,
}

impl State {
    /// Ready from the start.
    #[must_use]
    pub fn new(config: Config, shell: Shell) -> Self {
        let bytes_in_flight = Semaphore::new(usize::try_from(config.server.bytes_in_flight).unwrap_or(usize::MAX >> 3));
        Self(Arc::new(Shared {
            config,
            shell,
            metrics: Metrics::new(),
            bytes_in_flight,
            ready: AtomicBool::new(true),
        }))
    }

    /// Says whether new calls are welcome; what comes anyway is answered.
    pub fn set_ready(&self, ready: bool) {
        self.0.ready.store(ready, Ordering::Relaxed);
    }

    /// Whether new calls are welcome.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.ready.load(Ordering::Relaxed)
    }
}

/// The webhook. The hooks are listed here and nowhere else.
pub fn app(state: State) -> Router {
    finish(mount::<CrawlJobHook>(Router::new(), |config| &config.crawl), state)
}

/// Adds the routes of hook `H`. `policy` picks its part of the configuration.
fn mount<H: Hook + 'static>(mut router: Router<State>, policy: fn(&Config) -> &H::Policy) -> Router<State> {
    for call in Call::ALL {
        let handler = move |axum::extract::State(state): axum::extract::State<State>, request: Request| async move {
            handle::<H>(&state, call, policy, request).await
        };
        router = router.route(&format!("/{}/{}", H::NAME, call.name()), post(handler));
    }
    router
}

fn finish(router: Router<State>, state: State) -> Router {
    let (unknown, wrong) = (state.clone(), state.clone());
    router
        .fallback(move || async move { stray(&unknown, Error::NotFound) })
        .method_not_allowed_fallback(move || async move { stray(&wrong, Error::MethodNotAllowed) })
        .with_state(state)
}

fn stray(state: &State, error: Error) -> Response {
    debug!(code = error.code(), "stray request");
    state.0.metrics.count_stray(error.status().as_u16());
    error.into_response()
}

async fn handle<H: Hook>(state: &State, call: Call, policy: fn(&Config) -> &H::Policy, request: Request) -> Response {
    let watch = Stopwatch::start();
    let mut report = Report::new(H::NAME, call);
    let work = answer::<H>(state, call, policy(&state.0.config), request, &mut report);
    // A bug in one job's decision must not take down the others. Nothing is shared mutably, so nothing can be left
    // half changed.
    let outcome = AssertUnwindSafe(work).catch_unwind().await.unwrap_or(Err(Error::Panic));
    let code = outcome.as_ref().err().map_or("", Error::code);
    if let Err(fault @ Error::Answer(_)) = &outcome {
        error!(hook = H::NAME, fault = %std::error::Error::source(fault).map_or_else(String::new, ToString::to_string), "answer refused");
    }
    let response = outcome.map_or_else(IntoResponse::into_response, json);
    let (status, total) = (response.status().as_u16(), watch.elapsed());
    report.log(status, code, total);
    state.0.metrics.count(&report, status, total);
    response
}

async fn answer<H: Hook>(
    state: &State,
    call: Call,
    policy: &H::Policy,
    request: Request,
    report: &mut Report,
) -> Result<Vec<u8>, Error> {
    let limits = &state.0.config.server;
    let deadline = Instant::now() + limits.deadline;
    let body = timeout_at(deadline, body::read(request, limits, &state.0.bytes_in_flight));
    let body = body.await.unwrap_or(Err(Error::BodySlow))?;
    report.bytes_in = body.bytes.len();
    let answer = timeout_at(
        deadline,
        flow::answer::<H>(call, &body.bytes, policy, &state.0.shell, report),
    );
    let answer = answer.await.unwrap_or(Err(Error::Deadline))?;
    report.bytes_out = answer.len();
    Ok(answer)
}

fn json(answer: Vec<u8>) -> Response {
    let mut response = Response::new(answer.into());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests;
