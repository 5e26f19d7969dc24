//! Stores in this process: the form they are loaded from, and what they do.

use std::net::{IpAddr, Ipv4Addr};

use serde_json::json;

use super::*;
use crate::outside::Stores;
use crate::outside::store::{Entry, FileLines, Mark, StoreView};

fn address(job: &str) -> StoreAddress {
    StoreAddress {
        namespace: "crawls".to_owned(),
        job: job.to_owned(),
        ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 1,
    }
}

fn read(stores: &MemoryStores) -> StoreReading {
    stores.read(&address("news"), &StoreQuestion { lines_from: 0 })
}

fn reachable(stores: &MemoryStores) -> StoreView {
    match read(stores) {
        StoreReading::Reachable(view) => *view,
        StoreReading::Unreachable(reason) => panic!("{reason:?}"),
    }
}

/// A crawl that was paused after its first upload, as a real one leaves it.
fn paused() -> serde_json::Value {
    json!({
        "crawls-done": {"ttl": -1, "type": "list", "value": [
            "{\"id\":\"news\",\"user\":\"u\",\"filename\":\"http://s3/b/0.wacz\",\"size\":2000,\"hash\":\"ab\"}"]},
        "news:d": {"ttl": -1, "type": "string", "value": "7"},
        "news:excluded": {"ttl": -1, "type": "set", "value": ["http://site/out"]},
        "news:f": {"ttl": -1, "type": "list", "value": ["{\"url\":\"http://site/gone\"}"]},
        "news:p": {"ttl": -1, "type": "hash", "value": {"http://site/9": "{}"}},
        "news:p:http://site/9": {"ttl": 33, "type": "string", "value": "crawl-news-0"},
        "news:paused": {"ttl": -1, "type": "string", "value": "1"},
        "news:q": {"ttl": -1, "type": "zset", "value": [["{\"url\":\"http://site/8\"}", 1.0], ["{}", 2_000_001.0]]},
        "news:rateLimited": {"ttl": 300, "type": "string", "value": "1"},
        "news:s": {"ttl": -1, "type": "set", "value": ["http://site/8", "http://site/9", "http://site/"]},
        "news:size": {"ttl": -1, "type": "hash", "value": {"crawl-news-0": "4096"}},
        "news:status": {"ttl": -1, "type": "hash", "value": {"crawl-news-0": "interrupted"}}
    })
}

#[test]
fn a_store_file_is_read_as_a_store() {
    let stores = MemoryStores::new();
    stores.load("crawls", "news", &paused()).unwrap();
    let view = reachable(&stores);
    assert_eq!(
        (
            view.done,
            view.seen,
            view.excluded,
            view.failed,
            view.queued,
            view.in_progress
        ),
        (7, 3, 1, 1, 2, 1)
    );
    assert_eq!(view.entries[&0], Entry::Interrupted);
    assert_eq!(view.sizes[&0], 4096);
    assert!(view.flags.paused && view.rate_limited && !view.flags.stopping);
    assert_eq!((view.files.total, view.files.lines.len()), (1, 1));
    assert_eq!(view.mark, None);
}

#[test]
fn a_snapshot_loads_to_the_same_store() {
    let store = MemoryStore::from_json(&paused()).unwrap();
    assert_eq!(MemoryStore::from_json(&store.to_json()).unwrap(), store);
}

