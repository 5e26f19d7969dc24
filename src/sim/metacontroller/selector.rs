//! Label selectors: `matchLabels` and `matchExpressions`. Takes raw JSON, gives a [`Selector`] that says yes or no.

use std::collections::BTreeMap;

use serde_json::Value;

use super::text;

/// A readable selector. An empty one matches everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

/// Why a selector can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorFault {
    /// `spec.selector` of a parent selects everything.
    #[error("spec.selector must have matchLabels or matchExpressions; an empty one would select everything")]
    Empty,
    /// An operator nobody knows.
    #[error("selector operator {0:?} is unknown; use In, NotIn, Exists or DoesNotExist")]
    Operator(String),
}

impl Selector {
    /// Reads `{matchLabels, matchExpressions}`.
    ///
    /// # Errors
    /// When an operator is unknown.
    pub fn read(raw: &Value) -> Result<Self, SelectorFault> {
        let mut requirements = Vec::new();
        for (key, value) in raw["matchLabels"].as_object().into_iter().flatten() {
            let values = value.as_str().map(str::to_owned).into_iter().collect();
            requirements.push(Requirement {
                key: key.clone(),
                operator: Operator::In(values),
            });
        }
        for expression in raw["matchExpressions"].as_array().into_iter().flatten() {
            let values = || {
                expression["values"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
            };
            let operator = match text(expression, "operator") {
                "In" => Operator::In(values().collect()),
                "NotIn" => Operator::NotIn(values().collect()),
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => return Err(SelectorFault::Operator(other.to_owned())),
            };
            requirements.push(Requirement {
                key: text(expression, "key").to_owned(),
                operator,
            });
        }
        Ok(Self { requirements })
    }

    /// A parent's `spec.selector`, which must not be empty.
    ///
    /// # Errors
    /// When it is missing, empty or unreadable.
    pub fn of_parent(parent: &Value) -> Result<Self, SelectorFault> {
        let selector = Self::read(&parent["spec"]["selector"])?;
        if selector.requirements.is_empty() {
            return Err(SelectorFault::Empty);
        }
        Ok(selector)
    }

    /// Whether the labels of an object match.
    #[must_use]
    pub fn matches(&self, object: &Value) -> bool {
        let labels: BTreeMap<&str, &str> = object["metadata"]["labels"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
            .collect();
        self.requirements.iter().all(|requirement| {
            let value = labels.get(requirement.key.as_str());
            let listed = |values: &[String]| value.is_some_and(|value| values.iter().any(|listed| listed == value));
            match &requirement.operator {
                Operator::In(values) => listed(values),
                Operator::NotIn(values) => !listed(values),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        })
    }
}
