//! S1: no answer is not an empty answer. A store that refuses, is silent, speaks nonsense or belongs to another job takes
//! no child away except the pods that D5 calls back without the store, and never delays an answer beyond its deadline.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use rollcall::config::Config;
use rollcall::outside::Stores;
use rollcall::outside::memory::MemoryStores;
use rollcall::outside::redis::RedisStores;
use rollcall::outside::store::Unreachable;

use crate::corpus::{Fixture, Folder, app_of, app_with, identity, of, send};
use crate::judge::{Name, condition, left_out, observed, register};

/// The longest an answer may take when the store does not: the deadline of 2 s for all that a call asks and tells, and some
/// air.
const BOUND: Duration = Duration::from_secs(3);

/// Running jobs whose register is seen and whose Redis pod could be asked.
fn askable() -> Vec<&'static Fixture> {
    let running = |fixture: &&Fixture| {
        let body = fixture.body();
        let register = register(&body);
        let asked = redis(&body).is_some_and(|pod| {
            pod["status"]["phase"] == "Running"
                && pod["status"]["podIP"].is_string()
                && pod["metadata"].get("deletionTimestamp").is_none()
        });
        asked && register["files"].is_object() && register.get("result").is_none()
    };
    of(Folder::Sync).filter(running).collect()
}

fn redis(body: &Value) -> Option<Value> {
    let pods = observed(body).into_iter();
    pods.filter(|((kind, name), _)| kind == "Pod" && name.starts_with("redis-"))
        .map(|(_, pod)| pod)
        .next()
}

/// Pods that a reason of D5 calls back although the store can't be asked, judged from the body alone. Being on this list
/// permits a call-back, it does not demand one.
fn may_be_called_back(body: &Value) -> BTreeSet<Name> {
    let spec = &body["parent"]["spec"];
    let lines = register(body)["instances"].clone();
    let may = |name: &str, pod: &Value| {
        let annotation = |key: &str| pod["metadata"]["annotations"][key].as_str();
        let created = pod["metadata"]["creationTimestamp"].as_str().unwrap_or_default();
        let index = name.rsplit('-').next().unwrap_or_default();
        let lost = pod["status"]["phase"] == "Failed" || pod["status"]["reason"].is_string();
        let restart = spec["restartTime"].as_str();
        let restart = restart.is_some_and(|at| created < at && annotation("rollcall.dev/restart-time") != Some(at));
        let memory = lines[index]["memory"].as_u64();
        let made_with = annotation("rollcall.dev/memory").and_then(|bytes| bytes.parse::<u64>().ok());
        let grown = memory.is_some_and(|bytes| made_with.is_none_or(|made_with| bytes > made_with));
        let workers = spec["workers"].as_u64().map(|workers| workers.to_string());
        let workers = workers.is_some_and(|wanted| annotation("rollcall.dev/workers").is_some_and(|had| had != wanted));
        let foreign = controller(pod) != Some(&body["parent"]["metadata"]["uid"]);
        lost || restart || grown || workers || foreign
    };
    let shown = observed(body).into_iter();
    shown
        .filter(|((kind, name), object)| match kind.as_str() {
            "Pod" => may(name, object),
            _ => controller(object).is_some_and(|uid| uid != &body["parent"]["metadata"]["uid"]),
        })
        .map(|(name, _)| name)
        .collect()
}

fn controller(object: &Value) -> Option<&Value> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    owners
        .iter()
        .find(|owner| owner["controller"] == true)
        .map(|owner| &owner["uid"])
}

