//! A final state is final: whatever the spec, the pods or the clock say afterwards.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{backing_off, exit, running, status};
use crate::judge::FINAL;

fn succeeded() -> Value {
    status("Succeeded", &json!({"terminated": exit(0, "Completed")}))
}

/// A finished crawl that is still there was started again, or lacked the time of its end.
#[tokio::test]
async fn a24_a_final_state_is_never_left_and_wants_nobody() {
    for state in FINAL {
        for finished in [Value::Null, json!("2026-11-30T12:30:00Z")] {
            for (field, value) in [
                ("scale", json!(5)),
                ("pausedAt", json!("2026-11-30T12:45:00Z")),
                ("stopping", json!(true)),
                ("restartTime", json!("2026-11-30T12:50:00Z")),
                ("workers", json!(4)),
                ("timeout", json!(1)),
            ] {
                if finished.is_null() && field != "scale" {
                    continue;
                }
                let shown = json!({"state": state, "finishedAt": finished, "pagesFound": 9});
                let seen = Call::new().status(shown).spec(field, value).rest().await;
                // The design keeps the register, so that a job made again stays over (E5).
                assert_eq!(seen.lists(), "CM/crawl-register-news", "{state} {field}");
                assert_eq!(seen.state(), state, "{field}");
                let ended = seen.status("/finishedAt");
                assert_eq!(
                    ended,
                    if finished.is_null() {
                        json!("2026-11-30T13:00:00Z")
                    } else {
                        finished.clone()
                    },
                    "{state} {field}"
                );
                let later = seen.next().at("2026-12-05T00:00:00Z").ask().await;
                assert_eq!(
                    (later.status("/finishedAt"), later.state()),
                    (ended, state),
                    "{field}: set once"
                );
                assert_eq!(later.lists(), "CM/crawl-register-news", "{state} {field}");
            }
        }
    }
}

/// Nothing of what a crawl had is made anew only because its end is known by the status alone.
#[tokio::test]
async fn a24_an_end_that_only_the_status_knows_makes_nothing_but_the_register() {
    for state in FINAL {
        let seen = Call::new().status(json!({"state": state})).ask().await;
        assert_eq!(seen.lists(), "CM/crawl-register-news", "{state}");
    }
}

/// A pod's phase may still change after the verdict, even from failed to succeeded.
#[tokio::test]
async fn c10_a_verdict_stands_whatever_a_pod_shows_later() {
    for result in FINAL {
        for pod in [
            succeeded(),
            running(),
            json!({"phase": "Failed"}),
            backing_off(17),
            json!({"phase": "Pending"}),
        ] {
            for entry in ["done", "failed", "running"] {
                let kept = Kept::marked().pages(9, 9).files(1).entry(0, entry);
                let shown = json!({"state": result, "finishedAt": "2026-11-30T12:30:00Z"});
                let call = Call::at_work(1).status(shown).crawler(0, pod.clone()).kept(kept);
                let written = call
                    .clone()
                    .register(json!({"result": result, "finishedAt": "2026-11-30T12:30:00Z"}))
                    .ask()
                    .await;
                assert_eq!(written.state(), result, "{pod} {entry}");
                let lost = call.ask().await;
                assert_eq!(lost.state(), result, "{pod} {entry}: known by the status alone");
                assert_eq!(
                    lost.register("/result"),
                    result,
                    "{pod} {entry}: and written down again"
                );
                assert_eq!(
                    (lost.leaves_out().as_str(), lost.makes().as_str()),
                    ("", ""),
                    "{pod} {entry}"
                );
            }
        }
    }
}
