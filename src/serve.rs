//! The listener: accepts, times out, drains. Takes a bound socket and a router, gives connections to it until it is told
//! to stop. It knows nothing of hooks.
//!
//! Own accept loop because stalled connections must end (`axum::serve` has no such limit) while idle ones must outlive
//! the caller's 90 seconds: a connection that closes under a request is a failed sync.

mod patience;
mod signal;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;
use tracing::{debug, warn};

use crate::config::ServerConfig;
use patience::{Patience, Patient};
pub use signal::{Phase, Stop, on_signal};

/// Pause after a failed accept, which usually means that the process has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long connections may do nothing, and how many there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the connect, or the first byte of a further request, to the end of the headers; also without progress in
    /// writing.
    pub head: Duration,
    /// Between requests.
    pub idle: Duration,
    /// Open at once.
    pub connections: usize,
    /// For calls in progress, when stopping.
    pub drain: Duration,
}

impl From<&ServerConfig> for Limits {
    fn from(config: &ServerConfig) -> Self {
        Self {
            head: config.head,
            idle: config.idle,
            connections: config.connections,
            drain: config.drain,
        }
    }
}

/// Why the service does not listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenFault {
    /// Beyond loopback without protection.
    #[error(
        "{0} can be reached from other machines, and there is neither TLS nor a check of credentials yet; listen on \
         127.0.0.1, or allow it with --allow-unauthenticated and let a NetworkPolicy admit metacontroller only"
    )]
    Exposed(SocketAddr),
    /// The address can't be had.
    #[error("listening on {address}: {source}; choose a free address with --listen or --admin-listen")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}

/// Refuses an address that others can reach, unless that was allowed.
///
/// # Errors
/// When it is not loopback and not allowed.
pub fn check_exposure(address: SocketAddr, allowed: bool) -> Result<(), ListenFault> {
    if allowed || address.ip().to_canonical().is_loopback() {
        Ok(())
    } else {
        Err(ListenFault::Exposed(address))
    }
}

/// Binds an address.
///
/// # Errors
/// When it can't be had.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, ListenFault> {
    TcpListener::bind(address)
        .await
        .map_err(|source| ListenFault::Bind { address, source })
}

/// Serves until `stop` says [`Phase::Draining`], then lets calls in progress end.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, mut stop: Stop) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let connections = GracefulShutdown::new();
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = stop.reached(Phase::Draining) => break,
        };
        tokio::spawn(converse(
            stream,
            router.clone(),
            limits,
            stop.clone(),
            connections.watcher(),
            place,
        ));
    }
    drop(listener);
    let open = connections.count();
    if tokio::time::timeout(limits.drain, connections.shutdown())
        .await
        .is_err()
    {
        warn!(open, "connections were still busy at the end of the drain time");
    }
}

/// The next connection, once there is place for it. Those beyond wait in the kernel's queue.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(place) = Arc::clone(places).acquire_owned().await else {
            // The semaphore is never closed.
            return std::future::pending().await;
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                warn!(%error, "accepting a connection failed");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One connection, from its first byte to its last.
async fn converse(
    stream: TcpStream,
    router: Router,
    limits: Limits,
    stop: Stop,
    watcher: Watcher,
    _place: OwnedSemaphorePermit,
) {
    // Answers are written whole; waiting for more would only add time.
    if let Err(error) = stream.set_nodelay(true) {
        debug!(%error, "TCP_NODELAY was refused");
    }
    speak(stream, router, limits, stop, watcher).await;
}

async fn speak<S>(stream: S, router: Router, limits: Limits, stop: Stop, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let patience = Patience::new(limits.head, limits.idle);
    let io = TokioIo::new(Patient::new(stream, patience.clone()));
    let service = service_fn(move |request| answer(router.clone(), request, patience.clone(), stop.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Counts idle time too, so it can only be the outermost limit.
        .header_read_timeout(limits.idle + limits.head)
        .serve_connection(io, service);
    if let Err(error) = watcher.watch(connection).await {
        debug!(%error, "a connection ended early");
    }
}

async fn answer(
    router: Router,
    request: Request<Incoming>,
    patience: Patience,
    stop: Stop,
) -> Result<Response<Body>, Infallible> {
    patience.busy();
    let mut response = router.oneshot(request.map(Body::new)).await?;
    if stop.phase() != Phase::Serving {
        // Told in an answer, the caller opens its next connection elsewhere; a connection closed while idle could lose
        // a request on its way.
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    patience.idle();
    Ok(response)
}

#[cfg(test)]
mod tests;
