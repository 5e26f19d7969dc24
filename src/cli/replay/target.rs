//! Where requests are sent: a service in this process, made anew for each case, or one at a URL.

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, Uri, header};
use axum::response::IntoResponse;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tower::ServiceExt;

use super::case::{Answer, Case, CaseFault};
use crate::app::{State, app};
use crate::clock::Clock;
use crate::config::Config;
use crate::flow::Shell;
use crate::observed::Timestamp;
use crate::outside::memory::MemoryStores;
use crate::outside::{Outside, Stores};

/// More than any answer needs.
const ANSWER_MAX: usize = 256 << 20;

/// Where requests are sent.
#[derive(Debug)]
pub enum Target {
    /// A new service for each case.
    InProcess {
        /// Its configuration, for cases that bring none.
        config: Box<Config>,
        /// Its frozen clock, for cases that bring none.
        now: Timestamp,
    },
    /// A service that runs elsewhere.
    Url(Uri),
}

impl Target {
    /// Whether a case's store, configuration and instant can be given to it.
    #[must_use]
    pub fn takes_files(&self) -> bool {
        matches!(self, Self::InProcess { .. })
    }

    /// Sends a case.
    ///
    /// # Errors
    /// When its files can't be read or there is no answer.
    pub async fn send(&self, case: &Case, store: Option<Value>) -> Result<Answer, CaseFault> {
        let body = case.body()?;
        let send = |problem: String| CaseFault::Send {
            path: case.request.clone(),
            problem,
        };
        let route = case.route(&body);
        let response = match self {
            Self::InProcess { config, now } => {
                let stores = stores(case, &body, store)?;
                let config = case.config()?.unwrap_or_else(|| (**config).clone());
                let shell = Shell {
                    clock: Clock::Frozen(case.now()?.unwrap_or(*now)),
                    outside: Outside { stores },
                };
                let request = request(&route, body).map_err(|error| send(error.to_string()))?;
                app(State::new(config, shell)).oneshot(request).await.into_response()
            }
            Self::Url(url) => over_the_wire(url, &route, body)
                .await
                .map_err(|error| send(error.to_string()))?,
        };
        let (head, body) = response.into_parts();
        let body = to_bytes(body, ANSWER_MAX)
            .await
            .map_err(|error| send(error.to_string()))?;
        Ok(Answer {
            status: head.status.as_u16(),
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        })
    }
}

/// The store of the case's own job; without a store file none is asked.
fn stores(case: &Case, body: &[u8], store: Option<Value>) -> Result<Stores, CaseFault> {
    let Some(store) = store else {
        return Ok(Stores::Disabled);
    };
    let fault = |problem: String| CaseFault::Store {
        path: case.request.clone(),
        problem,
    };
    let body: Value = serde_json::from_slice(body).map_err(|error| fault(error.to_string()))?;
    let metadata = &body["parent"]["metadata"];
    let (Some(namespace), Some(job)) = (metadata["namespace"].as_str(), metadata["name"].as_str()) else {
        return Err(fault("a store file needs a request with a parent".to_owned()));
    };
    let stores = MemoryStores::new();
    stores
        .load(namespace, job, &store)
        .map_err(|error| fault(error.to_string()))?;
    Ok(Stores::Memory(stores))
}

fn request(path: &str, body: Vec<u8>) -> Result<Request<Body>, axum::http::Error> {
    Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        .body(body.into())
}

async fn over_the_wire(
    url: &Uri,
    route: &str,
    body: Vec<u8>,
) -> Result<Response<Body>, Box<dyn std::error::Error + Send + Sync>> {
    let host = url
        .host()
        .filter(|_| url.scheme_str().is_none_or(|scheme| scheme == "http"));
    let host = host.ok_or("the URL must be of the form http://host:port")?;
    let stream = TcpStream::connect((host.trim_matches(['[', ']']), url.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut request = request(&format!("{}{route}", url.path().trim_end_matches('/')), body)?;
    request
        .headers_mut()
        .insert(header::HOST, url.authority().map_or(host, |it| it.as_str()).parse()?);
    Ok(sender.send_request(request).await?.map(Body::new))
}
