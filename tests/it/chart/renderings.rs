//! Every supported configuration of the chart, linted and rendered, against the renderings in `golden/`.

use std::collections::BTreeSet;

use super::{cases, hold};
use crate::corpus::{files, name_of, root};
use crate::helm::Helm;

#[test]
fn helm_finds_nothing_wrong_with_either_chart() {
    let Some(helm) = Helm::found() else { return };
    let mut lints = vec![vec![
        "lint".to_owned(),
        "--strict".to_owned(),
        "../rollcall-crds".to_owned(),
    ]];
    lints.extend(cases().iter().map(|case| {
        let values = format!("--values={}", case.file.display());
        vec!["lint".to_owned(), "--strict".to_owned(), ".".to_owned(), values]
    }));
    for lint in lints {
        let output = helm.run(&lint.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(
            output.status.success(),
            "{lint:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn each_configuration_renders_as_recorded() {
    let Some(helm) = Helm::found() else { return };
    let golden = root().join("tests/it/chart/golden");
    let mut wanted = BTreeSet::new();
    for case in cases() {
        let name = format!("{}.yaml", case.name);
        hold(&golden.join(&name), &case.render(&helm));
        wanted.insert(name);
    }
    let there: BTreeSet<String> = files(&golden).iter().map(|file| name_of(file)).collect();
    assert_eq!(there, wanted, "each recording belongs to a configuration");
}
