//! Takes a name of a Redis pod; gives commands to the Redis behind it that wait, as the crawler's do, until it answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{Cmd, FromRedisValue};

use crate::machine::Machine;

const RETRY: Duration = Duration::from_millis(100);
/// How long Redis must be away after a signal before the crawler gives up on it (10 s in the real one).
const GONE_AFTER: Duration = Duration::from_secs(2);

pub(crate) struct Store {
    machine: Machine,
    host: String,
    connection: tokio::sync::Mutex<Option<MultiplexedConnection>>,
    /// Set by the crawler at its first signal: from then on a long absence makes it end with exit 8.
    pub(crate) signalled: AtomicBool,
    pub(crate) was_gone: AtomicBool,
}

impl Store {
    /// `url` is the crawler's `--redisStoreUrl`.
    pub(crate) fn new(machine: Machine, url: &str) -> Self {
        let host = url
            .trim_start_matches("redis://")
            .split(['/', ':'])
            .next()
            .unwrap_or_default()
            .to_owned();
        let (signalled, was_gone) = (AtomicBool::new(false), AtomicBool::new(false));
        Self {
            machine,
            host,
            connection: tokio::sync::Mutex::new(None),
            signalled,
            was_gone,
        }
    }

    async fn connect(&self) -> Option<MultiplexedConnection> {
        let address = self.machine.resolve(&self.host)?;
        let client = redis::Client::open(format!("redis://{address}:6379/0")).ok()?;
        // No timeout for an answer: a command that a frozen Redis has already read must not be sent twice.
        let options = redis::AsyncConnectionConfig::new().set_response_timeout(None);
        let connecting = client.get_multiplexed_async_connection_with_config(&options);
        tokio::time::timeout(Duration::from_secs(1), connecting)
            .await
            .ok()?
            .ok()
    }

    /// One attempt; a failure drops the connection.
    async fn attempt<T: FromRedisValue>(&self, command: &Cmd) -> Option<T> {
        let mut held = self.connection.lock().await;
        if held.is_none() {
            *held = self.connect().await;
        }
        let connection = held.as_mut()?;
        let answer = command.query_async(connection).await;
        if answer.is_err() {
            *held = None;
        }
        answer.ok()
    }

    pub(crate) async fn ping(&self) -> bool {
        self.attempt::<String>(&redis::cmd("PING")).await.is_some()
    }

    /// Waits for ever: the crawler has no other way either.
    pub(crate) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> T {
        let since = Instant::now();
        loop {
            if let Some(value) = self.attempt(command).await {
                return value;
            }
            if self.signalled.load(Ordering::Relaxed) && since.elapsed() > GONE_AFTER {
                self.was_gone.store(true, Ordering::Relaxed);
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// The same for a command whose answer does not matter.
    pub(crate) async fn tell(&self, command: &Cmd) {
        let _: redis::Value = self.ask(command).await;
    }
}
