//! Habits that no compiler keeps: a comment at the top of every file, its length, who may name whom, no file outside the
//! module tree, and every rule of the README named by code and by a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::{files, hooks, name_of, root};

const LINES_MAX: usize = 300;

/// Every `.rs` file below `folder`, with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in files(folder) {
            if path.is_dir() && name_of(&path) != "target" {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found
        .into_iter()
        .map(|path| (relative(&path), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn relative(path: &Path) -> PathBuf {
    path.strip_prefix(root()).unwrap_or(path).to_owned()
}

fn product() -> Vec<(PathBuf, String)> {
    sources("src")
}

fn everything() -> Vec<(PathBuf, String)> {
    let mut all = product();
    all.extend(sources("tests"));
    all
}

fn none(complaints: &[String], what: &str) {
    assert!(complaints.is_empty(), "{what}:\n{}", complaints.join("\n"));
}

#[test]
fn every_file_starts_by_saying_what_it_is() {
    let silent: Vec<String> = everything()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(path, _)| path.display().to_string())
        .collect();
    none(&silent, "no //! comment on the first line");
}

#[test]
fn no_file_is_longer_than_a_reader_likes() {
    let long: Vec<String> = everything()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > LINES_MAX)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    none(&long, "files over 300 lines");
}

/// Code without its comments and without its inline test module: what the import rules are about.
fn code(text: &str) -> String {
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = product.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs")
}

/// Who may not name what, by the start of the path.
const IMPORTS: &[(&str, &[&str])] = &[
    (
        "src/hooks/crawljob/decide",
        &[
            "tokio",
            "axum",
            "hyper",
            "tracing",
            "crate::request",
            "crate::clock",
            "crate::config",
            "crate::app",
            "crate::flow",
            "HashMap",
            "HashSet",
            "std::env",
            "std::fs",
            "std::net::Tcp",
            "Mutex",
            "RwLock",
            "Instant::now",
            "Timestamp::now",
            "SystemTime",
            "rand::",
        ],
    ),
    (
        "src/hooks/crawljob/build",
        &[
            "tokio",
            "axum",
            "tracing",
            "crate::request",
            "crate::clock",
            "crate::config",
            "HashMap",
            "std::env",
            "std::fs",
        ],
    ),
    (
        "src/hooks/crawljob/observe",
        &["axum", "::decide", "crate::clock", "crate::respond", "std::env"],
    ),
    (
        "src/request",
        &[
            "tokio",
            "axum",
            "crate::clock",
            "crate::config",
            "crate::outside",
            "std::env",
        ],
    ),
    (
        "src/respond",
        &[
            "tokio",
            "axum",
            "crate::clock",
            "crate::config",
            "crate::outside",
            "std::env",
        ],
    ),
    (
        "src/api",
        &[
            "tokio",
            "axum",
            "crate::clock",
            "crate::config",
            "crate::hooks",
            "crate::request",
        ],
    ),
    ("src/act", &["axum", "crate::request", "crate::clock", "std::env"]),
    ("src/flow", &["StatusCode", "axum"]),
    (
        "src/observed",
        &["tokio", "axum", "crate::clock", "crate::config", "std::env"],
    ),
    ("src/outside", &["axum", "crate::request", "crate::respond", "std::env"]),
];

#[test]
fn every_module_names_only_what_it_may() {
    let mut wrong = Vec::new();
    for (path, text) in product().into_iter().filter(|(path, _)| !is_test(path)) {
        let place = path.display().to_string();
        let code = code(&text);
        for (start, banned) in IMPORTS {
            let inside = place == format!("{start}.rs") || place.starts_with(&format!("{start}/"));
            for word in banned.iter().filter(|word| inside && code.contains(*word)) {
                wrong.push(format!("{place} names {word}"));
            }
        }
        let status_codes = ["src/error", "src/app", "src/sim", "src/cli", "src/metrics"];
        if code.contains("StatusCode") && !status_codes.iter().any(|start| place.starts_with(start)) {
            wrong.push(format!("{place} names StatusCode, which belongs to error"));
        }
        let environment = ["src/config", "src/cli", "src/main"];
        if code.contains("std::env::") && !environment.iter().any(|start| place.starts_with(start)) {
            wrong.push(format!("{place} reads the environment, which belongs to config"));
        }
    }
    none(&wrong, "import rules");
}

/// The files that `mod` lines of `path` stand for.
fn children_of(path: &Path, text: &str) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().unwrap_or(path);
    let folder = match stem.as_str() {
        "lib" | "main" | "mod" => folder.to_owned(),
        _ => folder.join(stem),
    };
    let mut elsewhere = None;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(place) = line
            .strip_prefix("#[path = \"")
            .and_then(|rest| rest.strip_suffix("\"]"))
        {
            elsewhere = Some(place);
        }
        if let Some((before, name)) = line.strip_suffix(';').and_then(|line| line.split_once("mod "))
            && (before.is_empty() || before.starts_with("pub"))
        {
            found.push(match elsewhere.take() {
                // Only support shared by test binaries lies elsewhere, in a sibling of their folders.
                Some(place) => Path::new("tests").join(place.trim_start_matches("../")),
                None => folder.join(format!("{name}.rs")),
            });
        }
    }
    found
}