fn judge(fixture: &Fixture, body: &Value, answer: &Value, fault: &str) {
    let gone = left_out(body, answer);
    let allowed = may_be_called_back(body);
    let wrong: Vec<&Name> = gone.difference(&allowed).collect();
    assert!(
        wrong.is_empty(),
        "{} with a store that is {fault}: left out {wrong:?}",
        fixture.title()
    );
    let reachable = condition(answer, "StoreReachable").map(|condition| condition["status"].clone());
    // Without a usable spec nothing is asked.
    if condition(answer, "SpecValid").is_none_or(|condition| condition["status"] != "False") {
        assert_eq!(
            reachable,
            Some(json!("False")),
            "{} with a store that is {fault}",
            fixture.title()
        );
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_asked_takes_no_child_away() {
    let fixtures = askable();
    assert!(fixtures.len() >= 20, "only {} fixtures", fixtures.len());
    for (number, fixture) in fixtures.into_iter().enumerate() {
        let body = fixture.body();
        let (namespace, job) = identity(&body);
        // The reasons take turns; none decides anything else than another.
        for fault in Unreachable::ALL.into_iter().cycle().skip(number).take(2) {
            let memory = MemoryStores::new();
            memory.fail(&namespace, &job, fault);
            let answer = send(app_with(Stores::Memory(memory)), &fixture.path(), &fixture.request).await;
            assert_eq!(answer.status, 200, "{} with {fault:?}", fixture.title());
            judge(fixture, &body, &answer.json(), fault.word());
        }
    }
}

/// Every sixth: each is a round trip to a real listener.
fn some() -> Vec<&'static Fixture> {
    askable().into_iter().step_by(6).collect()
}

/// The body with its Redis pod on loopback.
fn on_loopback(fixture: &Fixture) -> Value {
    let mut body = fixture.body();
    let pods = body["children"]["Pod.v1"].as_object_mut().unwrap();
    for (name, pod) in pods.iter_mut() {
        if name.contains("redis-") {
            pod["status"]["podIP"] = json!("127.0.0.1");
        }
    }
    body
}

async fn with_listener(port: u16, fault: &str) {
    for fixture in some() {
        let body = on_loopback(fixture);
        let mut config = Config::built_in();
        config.crawl.store_port = port;
        config.server.store_deadline = Duration::from_millis(200);
        let stores = Stores::Redis(RedisStores::new(config.server.store_deadline));
        let bytes = serde_json::to_vec(&body).unwrap();
        let asked = Instant::now();
        let answer = send(app_of(config, stores), &fixture.path(), &bytes).await;
        assert!(
            asked.elapsed() < BOUND,
            "{} took {:?}",
            fixture.title(),
            asked.elapsed()
        );
        assert_eq!(answer.status, 200, "{}", fixture.title());
        judge(fixture, &body, &answer.json(), fault);
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_refused() {
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.local_addr().unwrap().port()
    };
    with_listener(port, "refused").await;
}

#[tokio::test]
async fn a_silent_store_costs_no_more_than_its_deadline() {
    // Connections wait in the backlog: accepted by the kernel, answered by nobody.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    with_listener(listener.local_addr().unwrap().port(), "silent").await;
}

#[tokio::test]
async fn a_store_that_speaks_another_protocol_is_garbage() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut buffer = [0; 4096];
            if stream.read(&mut buffer).is_ok() {
                // The other side may be gone already.
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        }
    });
    with_listener(port, "garbage").await;
}

/// A store that has all that was asked after `pause`, for each question anew; gives its port and counts its questions.
fn slow(pause: Duration) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let count = Arc::clone(&count);
            std::thread::spawn(move || {
                let mut buffer = vec![0; 1 << 16];
                while matches!(stream.read(&mut buffer), Ok(1..)) {
                    count.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(pause);
                    if stream.write_all(&empty_store()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    (port, asked)
}

/// The replies of an empty store of the job `blog` to one read.
fn empty_store() -> Vec<u8> {
    let mut text = "+OK\r\n".to_owned() + &"+QUEUED\r\n".repeat(24);
    text += "*24\r\n*2\r\n$10\r\ndbfilename\r\n$8\r\nblog.rdb\r\n";
    for reply in [
        "$-1", "*0", "*0", "$-1", ":0", ":0", ":0", ":0", ":0", ":0", ":0", "$-1", "$-1", "$-1", "$-1", "*0", ":0",
        "$-1", "*0", "*0", "$-1", "$-1", "*0",
    ] {
        text += reply;
        text += "\r\n";
    }
    text.into_bytes()
}

#[tokio::test]
async fn s1_a_store_that_is_slow_in_both_halves_has_one_deadline_for_both() {
    let deadline = Duration::from_millis(800);
    let pause = deadline * 5 / 8;
    let (port, asked) = slow(pause);
    let fixture = askable()
        .into_iter()
        .find(|fixture| fixture.name == "20-redis-running-blog-with-register");
    let body = on_loopback(fixture.unwrap());
    let mut config = Config::built_in();
    config.crawl.store_port = port;
    let stores = Stores::Redis(RedisStores::new(deadline));
    let begun = Instant::now();
    let answer = send(
        app_of(config, stores),
        "/crawljob/sync",
        &serde_json::to_vec(&body).unwrap(),
    )
    .await;
    let took = begun.elapsed();
    let reachable = condition(&answer.json(), "StoreReachable").map(|condition| condition["status"].clone());
    assert_eq!(reachable, Some(json!("True")), "the read was answered in time");
    assert_eq!(asked.load(Ordering::SeqCst), 2, "and a write was asked for");
    assert!(took < pause * 2, "{took:?}: the write had only what the read had left");
    assert_eq!(
        answer.json()["resyncAfterSeconds"],
        json!(3),
        "so it is soon told again"
    );
}