#[test]
fn a_store_file_of_another_form_names_the_key() {
    for (file, named) in [
        (json!({"news:d": {"type": "string", "value": 7}}), "news:d"),
        (json!({"news:x": {"type": "stream", "value": []}}), "news:x"),
        (json!([]), "/"),
        (json!({"unreachable": "asleep"}), "asleep"),
    ] {
        let error = MemoryStores::new()
            .load("crawls", "news", &file)
            .unwrap_err()
            .to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_store_that_is_not_there_refuses_and_so_does_an_unreachable_one() {
    let stores = MemoryStores::new();
    assert_eq!(read(&stores), StoreReading::Unreachable(Unreachable::Refused));
    stores.load("crawls", "news", &json!("unreachable")).unwrap();
    assert_eq!(read(&stores), StoreReading::Unreachable(Unreachable::Refused));
    for reason in Unreachable::ALL {
        stores
            .load("crawls", "news", &json!({"unreachable": reason.word()}))
            .unwrap();
        assert_eq!(read(&stores), StoreReading::Unreachable(reason));
        assert_eq!(stores.write(&address("news"), &[StoreWrite::SetStopping]), Err(reason));
    }
    stores.load("crawls", "news", &paused()).unwrap();
    assert!(!reachable(&stores).flags.stopping);
}

#[test]
fn a_failed_store_keeps_what_it_holds_and_a_wiped_one_answers_empty() {
    let stores = MemoryStores::new();
    stores.load("crawls", "news", &paused()).unwrap();
    let before = reachable(&stores);
    stores.fail("crawls", "news", Unreachable::Timeout);
    assert_eq!(stores.snapshot("crawls", "news"), json!({"unreachable": "timeout"}));
    stores.heal("crawls", "news");
    assert_eq!(reachable(&stores), before);
    stores.wipe("crawls", "news");
    assert_eq!(reachable(&stores).seen, 0);
    stores.remove("crawls", "news");
    assert_eq!(read(&stores), StoreReading::Unreachable(Unreachable::Refused));
}

#[test]
fn writes_are_safe_to_repeat_and_marks_keep_their_first_value() {
    let stores = MemoryStores::new();
    stores.load("crawls", "news", &paused()).unwrap();
    let writes = [
        StoreWrite::SetMark(Mark::First),
        StoreWrite::SetMark(Mark::Renewed),
        StoreWrite::ForgetInstances,
        StoreWrite::SetStopOne(3),
        StoreWrite::DeletePaused,
        StoreWrite::SetExecSeconds("uid/0".to_owned(), 60),
        StoreWrite::SetFlagged("uid".to_owned()),
    ];
    stores.write(&address("news"), &writes).unwrap();
    let once = reachable(&stores);
    stores.write(&address("news"), &writes).unwrap();
    assert_eq!(reachable(&stores), once);
    assert_eq!(once.mark, Some(Mark::First));
    assert!(once.entries.is_empty() && once.sizes.is_empty() && !once.flags.paused);
    assert!(once.flags.stop_one.contains(&3) && once.flagged.contains("uid"));
    assert_eq!(once.exec_seconds["uid/0"], 60);
}

#[test]
fn lines_are_read_from_the_asked_one_on() {
    let mut store = MemoryStore::default();
    for number in 0..600 {
        store
            .rpush("crawls-done", &format!(r#"{{"filename":"{number}","size":1}}"#))
            .unwrap();
    }
    let files = |lines_from| match store.read("news", &StoreQuestion { lines_from }) {
        StoreReading::Reachable(view) => view.files,
        StoreReading::Unreachable(reason) => panic!("{reason:?}"),
    };
    assert_eq!(files(0).lines.len(), FileLines::MAX);
    assert_eq!(files(590).lines[0].as_ref().unwrap().filename, "590");
    assert_eq!(
        (
            files(590).lines.len(),
            files(600).lines.len(),
            files(u64::MAX).lines.len()
        ),
        (10, 0, 0)
    );
    assert_eq!(files(599).first_hash, files(0).first_hash);
    assert_eq!(files(601).total, 600);
}

#[test]
fn a_queue_gives_its_lowest_first_and_ends_as_no_key() {
    let mut store = MemoryStore::default();
    for (score, page) in [(1.0, "b"), (2_000_000.0, "c"), (1.0, "a"), (-0.0, "first")] {
        store.zadd("news:q", score, page).unwrap();
    }
    let popped: Vec<String> = std::iter::from_fn(|| store.zpopmin("news:q").unwrap())
        .map(|(page, _)| page)
        .collect();
    assert_eq!(popped, ["first", "a", "b", "c"]);
    assert!(store.is_empty());
}

#[test]
fn a_key_of_another_type_is_refused_and_unchanged() {
    let mut store = MemoryStore::default();
    store.rpush("news:s", "x").unwrap();
    let before = store.clone();
    assert_eq!(store.sadd("news:s", "y"), Err(Refusal::WrongType));
    assert_eq!(store.incr("news:s"), Err(Refusal::WrongType));
    assert_eq!(store, before);
    let reading = store.read("news", &StoreQuestion { lines_from: 0 });
    assert_eq!(reading, StoreReading::Unreachable(Unreachable::ErrorAnswer));
}

#[tokio::test]
async fn nothing_to_write_is_not_sent_and_a_store_switched_off_says_so() {
    let question = StoreQuestion { lines_from: 0 };
    let off = StoreReading::Unreachable(Unreachable::Disabled);
    assert_eq!(Stores::Disabled.read(&address("news"), &question).await, off);
    assert_eq!(Stores::Disabled.write(&address("news"), &[]).await, Ok(()));
    assert_eq!(
        Stores::Disabled
            .write(&address("news"), &[StoreWrite::DeleteIdle])
            .await,
        Err(Unreachable::Disabled)
    );
    assert_eq!(
        Stores::Memory(MemoryStores::new()).write(&address("news"), &[]).await,
        Ok(())
    );
}
