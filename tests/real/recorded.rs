//! Takes the crawler stand-in and a real Redis, no cluster; gives the verdict whether it leaves there what the recorded runs
//! of the real crawler left: the same keys of the same types, the same last statuses, sizes and exit codes.

use std::collections::BTreeMap;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::cmd;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::container::Setup;
use crate::crawler::Crawler;
use crate::machine::Machine;
use crate::process::Process;
use crate::wait::until;

const BOUND: Duration = Duration::from_secs(20);
const HOST: &str = "crawl-news-0";

/// What a finished crawl leaves (recorded run A), without the keys that only logging, deduplication and page records make.
const AFTER_DONE: [(&str, &str); 5] = [
    ("crawls-done", "list"),
    ("news:d", "string"),
    ("news:s", "set"),
    ("news:size", "hash"),
    ("news:status", "hash"),
];
/// What is there besides while pages are in progress.
const DURING: [(&str, &str); 4] = [
    ("news:nextWacz", "hash"),
    ("news:p", "hash"),
    ("news:q", "zset"),
    ("news:p:<url>", "string"),
];
/// Fields of a line of `crawls-done`.
const LINE: [&str; 8] = ["bytes", "completed", "filename", "hash", "id", "path", "size", "user"];

struct Bench {
    machine: Machine,
    _redis: Process,
    connection: MultiplexedConnection,
}

impl Bench {
    async fn new() -> Self {
        let machine = Machine::default();
        let address = Machine::address();
        let bind = address.to_string();
        let options = ["--bind", &bind, "--port", "6379", "--save", "", "--appendonly", "no"];
        let mut redis = Process::start(&format!("redis-bench-{bind}"), "redis-server", &options);
        machine.publish("redis-news.redis", Some(address));
        let connection = until("redis answers", BOUND, || {
            redis.assert_alive();
            async move {
                redis::Client::open(format!("redis://{address}/0"))
                    .ok()?
                    .get_multiplexed_async_connection()
                    .await
                    .ok()
            }
        })
        .await;
        Self {
            machine,
            _redis: redis,
            connection,
        }
    }

    fn start(&self, pages: u32) -> (tokio::task::JoinHandle<i32>, watch::Sender<u32>) {
        let url = "redis://redis-news.redis.crawls.svc.cluster.local/0".to_owned();
        let storage = [
            "http://s3.example:9000/bucket/",
            "acme/",
            "user",
            "@ts-@hostsuffix.wacz",
        ]
        .map(str::to_owned);
        let setup = Setup {
            crawl: "news".into(),
            host: HOST.into(),
            webhook_url: format!("{url}/crawls-done"),
            store_url: url,
            volume: "volume".into(),
            config: json!({"seeds": [{"url": "https://site.example/"}], "limit": pages}),
            size_limit: None,
            storage: Some(storage),
            page_time: Duration::from_millis(60),
        };
        let (signals, receiver) = watch::channel(0);
        (
            tokio::spawn(Crawler::new(setup, self.machine.clone(), receiver).run()),
            signals,
        )
    }

    async fn ask<T: redis::FromRedisValue>(&mut self, command: &redis::Cmd) -> T {
        command.query_async(&mut self.connection).await.expect("redis answers")
    }

    async fn flag(&mut self, name: &str) {
        let _: String = self.ask(cmd("SET").arg(format!("news:{name}")).arg("1")).await;
    }

    async fn pages_done(&mut self, pages: u64) {
        let connection = self.connection.clone();
        until("pages are done", BOUND, move || {
            let mut own = connection.clone();
            async move {
                let done: Option<u64> = cmd("GET")
                    .arg("news:d")
                    .query_async(&mut own)
                    .await
                    .expect("redis answers");
                (done.unwrap_or(0) >= pages).then_some(())
            }
        })
        .await;
    }

