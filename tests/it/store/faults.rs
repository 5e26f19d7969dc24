//! What is not a healthy Redis is an observation, in time and with its reason; none of it needs a server.

use std::io::Write;
use std::time::{Duration, Instant};

use rollcall::outside::store::{StoreReading, StoreWrite, Unreachable};

use super::listener::{answering, commands, silent};
use super::{address, question, stores, unreachable};
use crate::counting::listen;
use crate::server;

async fn read(port: u16) -> Unreachable {
    let started = Instant::now();
    let reading = stores().read(&address(port), &question()).await;
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "it took {:?}",
        started.elapsed()
    );
    unreachable(reading)
}

/// One answer to each command.
fn each(answer: &'static str) -> u16 {
    answering(move |sent| Some(answer.repeat(commands(sent)).into_bytes()))
}

#[tokio::test]
async fn a_port_nobody_listens_on_refuses() {
    assert_eq!(read(server::free_port()).await, Unreachable::Refused);
}

#[tokio::test]
async fn a_listener_that_never_answers_is_a_timeout() {
    let port = silent();
    assert_eq!(read(port).await, Unreachable::Timeout);
    let write = stores().write(&address(port), &[StoreWrite::SetPaused]).await;
    assert_eq!(write, Err(Unreachable::Timeout));
}

#[tokio::test]
async fn an_answer_that_stops_in_the_middle_is_a_timeout_or_refused_when_it_is_cut() {
    assert_eq!(
        read(answering(|_| Some(b"+OK\r\n+QUE".to_vec()))).await,
        Unreachable::Timeout
    );
    let cut = listen(|mut stream| {
        let _ = stream.write_all(b"+OK\r\n+QUE");
    });
    assert_eq!(read(cut).await, Unreachable::Refused);
}

#[tokio::test]
async fn what_is_not_the_protocol_is_garbage() {
    let web = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    assert_eq!(read(answering(|_| Some(web.to_vec()))).await, Unreachable::Garbage);
    assert_eq!(read(answering(|_| Some(vec![0xff; 300]))).await, Unreachable::Garbage);
    assert_eq!(read(each("+OK\r\n")).await, Unreachable::Garbage);
    assert_eq!(read(each("*-1\r\n")).await, Unreachable::Garbage);
    assert_eq!(read(each("*2\r\n:1\r\n$1\r\nx\r\n")).await, Unreachable::Garbage);
}

#[tokio::test]
async fn error_answers_are_told_from_garbage() {
    let loading = "-LOADING Redis is loading the dataset in memory\r\n";
    assert_eq!(read(each(loading)).await, Unreachable::ErrorAnswer);
    assert_eq!(
        read(each("-NOAUTH Authentication required.\r\n")).await,
        Unreachable::ErrorAnswer
    );
    assert_eq!(
        read(each("-ERR max number of clients reached\r\n")).await,
        Unreachable::ErrorAnswer
    );
    let write = stores()
        .write(&address(each(loading)), &[StoreWrite::SetStopping])
        .await;
    assert_eq!(write, Err(Unreachable::ErrorAnswer));
}

#[tokio::test]
async fn an_answer_without_end_is_given_up_early() {
    let flood = listen(|mut stream| {
        let text = format!("$65536\r\n{}\r\n", "x".repeat(65_536)).into_bytes();
        let mut open = stream.write_all(b"*2000000000\r\n").is_ok();
        while open {
            open = stream.write_all(&text).is_ok();
        }
    });
    assert_eq!(read(flood).await, Unreachable::Garbage);
    let long = answering(|_| Some(b"$9000000000\r\nx".to_vec()));
    assert_eq!(read(long).await, Unreachable::Timeout);
    let deep = answering(|_| Some(b"*1\r\n".repeat(500)));
    assert_eq!(read(deep).await, Unreachable::Garbage);
}

#[tokio::test]
async fn a_frozen_store_does_not_hold_back_the_next_call_to_another() {
    let stores = stores();
    let frozen = address(silent());
    let asked = question();
    let (slow, quick) = tokio::join!(stores.read(&frozen, &asked), async {
        let started = Instant::now();
        let reading = stores.read(&address(server::free_port()), &question()).await;
        (reading, started.elapsed())
    });
    assert_eq!(unreachable(slow), Unreachable::Timeout);
    assert_eq!(quick.0, StoreReading::Unreachable(Unreachable::Refused));
    assert!(quick.1 < Duration::from_secs(1));
}
