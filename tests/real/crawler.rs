//! Takes a crawler pod's command, environment and configuration; gives a crawler that behaves against Redis as the real
//! one was seen to: the same keys, the same order of statuses, the same exit codes. Its site is made up, a page takes a
//! moment, an upload goes into the account. Decides nothing that a hook should decide.

mod end;

use std::sync::atomic::Ordering;
use std::time::Duration;

use redis::cmd;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::container::Setup;
use crate::machine::{Machine, Page};
use crate::store::Store;

const STEP: Duration = Duration::from_millis(30);
/// How long a page in progress stays locked after its crawler died (35 s in the recorded runs).
const PAGE_LOCK: u32 = 2;
/// What an empty folder measures.
const EMPTY: u64 = 4096;
/// What each page adds to it.
pub(crate) const PAGE_BYTES: u64 = 50_000;

/// Why crawling stopped.
enum Stop {
    Finished,
    Asked,
    Canceled,
    /// No seed that could be used: seen as a fatal line, exit 0 and `failed`.
    NothingToCrawl,
    /// Upload what there is, forget it, leave with this code.
    Limit(i32),
    Interrupted(i32),
}

pub(crate) struct Crawler {
    setup: Setup,
    machine: Machine,
    store: Store,
    signals: watch::Receiver<u32>,
}

impl Crawler {
    pub(crate) fn new(setup: Setup, machine: Machine, signals: watch::Receiver<u32>) -> Self {
        let store = Store::new(machine.clone(), &setup.store_url);
        Self {
            setup,
            machine,
            store,
            signals,
        }
    }

    /// Runs to the exit code.
    pub(crate) async fn run(mut self) -> i32 {
        while !self.store.ping().await {
            tokio::time::sleep(STEP).await;
            if *self.signals.borrow() > 0 {
                return 1;
            }
        }
        self.measure().await;
        match self.status().await.as_deref() {
            Some("done") => return self.start_after_done().await,
            Some("generate-wacz" | "uploading-wacz") => return self.post_crawl_again().await,
            _ => {}
        }
        let name = self.file_name();
        self.tell(cmd("HSETNX").arg(self.key("nextWacz")).arg(&self.setup.host).arg(name))
            .await;
        let stop = if let Some(stop) = self.stop_asked().await {
            stop
        } else {
            self.set_status("running").await;
            self.seed().await;
            self.crawl().await
        };
        self.end(stop).await
    }

    fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.setup.crawl)
    }

    async fn tell(&self, command: &redis::Cmd) {
        self.store.tell(command).await;
    }

    async fn status(&self) -> Option<String> {
        self.store
            .ask(cmd("HGET").arg(self.key("status")).arg(&self.setup.host))
            .await
    }

    async fn set_status(&self, status: &str) {
        self.tell(cmd("HSET").arg(self.key("status")).arg(&self.setup.host).arg(status))
            .await;
    }

    async fn is_flag(&self, name: &str) -> bool {
        let flag: Option<String> = self.store.ask(cmd("GET").arg(self.key(name))).await;
        flag.as_deref() == Some("1")
    }

    async fn count(&self, command: &str, name: &str) -> u64 {
        self.store.ask(cmd(command).arg(self.key(name))).await
    }

    async fn done(&self) -> u64 {
        let done: Option<u64> = self.store.ask(cmd("GET").arg(self.key("d"))).await;
        done.unwrap_or(0)
    }

    async fn is_finished(&self) -> bool {
        self.count("ZCARD", "q").await == 0 && self.count("HLEN", "p").await == 0 && self.done().await > 0
    }

    fn pages(&self) -> Vec<Page> {
        self.machine
            .account()
            .folders
            .get(&self.setup.volume)
            .cloned()
            .unwrap_or_default()
    }

    /// Writes the size of the folder.
    async fn measure(&self) {
        let size = EMPTY.max(self.pages().iter().map(|page| page.bytes).sum());
        self.tell(cmd("HSET").arg(self.key("size")).arg(&self.setup.host).arg(size))
            .await;
    }

    fn file_name(&self) -> String {
        let now = k8s_openapi::jiff::Timestamp::now()
            .strftime("%Y%m%d%H%M%S%3f")
            .to_string();
        let suffix: String = self
            .setup
            .host
            .chars()
            .rev()
            .take(14)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let pattern = self
            .setup
            .storage
            .as_ref()
            .map_or("@ts-@hostsuffix.wacz", |storage| &storage[3]);
        pattern
            .replace("@ts", &now)
            .replace("@hostsuffix", &suffix)
            .replace("@hostname", &self.setup.host)
    }

    /// What flags and limits say, in the order in which the real one looks.
    async fn stop_asked(&self) -> Option<Stop> {
        if self.is_flag("canceled").await {
            return Some(Stop::Canceled);
        }
        let one: Option<String> = self
            .store
            .ask(cmd("HGET").arg(self.key("stopone")).arg(&self.setup.host))
            .await;
        if self.is_flag("stopping").await || one.as_deref() == Some("1") {
            return Some(Stop::Asked);
        }
        if self.is_flag("paused").await {
            return Some(Stop::Limit(0));
        }
        let size: u64 = self.pages().iter().map(|page| page.bytes).sum();
        self.setup
            .size_limit
            .filter(|limit| size > *limit)
            .map(|_| Stop::Limit(14))
    }

    async fn seed(&self) {
        let seeds = self.setup.config["seeds"].as_array().cloned().unwrap_or_default();
        for (index, seed) in seeds.iter().enumerate() {
            self.queue(seed["url"].as_str().unwrap_or_default(), index, 0).await;
        }
    }

    async fn queue(&self, url: &str, seed: usize, depth: u64) {
        let new: u64 = self.store.ask(cmd("SADD").arg(self.key("s")).arg(url)).await;
        if new == 1 {
            let added = crate::node::now();
            let entry = json!({"added": added, "url": url, "seedId": seed, "depth": depth, "extraHops": 0});
            self.tell(cmd("ZADD").arg(self.key("q")).arg(depth).arg(entry.to_string()))
                .await;
        }
    }

    async fn crawl(&mut self) -> Stop {
        if self.setup.config["seeds"].as_array().is_none_or(Vec::is_empty) {
            return Stop::NothingToCrawl;
        }
        loop {
            if self.store.was_gone.load(Ordering::Relaxed) {
                return Stop::Interrupted(8);
            }
            if let Some(stop) = self.stop_asked().await {
                return stop;
            }
            if *self.signals.borrow_and_update() > 0 {
                self.store.signalled.store(true, Ordering::Relaxed);
                return Stop::Interrupted(11);
            }
            let popped: Vec<(String, f64)> = self.store.ask(cmd("ZPOPMIN").arg(self.key("q"))).await;
            match popped.first() {
                Some((entry, _)) => self.page(entry).await,
                None if self.is_finished().await => return Stop::Finished,
                None => {
                    self.queue_orphans().await;
                    tokio::time::sleep(STEP).await;
                }
            }
        }
    }

    /// One page: locked, loaded, its links queued, written to the folder, and only then counted.
    async fn page(&self, entry: &str) {
        let mut entry: Value = serde_json::from_str(entry).expect("the queue holds our entries");
        let url = entry["url"].as_str().unwrap_or_default().to_owned();
        let lock = format!("{}:{url}", self.key("p"));
        entry["started"] = json!(crate::node::now());
        self.tell(cmd("HSET").arg(self.key("p")).arg(&url).arg(entry.to_string()))
            .await;
        self.tell(cmd("SETEX").arg(&lock).arg(PAGE_LOCK).arg(&self.setup.host))
            .await;
        tokio::time::sleep(self.setup.page_time).await;
        if entry["depth"] == 0 {
            let seed = usize::try_from(entry["seedId"].as_u64().unwrap_or(0)).unwrap_or(0);
            for number in 1..self.setup.config["limit"].as_u64().unwrap_or(1) {
                self.queue(&format!("{url}p/{number}"), seed, 1).await;
            }
        }
        self.keep(&url);
        self.measure().await;
        self.tell(cmd("HDEL").arg(self.key("p")).arg(&url)).await;
        self.tell(cmd("INCR").arg(self.key("d"))).await;
        self.tell(cmd("DEL").arg(&lock)).await;
    }

    fn keep(&self, url: &str) {
        let page = Page {
            crawl: self.setup.crawl.clone(),
            url: url.to_owned(),
            bytes: PAGE_BYTES,
        };
        let mut account = self.machine.account();
        account.visited.insert((page.crawl.clone(), page.url.clone()));
        account.folders.entry(self.setup.volume.clone()).or_default().push(page);
    }

    /// Pages whose crawler died go back to the queue once their lock has run out.
    async fn queue_orphans(&self) {
        let pending: Vec<(String, String)> = self.store.ask(cmd("HGETALL").arg(self.key("p"))).await;
        for (url, entry) in pending {
            let locked: u64 = self
                .store
                .ask(cmd("EXISTS").arg(format!("{}:{url}", self.key("p"))))
                .await;
            let ours: u64 = if locked == 0 {
                self.store.ask(cmd("HDEL").arg(self.key("p")).arg(&url)).await
            } else {
                0
            };
            if ours == 1 {
                let mut entry: Value = serde_json::from_str(&entry).expect("our entry");
                entry["retry"] = json!(entry["retry"].as_u64().unwrap_or(0) + 1);
                let score = entry["depth"].as_f64().unwrap_or(0.0) + 2e6;
                self.tell(cmd("ZADD").arg(self.key("q")).arg(score).arg(entry.to_string()))
                    .await;
            }
        }
    }
}
