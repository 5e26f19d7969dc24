//! Replay of fixtures written for the purpose.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::case::{Answer, Expect};
use super::*;
use crate::flow::Call;

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rollcall-replay-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn in_process() -> Target {
    Target::InProcess {
        config: Box::new(Config::built_in()),
        now: FROZEN.parse().unwrap(),
    }
}

fn only_case(folder: &Path) -> Case {
    let mut cases = case::find(&[folder.to_owned()]).unwrap();
    assert_eq!(cases.len(), 1);
    cases.remove(0)
}

#[test]
fn the_folders_say_where_a_case_goes() {
    let folder = Folder::new("routes");
    for path in ["toy/sync/01-a", "toy/finalize/02-b", "toy/customize/03-c"] {
        folder.put(&format!("{path}.request.json"), "{}");
    }
    folder.put("toy/sync/notes.txt", "");
    let cases = case::find(&[folder.0.clone(), folder.0.join("toy/sync")]).unwrap();
    let routes: Vec<_> = cases.iter().map(|case| case.route(b"{}")).collect();
    assert_eq!(routes, ["/toy/customize", "/toy/finalize", "/toy/sync"]);
    folder.put("toy/other/01.request.json", "{}");
    assert!(matches!(
        case::find(std::slice::from_ref(&folder.0)),
        Err(CaseFault::NoRoute { .. })
    ));
}

#[test]
fn a_refusal_is_recorded_as_status_and_code() {
    let case = Case {
        request: "toy/reject/01.request.json".into(),
        hook: "toy".into(),
        expect: Expect::Refusal,
    };
    assert_eq!(case.route(b"no json"), "/toy/sync");
    assert_eq!(case.route(br#"{"finalizing": true}"#), "/toy/finalize");
    let answer = Answer {
        status: 422,
        body: json!({"code": "update-strategy", "detail": "long"}),
    };
    assert_eq!(case.form(answer), json!({"status": 422, "code": "update-strategy"}));
}

#[test]
fn an_error_where_a_decision_was_recorded_differs() {
    let expect = Expect::Decision(Call::Sync);
    let case = Case {
        request: "toy/sync/01.request.json".into(),
        hook: "toy".into(),
        expect,
    };
    let answer = Answer {
        status: 500,
        body: json!({"code": "bug"}),
    };
    assert_eq!(case.form(answer), json!({"status": 500, "code": "bug"}));
}

#[tokio::test]
async fn a_case_is_recorded_then_the_same_then_different() {
    let folder = Folder::new("life");
    folder.put("nohook/reject/01-nobody.request.json", "{}");
    let case = only_case(&folder.0);
    let Verdict::Different(lines) = replay(&case, &in_process(), false).await.unwrap() else {
        panic!("nothing was recorded yet")
    };
    assert!(lines.contains("+  \"status\": 404"), "{lines}");
    assert_eq!(replay(&case, &in_process(), true).await.unwrap(), Verdict::Updated);
    assert_eq!(replay(&case, &in_process(), false).await.unwrap(), Verdict::Same);
    let twin = folder.put(
        "nohook/reject/01-nobody.response.json",
        r#"{"status": 400, "code": "not-found"}"#,
    );
    let Verdict::Different(lines) = replay(&case, &in_process(), false).await.unwrap() else {
        panic!("the recorded status is another")
    };
    assert!(
        lines.contains("-  \"status\": 400") && lines.contains("+  \"status\": 404"),
        "{lines}"
    );
    assert!(
        fs::read_to_string(twin).unwrap().contains("400"),
        "nothing is written without --update"
    );
}

#[tokio::test]
async fn a_case_with_a_store_is_skipped_for_a_service_elsewhere() {
    let folder = Folder::new("store");
    folder.put("toy/sync/01.request.json", "{}");
    folder.put("toy/sync/01.store.json", "{}");
    let elsewhere = Target::Url("http://127.0.0.1:9".parse().unwrap());
    assert_eq!(
        replay(&only_case(&folder.0), &elsewhere, false).await.unwrap(),
        Verdict::Skipped
    );
}
