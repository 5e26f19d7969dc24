//! Time: seconds are counted once and only while a crawler runs, a second later nothing changes, and all forms of one
//! instant are equal.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{backing_off, ended, exit, status, unschedulable};
use crate::judge::FINAL;

fn since(at: &str) -> Value {
    status("Running", &json!({"running": {"startedAt": at}}))
}

/// A repeated call added the same seconds again; an exit that is shown twice did as well.
#[tokio::test]
async fn a21_running_seconds_are_counted_once() {
    let of_five_minutes = ended(11, "Completed");
    let first = Call::at_work(1).crawler(0, of_five_minutes).ask().await;
    assert_eq!(
        (first.status("/crawlExecSeconds"), first.status("/elapsedSeconds")),
        (json!(300), json!(300))
    );
    let again = first.next().ask().await;
    assert_eq!(again.status("/crawlExecSeconds"), 300, "the same call again");
    let mut restarted = since("2026-11-30T12:50:00Z");
    restarted["containerStatuses"][0]["restartCount"] = 1.into();
    restarted["containerStatuses"][0]["lastState"] = json!({"terminated": exit(11, "Completed")});
    let both = again.next().crawler(0, restarted.clone()).ask().await;
    assert_eq!(
        both.status("/crawlExecSeconds"),
        900,
        "five minutes once, and ten of the run that goes on"
    );
    restarted["containerStatuses"][0]["state"] = json!({"terminated": exit(11, "Completed")});
    restarted["containerStatuses"][0]["restartCount"] = 0.into();
    let shown_twice = Call::at_work(1).crawler(0, restarted).ask().await;
    assert_eq!(
        shown_twice.status("/crawlExecSeconds"),
        300,
        "in state and in last state"
    );
    let late = both
        .next()
        .at("2026-11-30T13:10:00Z")
        .without("Pod", "crawl-news-0")
        .ask()
        .await;
    assert_eq!(late.status("/crawlExecSeconds"), 900, "nobody ran since");
    for odd in [
        json!({"startedAt": null, "finishedAt": null}),
        json!({}),
        json!({"startedAt": "2026-11-30T12:05:00Z", "finishedAt": "2026-11-30T12:00:00Z"}),
    ] {
        let mut end = exit(1, "Error");
        for field in ["startedAt", "finishedAt"] {
            end[field] = odd[field].clone();
        }
        let seen = Call::at_work(1)
            .crawler(0, status("Running", &json!({"terminated": end})))
            .ask()
            .await;
        assert_eq!(seen.status("/crawlExecSeconds"), 0, "{odd}");
    }
}

/// Waiting for room, or a long pause, used up the time limit, and the crawl stopped as soon as it ran.
#[tokio::test]
async fn a23_the_time_limit_counts_only_time_that_was_run() {
    for shown in ["waiting_capacity", "starting", "paused", "pausing", "rate-limited"] {
        let call = Call::at_work(1)
            .meta("creationTimestamp", "2026-11-30T10:00:00Z")
            .spec("timeout", 3600);
        let kept = |seconds: &str| {
            let kept = Kept::marked().pages(9, 3).queued(2).entry(0, "running");
            kept.field("rollcall:exec", "0/an-earlier-pod/0", seconds)
        };
        let call = call
            .status(json!({"state": shown, "elapsedSeconds": 300}))
            .crawler(0, since("2026-11-30T12:59:59Z"));
        let seen = call.clone().kept(kept("300")).ask().await;
        assert_eq!(
            (seen.state(), seen.status("/stopReason")),
            ("running", Value::Null),
            "{shown}"
        );
        assert_eq!(seen.store("news:stopping", ""), Value::Null, "{shown}");
        assert_eq!(seen.status("/elapsedSeconds"), 300, "{shown}");
        let over = call.clone().kept(kept("3600")).ask().await;
        assert_eq!(
            (over.status("/stopReason"), over.store("news:stopping", "")),
            (json!("time_limit"), json!("1"))
        );
        for waits in [unschedulable(), json!({"phase": "Pending"}), backing_off(11)] {
            let seen = call
                .clone()
                .crawler(0, waits.clone())
                .kept(kept("300"))
                .at("2026-12-09T13:00:00Z")
                .ask()
                .await;
            assert_eq!(seen.status("/stopReason"), Value::Null, "{shown} {waits}");
        }
    }
    let two = Call::at_work(2)
        .spec("timeout", 3600)
        .crawler(0, since("2026-11-30T12:20:00Z"))
        .crawler(1, since("2026-11-30T12:20:00Z"));
    assert_eq!(
        two.ask().await.status("/stopReason"),
        Value::Null,
        "forty minutes each are no hour (E6)"
    );
}

