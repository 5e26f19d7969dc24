//! What stores and statuses are mixed from: what crawlers write, and what they should not. A later key replaces an earlier
//! one.

use serde_json::{Value, json};

use super::pools::{Change, Pool};

fn text(value: &str) -> Value {
    json!({"type": "string", "value": value})
}

fn entries(words: [&str; 3]) -> Change {
    let value = json!({"type": "hash", "value": {"crawl-news-0": words[0], "crawl-news-1": words[1],
        "crawl-news-2": words[2], "crawl-news-07": "done", "crawl-other-0": "done", "crawl-news-4294967296": "done"}});
    ("news:status", value)
}

fn sizes(size: &str) -> Change {
    let value = json!({"type": "hash", "value": {"crawl-news-0": size, "crawl-news-1": "4096", "crawl-news-2": size}});
    ("news:size", value)
}

fn pages(count: u32) -> Change {
    let pages: Vec<String> = (0..count).map(|page| format!("http://site.example/{page}")).collect();
    ("news:s", json!({"type": "set", "value": pages}))
}

fn line(name: &str, size: &str) -> String {
    format!(r#"{{"id":"news","filename":"{name}","size":{size}}}"#)
}

/// Keys of the job's store.
pub(super) fn of_store() -> Pool {
    let mut likely: Vec<Change> = Vec::new();
    for word in ["running", "uploading-wacz", "interrupted", "done", "canceled", "failed"] {
        likely.push(entries([word, word, word]));
        likely.push(entries([word, "done", "running"]));
    }
    likely.extend(["4096", "100000000000"].map(sizes));
    likely.extend(["0", "1", "40"].map(|number| ("news:d", text(number))));
    likely.extend(["news:paused", "news:stopping", "news:canceled"].map(|flag| (flag, text("1"))));
    likely.push((
        "news:stopone",
        json!({"type": "hash", "value": {"crawl-news-1": "1", "x": "1"}}),
    ));
    likely.extend(["first", "first", "renewed"].map(|mark| ("rollcall:mark", text(mark))));
    likely.push((
        "crawls-done",
        json!({"type": "list", "value": [line("a.wacz", "7"), line("b.wacz", "8")]}),
    ));
    likely.extend([pages(50), pages(50), pages(1)]);
    likely.push(("news:q", json!({"type": "zset", "value": [["x", 1.0]]})));
    for at in ["2026-11-30T12:00:00Z", "2026-11-28T12:00:00Z"] {
        likely.push(("rollcall:idle", text(at)));
        likely.push(("rollcall:rate-limited", text(&format!("{at} 3"))));
    }
    likely.push(("rollcall:flagged", json!({"type": "set", "value": ["pod-0", "gone"]})));
    Pool { likely, odd: odd() }
}

fn odd() -> Vec<Change> {
    let mut odd = vec![entries(["💥", "", "odd"]), ("news:status", text("running"))];
    odd.extend(["-1", "1e9", "99999999999999999999999999", "NaN"].map(sizes));
    odd.extend(["-3", "18446744073709551616", "x"].map(|number| ("news:d", text(number))));
    for flag in ["news:paused", "news:stopping", "news:canceled"] {
        odd.extend([
            (flag, text("0")),
            (flag, text("")),
            (flag, json!({"type": "list", "value": ["1"]})),
        ]);
    }
    odd.push(("rollcall:mark", text("odd")));
    let lines = [line("c.wacz", "18446744073709551615"), "{".into(), "x".repeat(70_000)];
    odd.push(("crawls-done", json!({"type": "list", "value": lines})));
    odd.push((
        "crawls-done",
        json!({"type": "list", "value": vec![line("d.wacz", "1"); 600]}),
    ));
    odd.push(("crawls-done", text("no list")));
    let excluded: Vec<String> = (0..60).map(|page| page.to_string()).collect();
    odd.push(("news:excluded", json!({"type": "set", "value": excluded})));
    odd.push(("news:failReason", text("not_logged_in")));
    for at in ["2030-01-01T00:00:00Z", "x"] {
        odd.extend(["rollcall:idle", "rollcall:rate-limited"].map(|key| (key, text(at))));
    }
    let runs = json!({"0/a/0": "18446744073709551615", "0/b/0": "18446744073709551615", "x": "-1", "//": "9"});
    odd.push(("rollcall:exec", json!({"type": "hash", "value": runs})));
    odd.push(("rollcall:flagged", json!({"type": "set", "value": ["", "x"]})));
    odd
}

/// Statuses that were, or that somebody wrote.
pub(super) fn statuses() -> Vec<Value> {
    let states = [
        "starting", "running", "running", "paused", "complete", "failed", "canceled", "odd",
    ];
    let plain = |state: &str| json!({"state": state, "pagesFound": 7, "startedAt": "2026-11-30T12:00:00Z"});
    let mut all: Vec<Value> = states.map(plain).to_vec();
    all.extend([
        json!("running"),
        json!([]),
        json!({"state": 7}),
        json!({"state": null, "pods": []}),
    ]);
    all.push(json!({"state": "running", "conditions": [{"type": 7}], "pagesDone": -1, "sizePending": u64::MAX}));
    all
}
