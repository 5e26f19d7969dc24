//! Reading times (O10): every RFC 3339 form, equal by instant. Takes text, gives a [`Timestamp`] or nothing.
//! It never reads a clock: that is [`crate::clock`].

/// An instant.
pub type Timestamp = k8s_openapi::jiff::Timestamp;

/// Whole seconds from `from` to `to`, never below 0: a stamp in the future, or a clock that jumped back, is no age (O10).
#[must_use]
pub fn seconds_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_secs()).unwrap_or(0)
}

/// The instant as RFC 3339 text in whole seconds, as every answer writes times.
#[must_use]
pub fn whole_seconds(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}
