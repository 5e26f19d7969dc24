//! An amount in the file: a number, or a text in the form of a Kubernetes quantity.

use serde::Deserialize;

use super::problems::Problems;
use crate::quantity::Quantity;

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
        self.read(Quantity::bytes, path, problems)
    }

    /// Thousandths, rounded up: millicores, or tenths of a percent.
    pub(super) fn thousandths(&self, path: &str, problems: &mut Problems) -> Option<u64> {
        self.read(Quantity::millis, path, problems)
    }

    fn read(&self, unit: fn(Quantity) -> Option<u64>, path: &str, problems: &mut Problems) -> Option<u64> {
        let text = self.to_string();
        match Quantity::parse(&text) {
            Ok(quantity) => {
                let value = unit(quantity);
                problems.require(value.is_some(), path, || format!("{text} is negative or too large"));
                value
            }
            Err(fault) => {
                problems.push(path, fault.to_string());
                None
            }
        }
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
