//! Exit codes: which end a crawl, which wait, which count, and that each counts once.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::states::{backing_off, container, ended, exit, running};

/// Orderly exits (O8), and those that wait for something outside: disk, Redis, proxy, upload (E3).
const ORDERLY: [i32; 7] = [0, 11, 13, 14, 15, 16, 18];
const WAITING: [i32; 4] = [3, 8, 21, 22];

/// A crawler that refuses its arguments was started again for ever.
#[tokio::test]
async fn a18_an_exit_that_no_restart_mends_fails_the_crawl_when_all_ended_so() {
    for code in [4, 17] {
        for shape in [backing_off(code), ended(code, "Error")] {
            let seen = Call::at_work(1).crawler(0, shape.clone()).rest().await;
            assert_eq!((seen.state(), seen.condition("Failed")), ("failed", "True"), "{code}");
            let both = Call::at_work(2)
                .crawler(0, shape.clone())
                .crawler(1, backing_off(21 - code));
            assert_eq!(both.ask().await.register("/result"), "failed", "4 beside 17");
            let one = Call::at_work(2).crawler(0, shape.clone()).ask().await;
            assert_eq!(
                (one.state(), one.goes_on(), one.leaves_out().as_str()),
                ("running", true, ""),
                "{code}"
            );
            for other in [
                json!({"phase": "Pending"}),
                json!({"phase": "Unknown"}),
                backing_off(1),
                backing_off(11),
            ] {
                let one = Call::at_work(2)
                    .crawler(0, shape.clone())
                    .crawler(1, other.clone())
                    .ask()
                    .await;
                assert!(one.goes_on(), "{code} beside {other}");
            }
            let away = Call::at_work(1)
                .crawler(0, shape.clone())
                .unreachable("timeout")
                .ask()
                .await;
            assert!(away.goes_on(), "{code}: nothing is concluded without the store (S1)");
            let leaving = Call::at_work(1)
                .crawler(0, shape)
                .terminating("Pod", "crawl-news-0")
                .ask()
                .await;
            assert!(leaving.goes_on(), "{code}: its replacement may fare better (I3)");
        }
    }
    let gone = Call::at_work(1).status(json!({"state": "running", "pods": {"0": {"exitCode": 17}}}));
    let seen = gone.without("Pod", "crawl-news-0").ask().await;
    assert_eq!(
        (seen.goes_on(), seen.makes().as_str()),
        (true, "Pod/crawl-news-0"),
        "a remembered code is no evidence"
    );
}

/// A crawler that could not reach Redis was booked as failed, though only Redis was away.
#[tokio::test]
async fn a19_an_exit_for_want_of_redis_waits_for_it() {
    let away = || json!({"phase": "Pending"});
    for code in WAITING {
        for shape in [backing_off(code), ended(code, "Error")] {
            let call = Call::at_work(1).crawler(0, shape.clone());
            let seen = call.clone().redis_pod(away()).ask().await;
            assert_eq!(
                (seen.state(), seen.leaves_out().as_str()),
                ("waiting_capacity", ""),
                "{code}"
            );
            assert!(seen.goes_on() && seen.wake() > 0, "{code}");
            // As often as it likes, and with nothing left to do.
            let line = json!({"instances": {"0": {"exit": "another", "crashes": 4}}});
            let idle = Kept::marked().pages(9, 9).entry(0, "interrupted");
            let seen = call.register(line).kept(idle).ask().await;
            assert!(seen.goes_on(), "{code}");
            assert!(
                seen.register("/instances/0/crashes").as_u64() <= Some(4),
                "{code}: nothing was counted"
            );
        }
    }
}

