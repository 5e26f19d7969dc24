//! The list of reports in `README.md` and the tests that name them, held against each other. A test is named after its
//! report, `a01_…`, and says above itself what was reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::corpus::{files, name_of, root};

const FOLDER: &str = "tests/it/reports";

/// `| A01 | lost | note |`: number, file without its ending, note. No file means that the note says why.
fn rows() -> Vec<(String, String, String)> {
    let text = fs::read_to_string(root().join(FOLDER).join("README.md")).expect("the list is there");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [number, file, note, ..] = cells.as_slice() else {
            return None;
        };
        is_number(&number.to_lowercase()).then(|| (number.to_lowercase(), (*file).to_owned(), (*note).to_owned()))
    });
    rows.collect()
}

/// `a01`, in lower case.
fn is_number(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| ('a'..='c').contains(&first))
        && text.len() == 3
        && letters.all(|digit| digit.is_ascii_digit())
}

/// The report that a line of code starts a test for.
fn number_of(line: &str) -> Option<&str> {
    let name = line
        .trim_start()
        .strip_prefix("async fn ")
        .or_else(|| line.trim_start().strip_prefix("fn "))?;
    let number = name.split_once('_')?.0;
    (number.len() == 3 && number[1..].chars().all(|digit| digit.is_ascii_digit())).then_some(number)
}

/// Tests by report: the files they are in, and whether each says what was reported.
fn tests() -> BTreeMap<String, BTreeSet<(String, bool)>> {
    let mut tests: BTreeMap<String, BTreeSet<(String, bool)>> = BTreeMap::new();
    let folder = files(&root().join(FOLDER)).into_iter();
    for path in folder.filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let text = fs::read_to_string(&path).expect("a listed file can be read");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(number) = number_of(line) else { continue };
            let above: Vec<&&str> = lines[..at].iter().rev().take(2).collect();
            let is_test = above.first().is_some_and(|line| line.contains("test]"));
            let says = above.get(1).is_some_and(|line| line.starts_with("/// "));
            let file = name_of(&path).replace(".rs", "");
            tests
                .entry(number.to_owned())
                .or_default()
                .insert((file, is_test && says));
        }
    }
    tests
}

#[test]
fn every_report_has_a_test_and_every_test_a_report() {
    let (rows, tests) = (rows(), tests());
    let mut wrong = Vec::new();
    let numbers: BTreeSet<&str> = rows.iter().map(|(number, ..)| number.as_str()).collect();
    if numbers.len() != rows.len() {
        wrong.push("a report stands twice in the list".to_owned());
    }
    for (number, file, note) in &rows {
        let found = tests.get(number).into_iter().flatten().any(|(place, _)| place == file);
        if file.is_empty() && note.is_empty() {
            wrong.push(format!("{number}: neither a file nor a word why there is none"));
        }
        if !file.is_empty() && !found {
            wrong.push(format!("{number}: no test in {file}.rs starts with {number}_"));
        }
    }
    for (number, places) in &tests {
        if !rows
            .iter()
            .any(|(listed, file, _)| listed == number && !file.is_empty())
        {
            wrong.push(format!("{number}: a test names it, the list does not"));
        }
        for (file, _) in places.iter().filter(|(_, says)| !says) {
            wrong.push(format!(
                "{number} in {file}.rs: it does not say what was reported, or is no test"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(numbers.len(), 79, "reports in the list: all of the three parts");
}
