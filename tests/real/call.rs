//! Takes an address and a JSON value; gives the answer to a POST of it. Loopback and plain HTTP/1.1 only.

use axum::http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Posts to `http://host:port/path`.
pub(crate) async fn post(url: &str, body: &Value) -> Result<Answer, Failure> {
    let (host, path) = split(url)?;
    let request = Request::post(path)
        .header(header::HOST, host)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Full::new(bytes::Bytes::from(body.to_string())))?;
    send(host, request).await
}

pub(crate) async fn get(url: &str) -> Result<Answer, Failure> {
    let (host, path) = split(url)?;
    send(
        host,
        Request::get(path).header(header::HOST, host).body(Full::default())?,
    )
    .await
}

fn split(url: &str) -> Result<(&str, &str), Failure> {
    let rest = url.strip_prefix("http://").ok_or("not http")?;
    Ok(rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash)))
}

async fn send(host: &str, request: Request<Full<bytes::Bytes>>) -> Result<Answer, Failure> {
    let stream = tokio::net::TcpStream::connect(host).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let answer = sender.send_request(request).await?;
    let status = answer.status().as_u16();
    let retry_after = answer
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let body = answer.into_body().collect().await?.to_bytes().to_vec();
    Ok(Answer {
        status,
        retry_after,
        body,
    })
}
