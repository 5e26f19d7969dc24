//! Variables into values: `ROLLCALL_CRAWL__REDIS__CPU=20m` is `{crawl: {redis: {cpu: 20m}}}`.
//!
//! Only names with a double underscore count. Kubernetes puts `ROLLCALL_SERVICE_HOST` and the like into every pod beside
//! a Service called rollcall; those are not ours. One that would be a field's if it had the double underscore is a problem.

use serde_json::{Map, Value};

use super::{Problem, yaml};

const PREFIX: &str = "ROLLCALL_";
const SEPARATOR: &str = "__";

/// The variables of this process that can be ours. One whose value is not Unicode is left out; it can't be YAML.
pub(super) fn of_this_process() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Those that are ours, sorted, each as a tree with one leaf. `known` shows which fields there are.
pub(super) fn values(
    variables: impl IntoIterator<Item = (String, String)>,
    known: &Value,
    problems: &mut Vec<Problem>,
) -> Vec<(String, Value)> {
    let (mut ours, others): (Vec<_>, Vec<_>) = variables
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX))
        .partition(|(name, _)| name[PREFIX.len()..].contains(SEPARATOR));
    let names = names(known);
    problems.extend(others.into_iter().filter_map(|(given, _)| {
        let meant = names.iter().find(|name| name.replace(SEPARATOR, "_") == given)?;
        let problem = format!("is not read; sections and fields are joined by two underscores: {meant}");
        Some(Problem { path: given, problem })
    }));
    ours.sort_unstable();
    ours.into_iter()
        .filter_map(|(name, text)| value(name, &text, problems))
        .collect()
}

fn value(name: String, text: &str, problems: &mut Vec<Problem>) -> Option<(String, Value)> {
    // An empty variable is an empty text, not YAML's null: it is how an anchor is switched off.
    let leaf = if text.is_empty() {
        Ok(Value::String(String::new()))
    } else {
        yaml(text)
    };
    match leaf {
        Ok(leaf) => {
            let fields = name.strip_prefix(PREFIX).unwrap_or_default().rsplit(SEPARATOR);
            let tree = fields.fold(leaf, |inner, field| {
                Value::Object(Map::from_iter([(camel(field), inner)]))
            });
            Some((name, tree))
        }
        Err(error) => {
            problems.push(Problem {
                path: name,
                problem: format!("is not YAML: {error}"),
            });
            None
        }
    }
}

/// The variable of every field.
fn names(known: &Value) -> Vec<String> {
    fn walk(name: &str, value: &Value, names: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields
                .iter()
                .for_each(|(field, value)| walk(&format!("{name}{SEPARATOR}{}", shouted(field)), value, names)),
            _ => names.push(name.replacen(SEPARATOR, "_", 1)),
        }
    }
    let mut names = Vec::new();
    walk(PREFIX.trim_end_matches('_'), known, &mut names);
    names
}

/// `maxScale` is `MAX_SCALE`.
fn shouted(field: &str) -> String {
    let mut name = String::new();
    for c in field.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
    }
    name
}

/// `MAX_SCALE` is `maxScale`.
fn camel(field: &str) -> String {
    let mut words = field.split('_').map(str::to_ascii_lowercase);
    let mut name = words.next().unwrap_or_default();
    for word in words {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}
