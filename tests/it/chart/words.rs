//! What people read: the README lists every value with its default, and the notes say what protects the webhook.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{case, values};
use crate::helm::{Helm, RELEASE, chart};

/// Every value that can be set, as `a.b.c`, with its default; lists, maps without content and what a hook has are whole.
fn leaves(value: &Value, path: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) if !fields.is_empty() && !path.ends_with("labels") && path != "resources" => {
            for (field, value) in fields {
                let below = if path.is_empty() {
                    field.clone()
                } else {
                    format!("{path}.{field}")
                };
                leaves(value, &below, found);
            }
        }
        value => {
            found.insert(path.to_owned(), value.to_string());
        }
    }
}

/// Rows `| name | default | …` of the README: the first cell is code, the default as JSON.
fn rows(text: &str) -> BTreeMap<String, String> {
    let cells = |line: &str| {
        line.split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ']).to_owned())
            .collect::<Vec<_>>()
    };
    let rows = text.lines().filter(|line| line.starts_with("| `")).map(cells);
    rows.map(|row| (row[0].trim_matches('`').to_owned(), row[1].trim_matches('`').to_owned()))
        .collect()
}

#[test]
fn the_readme_lists_every_value_with_its_default() {
    let mut wanted = BTreeMap::new();
    leaves(&values(), "", &mut wanted);
    let said = rows(&fs::read_to_string(chart().join("README.md")).unwrap());
    for (name, default) in &wanted {
        let row = said
            .get(name)
            .unwrap_or_else(|| panic!("README.md has no row for {name}, default {default}"));
        // What is long is described instead.
        assert!(
            row == default || row.starts_with("see "),
            "{name}: README.md says {row}, values.yaml {default}"
        );
    }
    let unknown: Vec<&String> = said.keys().filter(|name| !wanted.contains_key(*name)).collect();
    assert!(
        unknown.is_empty(),
        "README.md lists values that there are not: {unknown:?}"
    );
}

#[test]
fn the_notes_say_what_protects_the_webhook() {
    let Some(helm) = Helm::found() else { return };
    let notes = |name: &str| {
        let values = case(name).file.display().to_string();
        let output = helm.run(&["install", RELEASE, ".", "--dry-run=client", "--values", &values]);
        let said = String::from_utf8(output.stdout).unwrap();
        let (_, notes) = said
            .split_once("NOTES:")
            .unwrap_or_else(|| panic!("{name}: {:?}", output.stderr));
        notes.to_owned()
    };
    let (crawls, bare, minimal) = (notes("crawls"), notes("bare"), notes("minimal"));
    assert!(
        crawls.contains("A NetworkPolicy lets only metacontroller's pods in metacontroller"),
        "{crawls}"
    );
    assert!(!crawls.contains("WARNING"), "{crawls}");
    for sentence in [
        "WARNING: the webhook has neither TLS nor credentials",
        "controllers is false",
        "There is no anchor",
    ] {
        assert!(bare.contains(sentence), "{sentence}\n{bare}");
    }
    assert!(
        minimal.contains("No namespace is set up for CrawlJobs yet."),
        "{minimal}"
    );
}
