//! Every fixture of `hooks/` gets exactly the answer beside it, in this process and over a real socket.
//! `UPDATE_FIXTURES=1 cargo test --test it replay` rewrites the answers; they are then reviewed by reading.

use std::collections::BTreeSet;
use std::fs;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::corpus::{Answer, Fixture, Folder, corpus, files, hooks, name_of, of, root};
use crate::judge::{difference, nulls, pretty};
use crate::served::Served;

/// What the twin of a request holds: the answer, or for a refusal its status and code.
fn essence(fixture: &Fixture, answer: &Answer) -> Value {
    match fixture.folder {
        Folder::Reject => json!({"code": answer.json()["code"], "status": answer.status.as_u16()}),
        Folder::Sync | Folder::Finalize | Folder::Customize => answer.json(),
    }
}

fn complaint(fixture: &Fixture, answer: &Answer) -> Option<String> {
    let refused = fixture.folder == Folder::Reject;
    if refused == (answer.status == StatusCode::OK) {
        let text = String::from_utf8_lossy(&answer.bytes);
        return Some(format!("{}: status {}: {text}", fixture.title(), answer.status));
    }
    let got = pretty(&essence(fixture, answer));
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(&fixture.response, &got).expect("the answer can be written");
        return None;
    }
    let expected = fs::read_to_string(&fixture.response).unwrap_or_default();
    (expected != got).then(|| format!("{}\n{}", fixture.title(), difference(&expected, &got)))
}

#[tokio::test]
async fn every_fixture_gets_the_answer_beside_it_twice_and_without_nulls() {
    let mut complaints = Vec::new();
    for fixture in corpus() {
        let (first, second) = (fixture.answer().await, fixture.answer().await);
        assert_eq!(
            first.bytes,
            second.bytes,
            "{} is answered in two ways (M2)",
            fixture.title()
        );
        let nulls = nulls(&first.json());
        assert!(nulls.is_empty(), "{}: null at {nulls:?}", fixture.title());
        complaints.extend(complaint(fixture, &first));
    }
    let number = complaints.len();
    assert!(
        complaints.is_empty(),
        "{number} fixtures differ:\n{}",
        complaints.join("\n")
    );
}

#[test]
fn the_served_corpus_replays_over_one_real_connection() {
    let served = Served::start(&[]);
    let mut connection = served.connect();
    let mut complaints = Vec::new();
    let mut sent = 0;
    // An answer to a body with a store or a configuration of its own can't be given without them.
    for fixture in corpus().iter().filter(|fixture| fixture.stands_alone()) {
        let answer = connection.post(&fixture.path(), &fixture.request);
        sent += 1;
        let got = pretty(&essence(fixture, &answer));
        let expected = fs::read_to_string(&fixture.response).unwrap_or_default();
        if got != expected {
            complaints.push(format!("{}\n{}", fixture.title(), difference(&expected, &got)));
        }
    }
    assert!(
        complaints.is_empty(),
        "{} of {sent} differ:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn every_file_in_a_fixture_folder_belongs_to_a_request() {
    for hook in hooks() {
        for folder in Folder::ALL {
            let place = root().join("hooks").join(&hook).join(folder.name());
            let names: BTreeSet<String> = files(&place).iter().map(|path| name_of(path)).collect();
            for name in &names {
                let stem = [".request.json", ".response.json", ".store.json", ".config.yaml"]
                    .into_iter()
                    .find_map(|ending| name.strip_suffix(ending));
                let stem = stem.unwrap_or_else(|| panic!("{hook}/{}/{name} is no fixture", folder.name()));
                for twin in ["request", "response"] {
                    let twin = format!("{stem}.{twin}.json");
                    assert!(names.contains(&twin), "{hook}/{}/{twin} is missing", folder.name());
                }
            }
        }
    }
}

#[test]
fn every_call_that_may_be_refused_says_so_in_its_twin() {
    for fixture in of(Folder::Reject) {
        let twin: Value = serde_json::from_slice(&fs::read(&fixture.response).unwrap()).unwrap();
        let status = twin["status"].as_u64().unwrap_or_default();
        assert!((400..500).contains(&status), "{}: {status}", fixture.title());
        assert!(
            twin["code"].as_str().is_some_and(|code| !code.is_empty()),
            "{}",
            fixture.title()
        );
    }
}
