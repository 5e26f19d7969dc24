//! Kubernetes quantities (O11): the full grammar in, exact; compared by value; canonical form out.
//!
//! Takes text of any length in linear time. Like the API server it rounds what is finer than a billionth away from
//! zero and caps at 2^63 - 1.

use std::fmt;

#[cfg(test)]
mod tests;

/// Billionths in one.
const ONE: u128 = 1_000_000_000;
/// Largest absolute value.
const CAP: u128 = (i64::MAX as u128) * ONE;

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
    /// When the text is outside the grammar: `[+-]digits[.digits]` and a suffix `n u m k M G T P E`, `Ki` to `Ei`, or a
    /// decimal exponent.
    pub fn parse(text: &str) -> Result<Self, QuantityFault> {
        magnitude(text).map_err(|why| QuantityFault {
            text: text.chars().take(64).collect(),
            why,
        })
    }

    /// A whole number.
    #[must_use]
    pub fn whole(number: i64) -> Self {
        Self {
            nanos: i128::from(number) * 1_000_000_000,
        }
    }

    /// Whole units, rounded up; nothing when negative.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        self.in_units_of(ONE)
    }

    /// Thousandths, rounded up; nothing when negative or beyond the range.
    #[must_use]
    pub fn millis(self) -> Option<u64> {
        self.in_units_of(ONE / 1000)
    }

    fn in_units_of(self, unit: u128) -> Option<u64> {
        u64::try_from(u128::try_from(self.nanos).ok()?.div_ceil(unit)).ok()
    }
}

/// Whole bytes of a quantity as text; nothing when it is none, or negative.
#[must_use]
pub fn bytes(text: &str) -> Option<u64> {
    Quantity::parse(text).ok()?.bytes()
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

fn magnitude(text: &str) -> Result<Quantity, &'static str> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, rest) = digits(rest);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return Err("it does not start with a number");
    }
    let Scale {
        nanos_per_unit,
        exponent,
    } = scale(suffix)?;
    let nanos = multiply(whole, fraction, exponent, nanos_per_unit).min(CAP);
    let nanos = i128::try_from(nanos).map_err(|_| "it is too large")?;
    Ok(Quantity {
        nanos: if negative { -nanos } else { nanos },
    })
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

struct Scale {
    nanos_per_unit: u128,
    exponent: i64,
}

fn scale(suffix: &str) -> Result<Scale, &'static str> {
    let fixed = |nanos_per_unit| {
        Ok(Scale {
            nanos_per_unit,
            exponent: 0,
        })
    };
    let binary = |power: u32| fixed(ONE << (10 * power));
    match suffix {
        "n" => fixed(1),
        "u" => fixed(ONE / 1_000_000),
        "m" => fixed(ONE / 1000),
        "" => fixed(ONE),
        "k" => fixed(ONE * 1000),
        "M" => fixed(ONE * 1_000_000),
        "G" => fixed(ONE * ONE),
        "T" => fixed(ONE * ONE * 1000),
        "P" => fixed(ONE * ONE * 1_000_000),
        "E" => fixed(ONE * ONE * ONE),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        other => Ok(Scale {
            nanos_per_unit: ONE,
            exponent: exponent(other)?,
        }),
    }
}

/// `e3`, `E-3`, `e+3`. Digits beyond any use saturate.
fn exponent(suffix: &str) -> Result<i64, &'static str> {
    let text = suffix.strip_prefix(['e', 'E']).ok_or("its suffix is unknown")?;
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (number, rest) = digits(text);
    if number.is_empty() || !rest.is_empty() {
        return Err("its exponent is not a whole number");
    }
    let size = number.parse::<u32>().map_or(i64::from(u32::MAX), i64::from);
    Ok(if negative { -size } else { size })
}

/// `whole.fraction` times ten to the `exponent` times `unit`, rounded up; saturating. Moving the point instead of
/// multiplying keeps every step exact and within 128 bits.
fn multiply(whole: &str, fraction: &str, exponent: i64, unit: u128) -> u128 {
    /// Beyond so many digits before the point everything is over the cap, after it everything is one billionth.
    const FAR: i64 = 64;
    let leading = whole
        .bytes()
        .chain(fraction.bytes())
        .take_while(|digit| *digit == b'0')
        .count();
    let significant: Vec<u128> = whole
        .bytes()
        .chain(fraction.bytes())
        .skip(leading)
        .map(|digit| u128::from(digit - b'0'))
        .collect();
    if significant.iter().all(|digit| *digit == 0) {
        return 0;
    }
    let offset = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let point = offset(whole.len())
        .saturating_sub(offset(leading))
        .saturating_add(exponent);
    if point > FAR {
        return u128::MAX;
    }
    if point < -FAR {
        return 1;
    }
    let before = usize::try_from(point).unwrap_or(0);
    let mut integer: u128 = 0;
    for place in 0..before {
        let digit = significant.get(place).copied().unwrap_or(0);
        integer = integer.saturating_mul(10).saturating_add(digit);
    }
    // From the last digit to the first: whole billionths, and whether anything was left over.
    let zeros = std::iter::repeat_n(0, usize::try_from(-point).unwrap_or(0));
    let (mut part, mut rest) = (0, false);
    for digit in significant.iter().skip(before).rev().copied().chain(zeros) {
        let shifted = digit * unit + part;
        rest |= !shifted.is_multiple_of(10);
        part = shifted / 10;
    }
    integer
        .saturating_mul(unit)
        .saturating_add(part)
        .saturating_add(u128::from(rest))
}

impl fmt::Display for Quantity {
    /// A binary suffix where the value is a multiple of 1024, else the largest decimal one without a fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SUFFIXES: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        let mut value = self.nanos.unsigned_abs();
        if self.nanos < 0 {
            f.write_str("-")?;
        }
        if let Some(whole) = u64::try_from(value / ONE)
            .ok()
            .filter(|_| value.is_multiple_of(ONE * 1024))
        {
            return f.write_str(&canonical_bytes(whole));
        }
        let mut suffix = 0;
        while value.is_multiple_of(1000) && suffix + 1 < SUFFIXES.len() {
            value /= 1000;
            suffix += 1;
        }
        write!(f, "{value}{}", SUFFIXES[suffix])
    }
}
