//! An amount in the file: a number, or a text in the form of a Kubernetes quantity.

use serde::Deserialize;

use super::file::Problems;

/// A quantity as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Amount {
    /// A plain number.
    Number(serde_json::Number),
    /// A quantity.
    Text(String),
}

impl Amount {
    /// Whole bytes, rounded up.
    pub(super) fn bytes(&self, path: &str, problems: &mut Problems) -> Option<u64> {
        self.thousandths(path, problems)
            .map(|thousandths| thousandths.div_ceil(1000))
    }

    /// Thousandths, rounded up: millicores, or tenths of a percent.
    pub(super) fn thousandths(&self, path: &str, problems: &mut Problems) -> Option<u64> {
        let text = self.to_string();
        let value = parse(&text);
        problems.require(value.is_some(), path, || {
            format!("{text:?} is no quantity; write a number with an optional suffix such as 500m or 2Gi")
        });
        value
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

fn parse(text: &str) -> Option<u64> {
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
