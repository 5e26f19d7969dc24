//! A CrawlJob against its schema, as the API server checks it: kinds, bounds, lengths, counts, required and unknown fields.
//! The schema is the CRD's, a small part of JSON Schema, which is why no library of the whole is used. Patterns are left
//! to the hook's reader, which says better what is wrong.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Schema, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::{Map, Value};

use crate::api;
use crate::config::{Problem, unknown};

/// Notes everything that the schema refuses. `status` is not looked at: the API server takes it from nobody but the hook.
pub(super) fn problems(job: &Value, found: &mut Vec<Problem>) {
    let crds = api::crds();
    let schemas = crds
        .iter()
        .flat_map(|crd| &crd.spec.versions)
        .filter_map(|version| version.schema.as_ref());
    for root in schemas.filter_map(|schema| schema.open_api_v3_schema.as_ref()) {
        let mut root = root.clone();
        let own = ["apiVersion", "kind", "metadata", "status"].map(|field| (field.to_owned(), anything()));
        root.properties.get_or_insert_default().extend(own);
        check(&root, job, "", found);
    }
}

fn anything() -> Schema {
    Schema {
        x_kubernetes_preserve_unknown_fields: Some(true),
        ..Schema::default()
    }
}

fn check(schema: &Schema, value: &Value, path: &str, found: &mut Vec<Problem>) {
    let mut note = |problem: String| {
        found.push(Problem {
            path: path.to_owned(),
            problem,
        });
    };
    if let Some(expected) = wrong_kind(schema, value) {
        note(format!("it is {}; write {expected}", kind(value)));
        return;
    }
    if let Some(choices) = &schema.enum_
        && !choices.iter().any(|choice| choice.0 == *value)
    {
        let choices: Vec<String> = choices
            .iter()
            .map(|choice| choice.0.to_string().replace('"', ""))
            .collect();
        note(format!("{value} is no choice; write one of {}", choices.join(", ")));
    }
    match value {
        Value::Number(number) => number
            .as_f64()
            .and_then(|number| out_of_bounds(schema, number))
            .into_iter()
            .for_each(note),
        Value::String(text) => {
            wrong_count(schema.min_length, schema.max_length, text.chars().count(), "characters")
                .into_iter()
                .for_each(note);
        }
        Value::Array(items) => {
            wrong_count(schema.min_items, schema.max_items, items.len(), "entries")
                .into_iter()
                .for_each(note);
            each(schema, items, path, found);
        }
        Value::Object(fields) => {
            wrong_count(schema.min_properties, schema.max_properties, fields.len(), "entries")
                .into_iter()
                .for_each(note);
            object(schema, fields, path, found);
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn each(schema: &Schema, items: &[Value], path: &str, found: &mut Vec<Problem>) {
    if let Some(JSONSchemaPropsOrArray::Schema(form)) = &schema.items {
        for (position, item) in items.iter().enumerate() {
            check(form, item, &format!("{path}[{position}]"), found);
        }
    }
}

/// The API server drops a null before it looks, so it counts as not there.
fn object(schema: &Schema, fields: &Map<String, Value>, path: &str, found: &mut Vec<Problem>) {
    let at = |field: &str| {
        if path.is_empty() {
            field.to_owned()
        } else {
            format!("{path}.{field}")
        }
    };
    for required in schema.required.iter().flatten() {
        if fields.get(required).is_none_or(Value::is_null) {
            found.push(Problem {
                path: at(required),
                problem: "it is not there; write it".to_owned(),
            });
        }
    }
    if schema.x_kubernetes_preserve_unknown_fields == Some(true) {
        return;
    }
    let known = schema.properties.as_ref();
    for (field, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match (known.and_then(|known| known.get(field)), &schema.additional_properties) {
            (Some(form), _) => check(form, value, &at(field), found),
            (None, Some(JSONSchemaPropsOrBool::Schema(form))) => check(form, value, &at(field), found),
            (None, Some(JSONSchemaPropsOrBool::Bool(true))) => {}
            (None, Some(JSONSchemaPropsOrBool::Bool(false)) | None) => found.push(Problem {
                path: at(field),
                problem: format!(
                    "it {}",
                    unknown(field, known.into_iter().flat_map(|known| known.keys()))
                ),
            }),
        }
    }
}

/// What should be there, if something else is.
fn wrong_kind(schema: &Schema, value: &Value) -> Option<&'static str> {
    if schema.x_kubernetes_int_or_string == Some(true) {
        return (!value.is_string() && !is_whole(value)).then_some("a quantity, such as 2Gi, or a whole number");
    }
    match schema.type_.as_deref()? {
        "object" => (!value.is_object()).then_some("a map"),
        "array" => (!value.is_array()).then_some("a list"),
        "string" => (!value.is_string()).then_some("a text, in quotes where YAML would read something else"),
        "boolean" => (!value.is_boolean()).then_some("true or false"),
        "integer" => (!is_whole(value)).then_some("a whole number"),
        _ => None,
    }
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

fn out_of_bounds(schema: &Schema, number: f64) -> Option<String> {
    match (schema.minimum, schema.maximum) {
        (Some(least), _) if number < least => Some(format!("it is {number}; write {least} or more")),
        (_, Some(most)) if number > most => Some(format!("it is {number}; write {most} or less")),
        _ => None,
    }
}

fn wrong_count(least: Option<i64>, most: Option<i64>, count: usize, what: &str) -> Option<String> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    match (least, most) {
        (Some(least), _) if count < least => Some(format!("it has {count} {what}; write {least} or more")),
        (_, Some(most)) if count > most => Some(format!("it has {count} {what}; write {most} or less")),
        _ => None,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
