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

impl Quantity {
    /// Reads a quantity.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, QuantityFault> {
        let fault = || QuantityFault {
            text: text.to_owned(),
            why: "it is outside the grammar",
        };
        let nanos = i128::from(thousandths(text).ok_or_else(fault)?) * 1_000_000;
        Ok(Self { nanos })
    }

    /// Whole units, rounded up; nothing when negative.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        self.millis().map(|millis| millis.div_ceil(1000))
    }

    /// Thousandths, rounded up; nothing when negative or beyond the range.
    #[must_use]
    pub fn millis(self) -> Option<u64> {
        u64::try_from(self.nanos / 1_000_000).ok()
    }
}

fn thousandths(text: &str) -> Option<u64> {
    let at = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(at);
    let factor: u64 = match suffix {
        "m" => 1,
        "" => 1000,
        "Ki" => 1000 << 10,
        "Mi" => 1000 << 20,
        "Gi" => 1000 << 30,
        "Ti" => 1000 << 40,
        _ => return None,
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    let fraction = format!("{fraction:0<3}")
        .get(..3)?
        .parse::<u64>()
        .ok()?
        .checked_mul(factor)?
        / 1000;
    whole.checked_add(fraction)
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

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}n", self.nanos)
    }
}
