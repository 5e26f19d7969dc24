//! Virtual time: milliseconds since 1970, which only the world moves.

use k8s_openapi::jiff::Timestamp;

/// Milliseconds since 1970.
pub type Millis = i64;

/// The instant, for a hook's clock.
#[must_use]
pub fn instant(at: Millis) -> Timestamp {
    Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// As the API server writes times: RFC 3339, whole seconds.
#[must_use]
pub fn rfc3339(at: Millis) -> String {
    Timestamp::from_second(at.div_euclid(1000))
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_string()
}

/// A span as milliseconds.
#[must_use]
pub fn millis(span: std::time::Duration) -> Millis {
    Millis::try_from(span.as_millis()).unwrap_or(Millis::MAX)
}
