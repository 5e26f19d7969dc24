//! Lays given values over the built-in ones: an unknown field is named with the nearest known one, a value of the wrong
//! kind with the expected one. What is wrong is left out, so that everything else can still be checked.

use serde_json::{Map, Value};

use super::Problem;

/// Maps whose keys are the user's own, with the built-in entry that shows the form of every other.
const FREE: [(&str, &str); 2] = [("crawl.channels", "default"), ("orgs.perOrg", "")];

/// Lays what is right in `given` over `values`, maps field by field and everything else as a whole, and notes what is
/// not. `known` shows the form.
pub(super) fn lay(values: &mut Value, known: &Value, given: Value, path: &str, problems: &mut Vec<Problem>) {
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
                let number = Value::from(0);
                let Some(known) = form.map_or_else(|| known.get(&key), |form| Some(form.unwrap_or(&number))) else {
                    problems.push(Problem {
                        path: at,
                        problem: unknown(&key, known.keys()),
                    });
                    continue;
                };
                lay(entry(values, key, known), known, value, &at, problems);
            }
        }
        (known, given) => match wrong_kind(known, &given) {
            None => *values = given,
            Some(expected) => {
                let path = if path.is_empty() {
                    "the file".to_owned()
                } else {
                    path.to_owned()
                };
                problems.push(Problem {
                    path,
                    problem: format!("must be {expected}, not {}", kind(&given)),
                });
            }
        },
    }
}

/// The place of a field, made when it is the user's own.
fn entry<'a>(values: &'a mut Value, key: String, known: &Value) -> &'a mut Value {
    let empty = if known.is_object() {
        Value::Object(Map::new())
    } else {
        known.clone()
    };
    match values {
        Value::Object(values) => values.entry(key).or_insert(empty),
        other => other,
    }
}

/// Puts the built-in value back at a path; one that is the user's own is taken out. Whether that could be done.
pub(super) fn put_back(values: &mut Value, known: &Value, path: &str) -> bool {
    let pointer = path
        .split('.')
        .fold(String::new(), |pointer, part| pointer + "/" + part);
    match (values.pointer_mut(&pointer), known.pointer(&pointer)) {
        (Some(place), Some(built_in)) if place != built_in => {
            *place = built_in.clone();
            true
        }
        (Some(_), Some(_)) | (None, _) => false,
        (Some(_), None) => take_out(values, path),
    }
}

fn take_out(values: &mut Value, path: &str) -> bool {
    let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
    let pointer = above
        .split('.')
        .fold(String::new(), |pointer, part| pointer + "/" + part);
    let fields = values.pointer_mut(&pointer).and_then(Value::as_object_mut);
    fields.is_some_and(|fields| fields.remove(last).is_some())
}

/// What is wrong with a field that is not known, with the nearest known one.
pub(crate) fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
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
