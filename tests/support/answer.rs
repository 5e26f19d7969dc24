//! One answer of the product, and the instant that all recorded calls are answered at.

use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

/// The instant at which the whole corpus lives.
pub(crate) const NOW: &str = "2026-11-30T13:00:00Z";

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|fault| panic!("{fault}: {}", String::from_utf8_lossy(&self.bytes)))
    }
}
