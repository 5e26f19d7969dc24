//! What the chart carries of other files because helm reads only its own folder: the controllers, the built-in
//! configuration, and the form of the configuration in the schema.

use std::fs;

use serde_json::{Map, Value, json};

use rollcall::config::BUILT_IN;

use super::{hold, values};
use crate::corpus::{hooks, root};
use crate::helm::chart;

/// Set by the chart itself, so not by its user.
const OURS: [&str; 3] = ["server.listen", "server.adminListen", "server.allowUnauthenticated"];

/// Maps whose keys are the user's own, with the form of their entries.
fn free(path: &str, known: &Value) -> Option<Value> {
    match path {
        "crawl.channels" => Some(form(&known["default"], "crawl.channels.default")),
        "orgs.perOrg" => Some(form(&json!(0), "")),
        _ => None,
    }
}

/// The schema of a field that has this built-in value: the same distinctions that the configuration itself makes.
fn form(known: &Value, path: &str) -> Value {
    match known {
        Value::Null => json!({"type": ["string", "null"]}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(number) if number.is_f64() => json!({"type": "number", "minimum": 0}),
        Value::Number(_) => json!({"type": "integer", "minimum": 0}),
        // An amount, such as 900m or 1Gi, may also be a plain number.
        Value::String(text) if text.starts_with(|first: char| first.is_ascii_digit()) => {
            json!({"type": ["string", "number"]})
        }
        Value::String(_) => json!({"type": "string"}),
        Value::Array(_) => json!({"type": "array", "items": {"type": "string"}}),
        Value::Object(fields) => match free(path, known) {
            Some(entries) => json!({"type": "object", "additionalProperties": entries}),
            None => section(fields, path),
        },
    }
}

fn section(fields: &Map<String, Value>, path: &str) -> Value {
    let below = |field: &String| {
        if path.is_empty() {
            field.clone()
        } else {
            format!("{path}.{field}")
        }
    };
    let properties: Map<String, Value> = fields
        .iter()
        .filter(|(field, _)| !OURS.contains(&below(field).as_str()))
        .map(|(field, value)| (field.clone(), form(value, &below(field))))
        .collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

#[test]
fn the_schema_has_the_form_of_the_configuration() {
    let file = chart().join("values.schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let known: Value = serde_saphyr::from_str(BUILT_IN).unwrap();
    let mut config = form(&known, "");
    config["description"] = "What differs from the built-in configuration.".into();
    schema["properties"]["config"] = config;
    hold(&file, &(serde_json::to_string_pretty(&schema).unwrap() + "\n"));
}

#[test]
fn the_built_in_configuration_is_the_products() {
    hold(&chart().join("files/built_in.yaml"), BUILT_IN);
}

#[test]
fn the_controllers_are_those_that_are_shipped() {
    for hook in hooks() {
        let shipped = root().join("hooks").join(&hook).join("controller.yaml");
        if let Ok(shipped) = fs::read_to_string(shipped) {
            hold(&chart().join(format!("files/controllers/{hook}.yaml")), &shipped);
        }
    }
}

#[test]
fn the_default_memory_is_enough_for_the_bytes_that_may_be_in_flight() {
    let limit = values()["resources"]["limits"]["memory"].as_str().unwrap().to_owned();
    let limit = rollcall::quantity::Quantity::parse(&limit).unwrap().bytes().unwrap();
    // What was measured at most: 2.5 times the bytes in flight.
    let in_flight = crate::corpus::built_in().server.bytes_in_flight;
    assert!(limit >= in_flight * 5 / 2, "{limit} bytes for {in_flight} in flight");
}