/// Orderly ends and wanted interrupts raised crash messages, and their code stood in the wrong field.
#[tokio::test]
async fn a20_an_orderly_exit_is_recorded_and_is_no_crash() {
    for code in ORDERLY {
        for shape in [ended(code, "Completed"), backing_off(code)] {
            let call = Call::at_work(2).crawler(0, shape);
            let seen = call.ask().await;
            assert_eq!(seen.register("/instances/0"), Value::Null, "{code}");
            assert_eq!(seen.status("/pods/0/exitCode"), code, "{code}");
            assert_eq!(seen.status("/pods/0/exitTime"), "2026-11-30T12:05:00Z", "{code}");
            assert_eq!(
                (seen.condition("Failed"), seen.leaves_out().as_str()),
                ("False", ""),
                "{code}"
            );
            let again = seen.next().ask().await;
            assert_eq!(again.answer, seen.next().ask().await.answer, "{code}: nothing new");
            assert_eq!(again.answer["children"], seen.answer["children"], "{code}: nothing new");
        }
    }
    for code in [1, 2, 5, 6, 7, 9, 10, 12, 134, 137, 139, 143] {
        let seen = Call::at_work(2).crawler(0, ended(code, "Error")).ask().await;
        assert_eq!(seen.register("/instances/0/crashes"), 1, "{code} is one");
        let seen = seen.next().ask().await;
        assert_eq!(seen.register("/instances/0/crashes"), 1, "{code} is seen again");
    }
}

/// The flag in the store that says "rate limited" expires by itself, and the state flipped with it. The exits say enough.
#[tokio::test]
async fn a32_a_crawl_whose_crawlers_all_ended_rate_limited_is_rate_limited_without_the_flag() {
    for kept in [Kept::marked(), Kept::marked().flag("rateLimited")] {
        for shown in ["running", "rate-limited", "waiting_capacity"] {
            let call = Call::at_work(2)
                .crawler(0, backing_off(18))
                .crawler(1, ended(18, "Error"));
            let kept = kept
                .clone()
                .pages(9, 3)
                .queued(2)
                .entry(0, "interrupted")
                .entry(1, "interrupted");
            let seen = call.status(json!({"state": shown})).kept(kept).ask().await;
            assert_eq!(
                (seen.state(), seen.condition("RateLimited")),
                ("rate-limited", "True"),
                "{shown}"
            );
            assert_eq!((seen.leaves_out().as_str(), seen.goes_on()), ("", true), "{shown}");
            assert!(seen.wake() > 0, "{shown}");
            assert_eq!(seen.next().ask().await.state(), "rate-limited", "{shown}");
        }
    }
    for (other, state) in [
        (running(), "running"),
        (backing_off(11), "waiting_capacity"),
        (json!({"phase": "Pending"}), "waiting_capacity"),
    ] {
        let seen = Call::at_work(2)
            .crawler(0, backing_off(18))
            .crawler(1, other.clone())
            .ask()
            .await;
        assert_eq!((seen.state(), seen.goes_on()), (state, true), "18 beside {other}");
    }
}

/// A sidecar that stays alive kept a finished crawl from ending, and one that was killed failed it.
#[tokio::test]
async fn c31_the_crawler_decides_and_its_sidecars_do_not() {
    let pod = |crawler: Value, sidecar: Value, first: bool| {
        let mut list = vec![container("crawler", &crawler), container("proxy", &sidecar)];
        if first {
            list.reverse();
        }
        json!({"phase": "Running", "containerStatuses": list})
    };
    for first in [false, true] {
        let done = pod(
            json!({"terminated": exit(0, "Completed")}),
            json!({"running": {}}),
            first,
        );
        let kept = Kept::marked().pages(9, 9).files(1).entry(0, "done");
        let seen = Call::at_work(1).crawler(0, done).kept(kept.clone()).rest().await;
        assert_eq!(seen.state(), "complete");
        let working = pod(json!({"running": {}}), json!({"running": {}}), first);
        let seen = Call::at_work(1).crawler(0, working).kept(kept).ask().await;
        assert!(seen.goes_on(), "the crawler still runs");
        for code in [1, 4, 17, 18, 137] {
            let hurt = pod(
                json!({"running": {}}),
                json!({"terminated": exit(code, "OOMKilled")}),
                first,
            );
            let seen = Call::at_work(1).crawler(0, hurt).ask().await;
            assert_eq!(
                (seen.state(), seen.register("/instances/0")),
                ("running", Value::Null),
                "{code}"
            );
            assert_eq!(
                (seen.status("/pods/0/exitCode"), seen.goes_on()),
                (Value::Null, true),
                "{code}"
            );
        }
    }
}
