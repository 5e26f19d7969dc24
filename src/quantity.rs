//! Kubernetes quantities (O11): the full grammar in, exact; compared by value; canonical form out.

use std::fmt;

/// An exact, non-negative or negative quantity in billionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity {
    nanos: i128,
}

/// Why a text is no quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no quantity: {why}; write a number with an optional suffix such as 500m, 2Gi or 1e9")]
pub struct QuantityFault {
    /// The text, cut to 64 characters.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Writes bytes as the shortest exact form with a binary suffix: `26843545600` gives `25Gi`.
#[must_use]
pub fn canonical_bytes(bytes: u64) -> String {
    const SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut value = bytes;
    let mut suffix = 0;
    while value != 0 && value.is_multiple_of(1024) && suffix + 1 < SUFFIXES.len() {
        value /= 1024;
        suffix += 1;
    }
    format!("{value}{}", SUFFIXES[suffix])
}

/// Bytes for people, with one decimal: `1.5 GiB`.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    humansize::format_size(bytes, humansize::BINARY.decimal_places(1))
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}n", self.nanos)
    }
}
