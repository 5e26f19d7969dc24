//! The chart of the service: what it carries of other files, what its values may be, and what helm makes of them. Goldens
//! and copies are written again by `UPDATE_FIXTURES=1 cargo test --test it chart` and then reviewed by reading.

mod copies;
mod monitoring;
mod objects;
mod policies;
mod refusals;
mod renderings;
mod words;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::corpus::{files, name_of};
use crate::helm::{Helm, RELEASE, chart, objects as documents};

const ENDING: &str = "-values.yaml";

/// One supported configuration of the chart.
struct Case {
    name: String,
    file: PathBuf,
}

impl Case {
    fn values(&self) -> Value {
        read_yaml(&self.file)
    }

    fn render(&self, helm: &Helm) -> String {
        let rendered = helm.render(RELEASE, &["--values", &self.file.display().to_string()]);
        rendered.unwrap_or_else(|said| panic!("{}: {said}", self.name))
    }

    fn objects(&self, helm: &Helm) -> Vec<Value> {
        documents(&self.render(helm))
    }
}

/// Every file of `ci/`.
fn cases() -> Vec<Case> {
    let case = |file: PathBuf| Case {
        name: name_of(&file)
            .strip_suffix(ENDING)
            .unwrap_or_else(|| panic!("{} is named *{ENDING}", file.display()))
            .to_owned(),
        file,
    };
    let cases: Vec<Case> = files(&chart().join("ci")).into_iter().map(case).collect();
    assert!(cases.len() > 3, "the chart says which configurations it supports");
    cases
}

/// The one of this name.
fn case(name: &str) -> Case {
    let found = cases().into_iter().find(|case| case.name == name);
    found.unwrap_or_else(|| panic!("ci/{name}{ENDING}"))
}

/// The chart's default values.
pub(crate) fn values() -> Value {
    read_yaml(&chart().join("values.yaml"))
}

fn read_yaml(file: &std::path::Path) -> Value {
    let text = fs::read_to_string(file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
}

/// Holds a file to be what it should be, or makes it so when that is wished.
fn hold(file: &std::path::Path, wanted: &str) {
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(file, wanted).unwrap();
    }
    let committed = fs::read_to_string(file).unwrap_or_default();
    assert!(
        committed == wanted,
        "{} differs; if that is wanted, write it again with `UPDATE_FIXTURES=1 cargo test --test it chart`\n{}",
        file.display(),
        similar::TextDiff::from_lines(committed.as_str(), wanted).unified_diff()
    );
}
