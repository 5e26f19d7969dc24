//! Reading times (O10): every RFC 3339 form, equal by instant. Takes text, gives a [`Timestamp`] or nothing.
//! It never reads a clock: that is [`crate::clock`].

/// An instant.
pub type Timestamp = k8s_openapi::jiff::Timestamp;
