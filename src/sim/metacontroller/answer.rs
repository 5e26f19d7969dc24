//! Strict decoding of an answer: unknown and doubled fields refuse it, and so the whole sync.
//!
//! Stricter than the caller in one point: a doubled field inside a child refuses too.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::text;

/// A decoded sync or finalize answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// `status`; missing or null wipes the observed one.
    pub status: Map<String, Value>,
    /// `children`, each an object with apiVersion, kind and name.
    pub children: Vec<Value>,
    /// `resyncAfterSeconds`; 0 = none.
    pub resync_after: f64,
    /// `finalized`.
    pub finalized: bool,
}

/// Why an answer is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// Not JSON, a doubled field, or a wrong type.
    #[error("the answer can't be decoded: {0}")]
    Json(String),
    /// A field nobody knows.
    #[error("the answer has the unknown field {0:?}")]
    UnknownField(String),
    /// A field of the wrong type.
    #[error("{0} is of the wrong type")]
    Type(String),
}

/// Decodes the body of a 200.
///
/// # Errors
/// When the caller would refuse it.
pub fn decode(body: &[u8]) -> Result<Answer, AnswerFault> {
    let raw = strict_json(body)?;
    only_fields(&raw, &["status", "children", "resyncAfterSeconds", "finalized"])?;
    let status = match &raw["status"] {
        Value::Null => Map::new(),
        Value::Object(status) => status.clone(),
        _ => return Err(AnswerFault::Type("status".to_owned())),
    };
    let children = match &raw["children"] {
        Value::Null => Vec::new(),
        Value::Array(children) => children.clone(),
        _ => return Err(AnswerFault::Type("children".to_owned())),
    };
    for (index, child) in children.iter().enumerate() {
        check_child(index, child)?;
    }
    let resync_after = match &raw["resyncAfterSeconds"] {
        Value::Null => 0.0,
        seconds => seconds
            .as_f64()
            .ok_or_else(|| AnswerFault::Type("resyncAfterSeconds".to_owned()))?,
    };
    let finalized = match &raw["finalized"] {
        Value::Null => false,
        finalized => finalized
            .as_bool()
            .ok_or_else(|| AnswerFault::Type("finalized".to_owned()))?,
    };
    Ok(Answer {
        status,
        children,
        resync_after,
        finalized,
    })
}

fn check_child(index: usize, child: &Value) -> Result<(), AnswerFault> {
    let named = !text(child, "kind").is_empty()
        && !text(child, "apiVersion").is_empty()
        && !text(&child["metadata"], "name").is_empty();
    let texts = |field: &str| match &child["metadata"][field] {
        Value::Null => true,
        Value::Object(map) => map.values().all(Value::is_string),
        _ => false,
    };
    if named && texts("labels") && texts("annotations") {
        return Ok(());
    }
    Err(AnswerFault::Type(format!(
        "children[{index}] (apiVersion, kind, metadata.name, labels or annotations)"
    )))
}

/// Refuses a value that is no object or has other fields than these.
pub(super) fn only_fields(raw: &Value, known: &[&str]) -> Result<(), AnswerFault> {
    let fields = raw
        .as_object()
        .ok_or_else(|| AnswerFault::Type("the answer".to_owned()))?;
    match fields.keys().find(|field| !known.contains(&field.as_str())) {
        Some(field) => Err(AnswerFault::UnknownField(field.clone())),
        None => Ok(()),
    }
}

/// Parses JSON and refuses doubled fields anywhere.
pub(super) fn strict_json(body: &[u8]) -> Result<Value, AnswerFault> {
    let strict: Strict = serde_json::from_slice(body).map_err(|fault| AnswerFault::Json(fault.to_string()))?;
    Ok(strict.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictVisitor.deserialize(deserializer).map(Self)
    }
}

struct StrictVisitor;

impl<'de> DeserializeSeed<'de> for StrictVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without doubled fields")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut seen = HashSet::new();
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("doubled field {key:?}")));
            }
            map.insert(key, fields.next_value_seed(Self)?);
        }
        Ok(Value::Object(map))
    }
}
