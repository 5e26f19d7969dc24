//! The real service on a loopback port, and calls to it. It can be killed and started anew on the same port.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, RETRY_AFTER};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::app::{State, app};
use crate::cli::CliError;
use crate::clock::{Clock, ManualClock};
use crate::config::Config;
use crate::flow::Shell;
use crate::outside::memory::MemoryStores;
use crate::outside::{Outside, Stores};
use crate::serve::{Limits, Stop, bind, serve};
use crate::sim::caller::Reply;

/// The service and what it shares with the cluster: the time and the stores.
#[derive(Debug)]
pub(super) struct Service {
    config: Config,
    clock: ManualClock,
    stores: MemoryStores,
    address: SocketAddr,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    task: JoinHandle<()>,
    /// Dropping it would tell the service to stop in good order.
    _stop: tokio::sync::watch::Sender<crate::serve::Phase>,
}

impl Service {
    /// Starts it on a free port.
    pub(super) async fn start(config: Config, clock: ManualClock, stores: MemoryStores) -> Result<Self, CliError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut service = Self {
            config,
            clock,
            stores,
            address,
            running: None,
        };
        service.start_anew().await?;
        Ok(service)
    }

    /// Starts it with nothing in memory.
    pub(super) async fn start_anew(&mut self) -> Result<(), CliError> {
        let listener = bind(self.address).await.map_err(CliError::failed)?;
        self.address = listener.local_addr().map_err(CliError::failed)?;
        let state = State::new(
            self.config.clone(),
            Shell {
                clock: Clock::Manual(self.clock.clone()),
                outside: self.outside(),
            },
        );
        let (driver, stop) = Stop::new();
        let limits = Limits::from(&self.config.server);
        let task = tokio::spawn(serve(listener, app(state), limits, stop));
        self.running = Some(Running { task, _stop: driver });
        Ok(())
    }

    /// Kills it: no drain, no goodbye.
    pub(super) async fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.task.abort();
            // It was told to end; how it ended says nothing.
            let _ = running.task.await;
        }
    }

    pub(super) fn is_up(&self) -> bool {
        self.running.is_some()
    }

    /// The outside as the service sees it.
    pub(super) fn outside(&self) -> Outside {
        Outside {
            stores: Stores::Memory(self.stores.clone()),
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// One call. Whatever goes wrong on the way is no answer.
    pub(super) async fn call(&self, path: &str, body: Vec<u8>) -> Reply {
        self.post(path, body).await.unwrap_or(Reply::Nothing)
    }

    async fn post(&self, path: &str, body: Vec<u8>) -> Option<Reply> {
        let stream = TcpStream::connect(self.address).await.ok()?;
        // Head and body are two writes: without this each call would wait for a delayed acknowledgement.
        stream.set_nodelay(true).ok()?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        let connection = tokio::spawn(connection);
        let request = Request::post(path)
            .header(HOST, self.address.to_string())
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .ok()?;
        let response = sender.send_request(request).await.ok()?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let body = response.into_body().collect().await.ok()?.to_bytes().to_vec();
        drop(sender);
        let _ = connection.await;
        Some(Reply::Http {
            status,
            retry_after,
            body,
        })
    }
}