    /// Exit code, last status, size as the recorded table names it, lines of `crawls-done`.
    async fn end(&mut self, task: tokio::task::JoinHandle<i32>) -> (i32, String, &'static str, u64) {
        let code = tokio::time::timeout(BOUND, task)
            .await
            .expect("it ends")
            .expect("it does not fail");
        let status: String = self.ask(cmd("HGET").arg("news:status").arg(HOST)).await;
        let size: u64 = self.ask(cmd("HGET").arg("news:size").arg(HOST)).await;
        let lines: u64 = self.ask(cmd("LLEN").arg("crawls-done")).await;
        let size = match size {
            0 => "0",
            4096 => "4096",
            _ => "not 0",
        };
        (code, status, size, lines)
    }
}

/// Every key with its type; the URL of a page lock left out.
async fn keys(mut connection: MultiplexedConnection) -> BTreeMap<String, String> {
    let keys: Vec<String> = cmd("KEYS")
        .arg("*")
        .query_async(&mut connection)
        .await
        .expect("redis answers");
    let mut shape = BTreeMap::new();
    for key in keys {
        let kind: String = cmd("TYPE")
            .arg(&key)
            .query_async(&mut connection)
            .await
            .expect("redis answers");
        let name = if key.starts_with("news:p:") {
            "news:p:<url>".to_owned()
        } else {
            key
        };
        shape.insert(name, kind);
    }
    // Gone between the two questions.
    shape.retain(|_, kind| kind != "none");
    shape
}

fn shape(parts: &[&[(&str, &str)]]) -> BTreeMap<String, String> {
    parts
        .iter()
        .flat_map(|part| part.iter())
        .map(|(key, kind)| ((*key).to_owned(), (*kind).to_owned()))
        .collect()
}

#[tokio::test]
async fn a_crawl_leaves_the_recorded_keys() {
    let mut bench = Bench::new().await;
    let (task, _signals) = bench.start(12);
    bench.pages_done(3).await;
    let connection = bench.connection.clone();
    let during = until("a page is in progress", BOUND, || {
        let connection = connection.clone();
        async move { Some(keys(connection).await).filter(|shape| shape.contains_key("news:p:<url>")) }
    })
    .await;
    assert_eq!(during, shape(&[&AFTER_DONE[1..], &DURING]));
    assert_eq!(bench.end(task).await, (0, "done".into(), "not 0", 1));
    assert_eq!(keys(bench.connection.clone()).await, shape(&[&AFTER_DONE]));
    let line: String = bench.ask(cmd("LINDEX").arg("crawls-done").arg(0)).await;
    let line: Value = serde_json::from_str(&line).expect("JSON");
    let fields: Vec<&String> = line.as_object().expect("an object").keys().collect();
    assert_eq!(fields, LINE);
    let (again, _signals) = bench.start(12);
    assert_eq!(
        bench.end(again).await,
        (0, "done".into(), "not 0", 1),
        "a second start does nothing"
    );
}

#[tokio::test]
async fn a_signal_interrupts_and_a_restart_goes_on() {
    let mut bench = Bench::new().await;
    let (task, signals) = bench.start(12);
    bench.pages_done(2).await;
    signals.send_replace(1);
    assert_eq!(bench.end(task).await, (11, "interrupted".into(), "not 0", 0));
    let (task, _signals) = bench.start(12);
    bench.pages_done(4).await;
    task.abort();
    let (task, _signals) = bench.start(12);
    assert_eq!(
        bench.end(task).await,
        (0, "done".into(), "not 0", 1),
        "also after SIGKILL"
    );
    assert_eq!(bench.machine.account().visited.len(), 12);
}

#[tokio::test]
async fn flags_end_a_crawl_as_recorded() {
    for (flag, pages, expected) in [
        ("stopping", 2, (0, "done", "not 0", 1)),
        ("stopping", 0, (0, "failed", "4096", 0)),
        ("paused", 2, (0, "interrupted", "0", 1)),
        ("paused", 0, (0, "failed", "4096", 0)),
        ("canceled", 2, (0, "canceled", "not 0", 0)),
    ] {
        let mut bench = Bench::new().await;
        if pages == 0 {
            bench.flag(flag).await;
        }
        let (task, _signals) = bench.start(30);
        if pages > 0 {
            bench.pages_done(pages).await;
            bench.flag(flag).await;
        }
        let (code, status, size, lines) = expected;
        assert_eq!(
            bench.end(task).await,
            (code, status.into(), size, lines),
            "{flag} after {pages} pages"
        );
    }
}
