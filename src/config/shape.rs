//! Compares given values with the built-in ones: an unknown field is named with the nearest known one, a value of the
//! wrong kind with the expected one. All problems at once. Then lays the given values over the built-in ones.

use serde_json::Value;

use super::Problem;

/// Maps whose keys are the user's own, with the built-in entry that shows the form of every other.
const FREE: [(&str, &str); 2] = [("crawl.channels", "default"), ("orgs.perOrg", "")];

/// Finds every field of `given` that is unknown or of the wrong kind.
pub(super) fn check(known: &Value, given: &Value, path: &str, problems: &mut Vec<Problem>) {
    match (known, given) {
        // A section without content changes nothing.
        (Value::Object(_), Value::Null) => {}
        (Value::Object(known), Value::Object(given)) => {
            let form = FREE
                .iter()
                .find(|(free, _)| *free == path)
                .map(|(_, form)| known.get(*form));
            for (key, value) in given {
                let at = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                match (form, known.get(key)) {
                    (Some(form), _) => check(form.unwrap_or(&Value::from(0)), value, &at, problems),
                    (None, Some(known)) => check(known, value, &at, problems),
                    (None, None) => problems.push(Problem {
                        path: at,
                        problem: unknown(key, known.keys()),
                    }),
                }
            }
        }
        _ => {
            if let Some(expected) = wrong_kind(known, given) {
                let path = if path.is_empty() {
                    "the file".to_owned()
                } else {
                    path.to_owned()
                };
                problems.push(Problem {
                    path,
                    problem: format!("must be {expected}, not {}", kind(given)),
                });
            }
        }
    }
}

/// Lays `given` over `values`: maps field by field, everything else as a whole.
pub(super) fn merge(values: &mut Value, given: Value) {
    match (values, given) {
        (Value::Object(values), Value::Object(given)) => {
            for (key, value) in given {
                merge(values.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Object(_), Value::Null) => {}
        (values, given) => *values = given,
    }
}

fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
    let nearest = known
        .map(|name| {
            (
                strsim::damerau_levenshtein(&key.to_lowercase(), &name.to_lowercase()),
                name,
            )
        })
        .min();
    match nearest {
        Some((distance, name)) if distance <= (key.len() / 3).max(2) => {
            format!("is unknown; did you mean {name}?")
        }
        _ => "is unknown; remove it".to_owned(),
    }
}

/// What was expected, if `given` is something else. Amounts may be numbers or texts; what is unset may become a text.
fn wrong_kind(known: &Value, given: &Value) -> Option<&'static str> {
    match (known, given) {
        (Value::Null, Value::Null | Value::String(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::String(_), Value::String(_))
        | (Value::Array(_), Value::Array(_)) => None,
        (Value::String(text), Value::Number(_)) if text.starts_with(|first: char| first.is_ascii_digit()) => None,
        _ => Some(kind(known)),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "a text or null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
