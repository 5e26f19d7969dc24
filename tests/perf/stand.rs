//! The test stand: a settled job of some size, a real Redis with its store, and the product around both on one thread.
//! Takes a number of pods, gives calls; measures nothing.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::runtime::Runtime;
use tower::ServiceExt;

use rollcall::app::{State, app};
use rollcall::clock::Clock;
use rollcall::config::Config;
use rollcall::flow::Shell;
use rollcall::outside::redis::RedisStores;
use rollcall::outside::{Outside, Stores};

use crate::answer::NOW;
use crate::body;
use crate::server::Server;

/// Where a call goes.
pub(crate) const PATH: &str = "/crawljob/sync";
/// The sizes that are measured.
pub(crate) const SIZES: [u32; 4] = [1, 10, 100, 1000];
/// Calls until a body no longer changes by its own answer, at most.
const SETTLED_WITHIN: usize = 5;

/// The right to measure: nobody else does meanwhile.
///
/// # Panics
/// In a debug build, whose figures would say nothing.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    if cfg!(debug_assertions) {
        refuse();
    }
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refuse() -> ! {
    panic!("figures of a debug build mean nothing: run `cargo test --release --test perf`");
}

/// Prints a line of a report, also when the test passes.
pub(crate) fn report(line: &str) {
    // A report that can't be printed is none the worse for the test.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A job in its everyday state: every pod runs and stays, the register and the status say what they will say again.
pub(crate) struct Stand {
    pub(crate) body: Bytes,
    pub(crate) server: Server,
    runtime: Runtime,
    router: Router,
}

impl Stand {
    /// `None`, said loudly, where there is no redis-server.
    pub(crate) fn new(pods: u32) -> Option<Self> {
        let server = Server::start("news")?;
        load(&server, pods);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let mut stand = Self {
            body: Bytes::new(),
            router: router(server.port),
            server,
            runtime,
        };
        stand.settle(pods);
        Some(stand)
    }

    /// Another product, which reaches the store through another port.
    pub(crate) fn through(&mut self, port: u16) {
        self.router = router(port);
    }

    fn settle(&mut self, pods: u32) {
        let mut body = body::of(pods);
        for _ in 0..SETTLED_WITHIN {
            self.body = body.to_string().into();
            let answer: Value = serde_json::from_slice(&self.call()).expect("an answer is JSON");
            let before = body.clone();
            body::carry(&mut body, &answer);
            if body == before {
                return all_stay(&answer, pods);
            }
        }
        panic!("{pods} pods: the job is not settled after {SETTLED_WITHIN} calls");
    }

    /// Makes the next call write the running seconds of every pod, as calls do while the clock runs.
    pub(crate) fn let_time_pass(crawler: &mut redis::Connection) {
        let _: u64 = redis::cmd("DEL")
            .arg("rollcall:exec")
            .query(crawler)
            .expect("the store answers");
    }

    /// One call in this process and thread.
    pub(crate) fn call(&self) -> Bytes {
        let request = Request::post(PATH)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(self.body.clone()))
            .expect("a request can be built");
        self.runtime.block_on(async {
            let response = self
                .router
                .clone()
                .oneshot(request)
                .await
                .expect("the router always answers");
            assert_eq!(response.status(), 200);
            response
                .into_body()
                .collect()
                .await
                .expect("an answer can be read")
                .to_bytes()
        })
    }
}

fn load(server: &Server, pods: u32) {
    let mut load = redis::pipe();
    for command in body::store(pods) {
        let (name, words) = command.split_first().expect("a command has a name");
        load.cmd(name).arg(words).ignore();
    }
    let () = load.query(&mut server.connect()).expect("the store can be loaded");
}

fn router(store_port: u16) -> Router {
    let mut config = Config::built_in();
    config.crawl.store_port = store_port;
    let stores = Stores::Redis(RedisStores::new(config.server.store_deadline));
    let shell = Shell {
        clock: Clock::Frozen(NOW.parse().expect("an instant")),
        outside: Outside { stores },
    };
    app(State::new(config, shell))
}

/// What is measured is the everyday call: no pod is made or called back, and the store answers.
fn all_stay(answer: &Value, pods: u32) {
    let children = answer["children"].as_array().expect("children are a list");
    let pods_of = children.iter().filter(|child| child["kind"] == "Pod");
    assert_eq!(pods_of.clone().count(), pods as usize + 1, "crawlers and Redis");
    assert!(
        pods_of.clone().all(|pod| pod.get("spec").is_none()),
        "pods that exist are answered by name"
    );
    let conditions = answer["status"]["conditions"].as_array().expect("conditions");
    let asked = conditions
        .iter()
        .find(|condition| condition["type"] == "StoreReachable");
    assert_eq!(asked.expect("it is always said")["status"], "True");
}
