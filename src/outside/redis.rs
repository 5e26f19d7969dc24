//! Stores as real Redis servers: one atomic pipeline to read, one to write, one deadline for both and their connects, one
//! try (S1). Takes an address and typed words, gives a reading or [`Unreachable`]; it decides nothing.
//!
//! A connection is taken out of the kept ones for an exchange and put back only after a complete one. So whatever
//! breaks, hangs or is given up in between is dropped with it, and an answer can never meet the wrong question.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{Cmd, Pipeline, Value};
use tokio::time::Instant;

use super::store::command::{self, Change, Look};
use super::store::reply::Reply;
use super::store::{StoreAddress, StoreQuestion, StoreReading, StoreWrite, Unreachable};
use connection::Connection;

mod connection;

/// Kept connections at most; beyond, the one that idles longest goes.
const MAX_KEPT: usize = 512;
/// A connection that idles longer goes.
const MAX_IDLE: Duration = Duration::from_secs(90);
/// How often idle ones are looked for, on use.
const SWEEP: Duration = Duration::from_secs(10);

/// Kept connections by address; clones share them.
#[derive(Debug, Clone)]
pub struct RedisStores {
    deadline: Duration,
    begun: Option<Instant>,
    most: usize,
    idle: Duration,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug)]
struct Kept {
    connections: BTreeMap<SocketAddr, (Instant, Connection)>,
    swept: Instant,
}

impl RedisStores {
    /// Stores with this deadline for all that one call asks and tells. Until a call begins, each exchange is one of its own.
    #[must_use]
    pub fn new(deadline: Duration) -> Self {
        let kept = Kept {
            connections: BTreeMap::new(),
            swept: Instant::now(),
        };
        Self {
            deadline,
            begun: None,
            most: MAX_KEPT,
            idle: MAX_IDLE,
            kept: Arc::new(Mutex::new(kept)),
        }
    }

    /// The same connections for a call that begins now.
    pub(super) fn begin(&self) -> Self {
        Self {
            begun: Some(Instant::now()),
            ..self.clone()
        }
    }

    /// A read leaves a quarter of the time to the write that may follow: a slow store must still be told its flags.
    fn read_by(&self) -> Instant {
        self.begun() + self.deadline * 3 / 4
    }

    fn write_by(&self) -> Instant {
        self.begun() + self.deadline
    }

    fn begun(&self) -> Instant {
        self.begun.unwrap_or_else(Instant::now)
    }

