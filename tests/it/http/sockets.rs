//! One real socket: connections that stall are closed, those that work are kept.

use std::time::Duration;

use axum::http::StatusCode;

use super::good;
use crate::served::Served;

/// Short limits, so that a test of a limit does not wait for it.
const SHORT: &[(&str, &str)] = &[
    ("ROLLCALL_SERVER__HEAD_SECONDS", "1"),
    ("ROLLCALL_SERVER__BODY_PROGRESS_SECONDS", "1"),
];
/// Longer than the short limits, shorter than the default ones.
const BOUND: Duration = Duration::from_secs(4);

#[test]
fn stalled_connections_are_closed_and_working_ones_are_kept() {
    let served = Served::start(SHORT);
    let fixture = good();

    let mut silent = served.connect();
    let mut slow_head = served.connect();
    slow_head.write(b"POST /crawljob/sync HTTP/1.1\r\nHost: roll").unwrap();
    let mut slow_body = served.connect();
    slow_body
        .write(b"POST /crawljob/sync HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"parent\"")
        .unwrap();

    let mut working = served.connect();
    let first = working.post(&fixture.path(), &fixture.request);
    assert_eq!(first.status, StatusCode::OK);

    let closed = slow_body.until_closed(BOUND).expect("a body without progress ends");
    let text = String::from_utf8_lossy(&closed).into_owned();
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    assert!(text.to_lowercase().contains("retry-after: "), "{text}");
    let closed = slow_head.until_closed(BOUND).expect("a head without an end ends");
    assert!(!String::from_utf8_lossy(&closed).contains(" 200 "));
    silent.until_closed(BOUND).expect("a connection without a word ends");

    // The others have been closed meanwhile; this one idled longer than any of their limits.
    let second = working.post(&fixture.path(), &fixture.request);
    assert_eq!((second.status, second.bytes), (StatusCode::OK, first.bytes));
}

/// Its body is not read and may still be on its way, so the connection can't be kept, and the caller is told.
#[test]
fn a_stray_request_is_told_that_its_connection_closes() {
    let served = Served::start(&[]);
    let mut connection = served.connect();
    // In one piece: what is sent to a closed connection would be answered by a reset.
    let request = b"POST /nowhere HTTP/1.1\r\nHost: rollcall\r\nContent-Length: 2\r\n\r\n{}";
    connection.write(request).expect("the request can be sent");
    let stray = connection.answer();
    assert_eq!(stray.status, StatusCode::NOT_FOUND);
    assert_eq!(stray.headers["connection"], "close");
}

#[test]
fn a_refusal_keeps_the_connection() {
    let served = Served::start(&[]);
    let fixture = good();
    let mut connection = served.connect();
    assert_eq!(connection.post("/crawljob/sync", b"[]").status, StatusCode::BAD_REQUEST);
    assert_eq!(
        connection.post(&fixture.path(), &fixture.request).status,
        StatusCode::OK
    );
}
