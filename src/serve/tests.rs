//! The listener: stalls, kept connections and draining.

use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::watch;
use tokio::time::Instant;

use super::*;

const LIMITS: Limits = Limits {
    head: Duration::from_secs(10),
    idle: Duration::from_secs(100),
    connections: 2,
    drain: Duration::from_secs(10),
};
const GET: &[u8] = b"GET /now HTTP/1.1\r\nhost: test\r\n\r\n";

fn router() -> Router {
    let slow = get(async || {
        tokio::time::sleep(Duration::from_secs(30)).await;
        "slow"
    });
    Router::new()
        .route("/now", get(async || "now"))
        .route("/slow", slow)
        .route("/big", get(async || "x".repeat(1 << 20)))
}

/// A connection in memory, and what would stop it.
fn connection() -> (DuplexStream, (watch::Sender<Phase>, GracefulShutdown)) {
    let (client, server) = tokio::io::duplex(4096);
    let ((driver, stop), connections) = (Stop::new(), GracefulShutdown::new());
    tokio::spawn(speak(server, router(), LIMITS, stop, connections.watcher()));
    (client, (driver, connections))
}

/// Reads one answer of a known ending.
async fn answer_ending(client: &mut (impl AsyncRead + Unpin), ending: &str) -> String {
    let mut text = Vec::new();
    while !text.ends_with(ending.as_bytes()) {
        text.push(client.read_u8().await.unwrap());
    }
    String::from_utf8(text).unwrap()
}

/// Seconds until the other side closes.
async fn closes_after(client: &mut (impl AsyncRead + Unpin)) -> u64 {
    let start = Instant::now();
    let _ = client.read_to_end(&mut Vec::new()).await;
    start.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_ends_after_ten_seconds() {
    let (mut client, _driver) = connection();
    assert_eq!(closes_after(&mut client).await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_trickles_in_ends_ten_seconds_after_the_connect() {
    let (mut client, _driver) = connection();
    let start = Instant::now();
    for byte in GET {
        tokio::time::sleep(Duration::from_secs(3)).await;
        if client.write_all(&[*byte]).await.is_err() {
            break;
        }
    }
    assert!(start.elapsed() <= Duration::from_secs(12), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_outlives_the_callers_ninety_seconds() {
    let (mut client, _driver) = connection();
    for _ in 0..2 {
        client.write_all(GET).await.unwrap();
        answer_ending(&mut client, "now").await;
        tokio::time::sleep(Duration::from_secs(95)).await;
    }
    assert_eq!(closes_after(&mut client).await, 5);
}

#[tokio::test(start_paused = true)]
async fn a_further_head_has_ten_seconds_from_its_first_byte() {
    let (mut client, _driver) = connection();
    client.write_all(GET).await.unwrap();
    answer_ending(&mut client, "now").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    client.write_all(b"GET").await.unwrap();
    assert_eq!(closes_after(&mut client).await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_call_in_progress_is_left_alone() {
    let (mut client, _driver) = connection();
    client
        .write_all(b"GET /slow HTTP/1.1\r\nhost: test\r\n\r\n")
        .await
        .unwrap();
    let start = Instant::now();
    answer_ending(&mut client, "slow").await;
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_ends_after_ten_seconds() {
    let (client, _driver) = connection();
    let (mut read, mut write) = tokio::io::split(client);
    write
        .write_all(b"GET /big HTTP/1.1\r\nhost: test\r\n\r\n")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(11)).await;
    let mut text = Vec::new();
    let _ = read.read_to_end(&mut text).await;
    assert!(text.len() < 1 << 20, "the answer was cut");
}

#[tokio::test(start_paused = true)]
async fn answers_of_a_closing_service_end_their_connection() {
    let (mut client, (driver, _connections)) = connection();
    client.write_all(GET).await.unwrap();
    assert!(!answer_ending(&mut client, "now").await.contains("connection: close"));
    driver.send_replace(Phase::Closing);
    client.write_all(GET).await.unwrap();
    assert!(answer_ending(&mut client, "now").await.contains("connection: close"));
    assert_eq!(closes_after(&mut client).await, 0);
}

#[tokio::test]
async fn a_draining_service_ends_calls_and_closes_idle_connections() {
    let listener = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (driver, stop) = Stop::new();
    let service = tokio::spawn(serve(listener, router(), LIMITS, stop));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(GET).await.unwrap();
    answer_ending(&mut client, "now").await;
    driver.send_replace(Phase::Draining);
    service.await.unwrap();
    assert_eq!(closes_after(&mut client).await, 0);
    assert!(TcpStream::connect(address).await.is_err());
}

#[test]
fn addresses_beyond_loopback_need_permission() {
    for (address, loopback) in [
        ("127.0.0.1:1", true),
        ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true),
        ("0.0.0.0:1", false),
        ("[::]:1", false),
    ] {
        let address = address.parse().unwrap();
        assert_eq!(check_exposure(address, false).is_ok(), loopback, "{address}");
        assert!(check_exposure(address, true).is_ok());
    }
    let sentence = check_exposure("0.0.0.0:1".parse().unwrap(), false)
        .unwrap_err()
        .to_string();
    assert!(sentence.contains("--allow-unauthenticated"));
}