fn situations() -> Vec<(String, Call)> {
    let mut all = vec![
        ("new".to_owned(), Call::new()),
        (
            "running".to_owned(),
            Call::at_work(2).crawler(0, since("2026-11-30T12:10:30Z")),
        ),
        ("waiting".to_owned(), Call::at_work(1).crawler(0, unschedulable())),
        ("backing off".to_owned(), Call::at_work(1).crawler(0, backing_off(1))),
        ("rate limited".to_owned(), Call::at_work(1).crawler(0, backing_off(18))),
        (
            "pausing".to_owned(),
            Call::at_work(1).spec("pausedAt", "2026-11-30T12:45:00Z"),
        ),
        ("stopping".to_owned(), Call::at_work(1).spec("stopping", true)),
        ("store away".to_owned(), Call::at_work(1).unreachable("timeout")),
        ("store blank".to_owned(), Call::at_work(1).kept(Kept::nothing())),
        (
            "no register".to_owned(),
            Call::at_work(1).without("ConfigMap", "crawl-register-news"),
        ),
        (
            "spec unusable".to_owned(),
            Call::at_work(1).spec("crawlerChannel", "none such"),
        ),
        ("finalizing".to_owned(), Call::at_work(1).finalizing()),
        (
            "paused".to_owned(),
            Call::at_work(1)
                .spec("scale", 0)
                .register(json!({"flushed": true}))
                .without("Pod", "crawl-news-0"),
        ),
    ];
    for state in FINAL {
        let over = Call::at_work(1).register(json!({"result": state}));
        all.push((format!("over: {state}"), over.clone()));
        all.push((
            format!("only in the status: {state}"),
            over.register(json!({})).status(json!({"state": state})),
        ));
    }
    all
}

/// A status that says "now" is written by the caller, which calls the hook again, at once and for ever.
#[tokio::test]
async fn b04_a_second_later_the_status_is_the_same() {
    for (what, call) in situations() {
        // What the first calls write down is there; from then on only the clock moves.
        let settled = call.rest().await.next();
        let (now, later) = (
            settled.ask().await,
            settled.clone().at("2026-11-30T13:00:01Z").ask().await,
        );
        assert_eq!(now.answer["status"], later.answer["status"], "{what}");
        assert_eq!(now.answer["children"], later.answer["children"], "{what}");
        assert_eq!(
            now.next().body["parent"]["status"],
            settled.body["parent"]["status"],
            "{what}: it is the one shown"
        );
    }
}

/// One instant in another notation, with a fraction, empty or unreadable broke parsing or looked like a change.
#[tokio::test]
async fn c35_every_form_of_an_instant_is_equal() {
    let made_for = |at: &str| {
        let at = at.to_owned();
        Call::at_work(1).edit("Pod", "crawl-news-0", |pod| {
            pod["metadata"]["annotations"] = json!({"rollcall.dev/restart-time": at});
        })
    };
    let forms = [
        "2026-11-30T12:30:00Z",
        "2026-11-30T12:30:00+00:00",
        "2026-11-30T12:30:00.000000Z",
        "2026-11-30T13:30:00+01:00",
        "2026-11-30t12:30:00z",
        "2026-11-30T12:30:00.000000+00:00",
    ];
    for one in forms {
        for two in forms {
            assert_eq!(
                made_for(one).spec("restartTime", two).ask().await.leaves_out(),
                "",
                "{one} and {two}"
            );
        }
        assert_eq!(
            Call::at_work(1).spec("restartTime", one).ask().await.leaves_out(),
            "Pod/crawl-news-0",
            "{one}"
        );
        assert_eq!(
            Call::at_work(1).spec("pausedAt", one).ask().await.state(),
            "pausing",
            "{one}"
        );
        let seen = Call::new()
            .status(json!({"state": "complete", "finishedAt": one, "startedAt": one}))
            .ask()
            .await;
        assert_eq!(
            (seen.status("/finishedAt"), seen.status("/startedAt")),
            (json!("2026-11-30T12:30:00Z"), json!("2026-11-30T12:30:00Z"))
        );
        let mut pod = since(one);
        pod["startTime"] = one.into();
        let seen = Call::at_work(1)
            .meta("creationTimestamp", one)
            .crawler(0, pod)
            .ask()
            .await;
        assert_eq!(seen.status("/crawlExecSeconds"), 1800, "{one}");
    }
    let different = made_for("2026-11-30T12:30:00Z")
        .spec("restartTime", "2026-11-30T12:30:00.5Z")
        .ask()
        .await;
    assert_eq!(
        different.leaves_out(),
        "Pod/crawl-news-0",
        "half a second later is another instant"
    );
}

/// What is no instant is unset, and named where a user wrote it.
#[tokio::test]
async fn c35_what_is_no_instant_is_unset() {
    for field in ["restartTime", "pausedAt"] {
        let unset = Call::at_work(1).spec(field, "").ask().await;
        assert_eq!((unset.state(), unset.leaves_out().as_str()), ("running", ""), "{field}");
        assert_eq!(
            unset.message("SpecValid"),
            "The spec can be used.",
            "{field}: empty is unset"
        );
        for garbage in ["soon", "2026-11-30", "1796042564", "2026-13-01T00:00:00Z", " "] {
            let seen = Call::at_work(1).spec(field, garbage).ask().await;
            assert_eq!(
                (seen.state(), seen.leaves_out().as_str()),
                ("running", ""),
                "{field} {garbage}"
            );
            assert!(
                seen.message("SpecValid").contains(field),
                "{field} {garbage}: {}",
                seen.message("SpecValid")
            );
        }
    }
    for odd in ["", "soon"] {
        let mut call = Call::at_work(1)
            .meta("creationTimestamp", odd)
            .status(json!({"state": "running", "startedAt": odd, "finishedAt": odd}));
        call = call.crawler(0, since(odd)).edit("Pod", "crawl-news-0", |pod| {
            pod["metadata"]["creationTimestamp"] = odd.into();
        });
        let seen = call.ask().await;
        assert_eq!(
            (
                seen.state(),
                seen.leaves_out().as_str(),
                seen.status("/crawlExecSeconds")
            ),
            ("running", "", json!(0))
        );
    }
}