    /// How many connections are kept now.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.lock().connections.len()
    }

    pub(super) async fn read(&self, address: &StoreAddress, question: &StoreQuestion) -> StoreReading {
        let commands = command::read(&address.job, question);
        match self.exchange(address, self.read_by(), commands.iter().map(look)).await {
            Ok(replies) => StoreReading::from_replies(&address.job, question, replies),
            Err(reason) => StoreReading::Unreachable(reason),
        }
    }

    pub(super) async fn write(&self, address: &StoreAddress, writes: &[StoreWrite]) -> Result<(), Unreachable> {
        let commands = command::write(&address.job, writes);
        let replies = self
            .exchange(address, self.write_by(), commands.iter().map(change))
            .await?;
        if replies.contains(&Reply::Error) {
            Err(Unreachable::ErrorAnswer)
        } else {
            Ok(())
        }
    }

    /// One `MULTI` … `EXEC`, one round trip.
    async fn exchange(
        &self,
        address: &StoreAddress,
        by: Instant,
        commands: impl Iterator<Item = Cmd>,
    ) -> Result<Vec<Reply>, Unreachable> {
        let pipeline = transaction(commands);
        let address = SocketAddr::new(address.ip, address.port);
        let exchange = async {
            let mut connection = match self.take(address) {
                Some(connection) => connection,
                None => Connection::open(address).await?,
            };
            let replies = executed(connection.ask(&pipeline).await?)?;
            self.keep(address, connection);
            Ok(replies)
        };
        tokio::time::timeout_at(by, exchange)
            .await
            .unwrap_or(Err(Unreachable::Timeout))
    }

    fn take(&self, address: SocketAddr) -> Option<Connection> {
        let (_, connection) = self.lock().connections.remove(&address)?;
        connection.is_open().then_some(connection)
    }

    fn keep(&self, address: SocketAddr, connection: Connection) {
        let now = Instant::now();
        let mut kept = self.lock();
        kept.connections.insert(address, (now, connection));
        if now.duration_since(kept.swept) >= SWEEP.min(self.idle) {
            kept.swept = now;
            kept.connections
                .retain(|_, (used, connection)| now.duration_since(*used) < self.idle && connection.is_open());
        }
        if kept.connections.len() > self.most {
            let oldest = kept
                .connections
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(address, _)| *address);
            oldest.and_then(|oldest| kept.connections.remove(&oldest));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Nothing in here is ever left half done, so a panic of another holder spoils nothing.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The commands that some writes would send, word by word, for people.
#[must_use]
pub fn spelled(job: &str, writes: &[StoreWrite]) -> Vec<Vec<String>> {
    let words = |command: &Cmd| command.args_iter().filter_map(|arg| word(&arg)).collect();
    command::write(job, writes)
        .iter()
        .map(|wish| words(&change(wish)))
        .collect()
}

fn word(arg: &redis::Arg<&[u8]>) -> Option<String> {
    match arg {
        redis::Arg::Simple(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// `MULTI`, the commands, `EXEC`. Written out, because the library's own transactions lose the reason when `MULTI`
/// itself is refused.
fn transaction(commands: impl Iterator<Item = Cmd>) -> Pipeline {
    let mut pipeline = Pipeline::new();
    pipeline.ignore_errors().cmd("MULTI");
    for command in commands {
        pipeline.add_command(command);
    }
    pipeline.cmd("EXEC");
    pipeline
}

/// The replies inside `EXEC`. An error before it refused the whole.
fn executed(mut answers: Vec<Value>) -> Result<Vec<Reply>, Unreachable> {
    let executed = answers.pop();
    if answers.iter().any(|answer| matches!(answer, Value::ServerError(_))) {
        return Err(Unreachable::ErrorAnswer);
    }
    match executed {
        Some(Value::Array(replies)) => replies.into_iter().map(reply).collect(),
        Some(Value::ServerError(_)) => Err(Unreachable::ErrorAnswer),
        _ => Err(Unreachable::Garbage),
    }
}

fn reply(value: Value) -> Result<Reply, Unreachable> {
    Ok(match value {
        Value::Nil => Reply::Nil,
        Value::Int(number) => Reply::Int(number),
        Value::BulkString(bytes) => Reply::Bytes(bytes),
        Value::SimpleString(text) => Reply::Bytes(text.into_bytes()),
        Value::Okay => Reply::Bytes(b"OK".to_vec()),
        Value::Array(list) => Reply::List(list.into_iter().map(reply).collect::<Result<_, _>>()?),
        Value::ServerError(_) => Reply::Error,
        // Of the newer protocol, which is not spoken here.
        _ => return Err(Unreachable::Garbage),
    })
}

fn look(command: &Look) -> Cmd {
    match command {
        Look::DumpName => {
            let mut config = redis::cmd("CONFIG");
            config.arg("GET").arg("dbfilename");
            config
        }
        Look::Get(key) => Cmd::get(key),
        Look::Exists(key) => Cmd::exists(key),
        Look::HGetAll(key) => Cmd::hgetall(key),
        Look::HLen(key) => Cmd::hlen(key),
        Look::SCard(key) => Cmd::scard(key),
        Look::SMembers(key) => Cmd::smembers(key),
        Look::LLen(key) => Cmd::llen(key),
        Look::LIndex(key, index) => counted("LINDEX", key, &[*index]),
        Look::LRange(key, from, to) => counted("LRANGE", key, &[*from, *to]),
        Look::ZCard(key) => Cmd::zcard(key),
    }
}

/// A command with positions; the library's own take `isize`.
fn counted(name: &str, key: &str, positions: &[i64]) -> Cmd {
    let mut command = redis::cmd(name);
    command.arg(key).arg(positions);
    command
}

fn change(command: &Change) -> Cmd {
    match command {
        Change::Set(key, value) => Cmd::set(key, value),
        Change::SetNx(key, value) => Cmd::set_nx(key, value),
        Change::Del(keys) => Cmd::del(keys),
        Change::HSet(key, field, value) => Cmd::hset(key, field, value),
        Change::HDel(key, field) => Cmd::hdel(key, field),
        Change::SAdd(key, member) => Cmd::sadd(key, member),
        Change::SRem(key, member) => Cmd::srem(key, member),
    }
}

#[cfg(test)]
mod tests;