#[test]
fn every_file_is_in_the_module_tree() {
    let all: BTreeMap<PathBuf, String> = everything().into_iter().collect();
    let roots = all.keys().filter(|path| {
        path.ends_with("lib.rs")
            || path.ends_with("main.rs")
            || path.ends_with("build.rs") && path.parent() == Some(Path::new(""))
    });
    let mut reached: BTreeSet<PathBuf> = roots.cloned().collect();
    let mut open: Vec<PathBuf> = reached.iter().cloned().collect();
    while let Some(path) = open.pop() {
        let Some(text) = all.get(&path) else { continue };
        for child in children_of(&path, text) {
            if reached.insert(child.clone()) {
                open.push(child);
            }
        }
    }
    let orphans: Vec<String> = all
        .keys()
        .filter(|path| !reached.contains(*path))
        .map(|path| path.display().to_string())
        .collect();
    none(&orphans, "files that no mod line names");
}

/// Rules of a hook's README, `**D5**` at the start of a line; those marked as open are left out.
fn rules(hook: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("hooks").join(hook).join("README.md")).unwrap_or_default();
    let ids = text
        .lines()
        .filter(|line| !line.contains("(not yet)"))
        .filter_map(|line| {
            let line = line.trim_start_matches(['-', ' ', '*', '|']);
            let id: String = line.chars().take_while(char::is_ascii_alphanumeric).collect();
            let mut letters = id.chars();
            let is_rule = letters.next().is_some_and(|first| first.is_ascii_uppercase())
                && id.len() > 1
                && letters.all(|digit| digit.is_ascii_digit())
                && line[id.len()..].starts_with("**");
            is_rule.then_some(id)
        });
    ids.collect()
}

/// `text` names the rule `id` as a word of its own.
fn names(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + id.len()..].chars().next();
        let part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
        !part(before) && !part(after)
    })
}

#[test]
fn every_rule_of_a_readme_is_named_by_code_and_by_a_test() {
    let mut wrong = Vec::new();
    for hook in hooks() {
        let of_hook = |path: &Path| path.starts_with(format!("src/hooks/{hook}")) || !path.starts_with("src/hooks");
        let (tests, code): (Vec<_>, Vec<_>) = everything()
            .into_iter()
            .filter(|(path, _)| of_hook(path))
            .partition(|(path, _)| is_test(path));
        for id in rules(&hook) {
            if !code.iter().any(|(_, text)| names(text, &id)) {
                wrong.push(format!("{hook} {id}: no line of src names it"));
            }
            // So that `cargo test z2_` runs the tests of Z2.
            let lower = id.to_lowercase();
            let heads = [format!("fn {lower}_"), format!("_{lower}_")];
            let tested = |(_, text): &(PathBuf, String)| heads.iter().any(|head| text.contains(head));
            if !tests.iter().chain(&code).any(tested) {
                wrong.push(format!("{hook} {id}: no test has it at the head of its name"));
            }
        }
    }
    none(&wrong, "rules");
}
