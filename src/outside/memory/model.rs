//! One store in this process: the commands that we and the crawlers use, with the semantics of Redis. Takes commands,
//! gives replies; no clock, no I/O, ordered and hashable, so that a model checker may hold many. Keys never expire by
//! themselves: whoever plays the crawler deletes them.

use std::collections::{BTreeMap, BTreeSet};

use crate::outside::store::command::{self, Change, Look};
use crate::outside::store::reply::Reply;
use crate::outside::store::{StoreQuestion, StoreReading, StoreWrite, Unreachable};

/// What a key holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Value {
    String(String),
    List(Vec<String>),
    Set(BTreeSet<String>),
    Hash(BTreeMap<String, String>),
    Zset(BTreeMap<String, Score>),
}

/// A score: the bits of a float, so that it can be compared and hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Score(u64);

impl Score {
    pub(super) fn new(score: f64) -> Self {
        // Zero has two bit patterns and one meaning.
        Self((score + 0.0).to_bits())
    }

    pub(super) fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// Why a command was refused; the store is unchanged then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// The key holds another type.
    #[error("the key holds a value of another type: delete it first")]
    WrongType,
    /// The value can't be counted up.
    #[error("the value is not a whole number of 64 bits: set one first")]
    NotANumber,
}

/// The store of one job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryStore {
    pub(super) keys: BTreeMap<String, Value>,
}

macro_rules! typed {
    ($see:ident, $change:ident, $variant:ident, $inner:ty) => {
        pub(super) fn $see(&self, key: &str) -> Result<Option<&$inner>, Refusal> {
            match self.keys.get(key) {
                None => Ok(None),
                Some(Value::$variant(inner)) => Ok(Some(inner)),
                Some(_) => Err(Refusal::WrongType),
            }
        }

        pub(super) fn $change<T>(&mut self, key: &str, change: impl FnOnce(&mut $inner) -> T) -> Result<T, Refusal> {
            let value = self
                .keys
                .entry(key.to_owned())
                .or_insert_with(|| Value::$variant(<$inner>::new()));
            let Value::$variant(inner) = value else {
                return Err(Refusal::WrongType);
            };
            let result = change(inner);
            // A collection without members is no key.
            if inner.is_empty() {
                self.keys.remove(key);
            }
            Ok(result)
        }
    };
}

impl MemoryStore {
    typed!(see_list, change_list, List, Vec<String>);
    typed!(see_set, change_set, Set, BTreeSet<String>);
    typed!(see_hash, change_hash, Hash, BTreeMap<String, String>);
    typed!(see_zset, change_zset, Zset, BTreeMap<String, Score>);
}

/// What the hook does, without the port around it.
impl MemoryStore {
    /// One read, as [`crate::outside::Stores::read`] gives it.
    #[must_use]
    pub fn read(&self, job: &str, question: &StoreQuestion) -> StoreReading {
        let replies = command::read(job, question)
            .iter()
            .map(|command| self.answer(job, command))
            .collect();
        StoreReading::from_replies(job, question, replies)
    }

    /// Some writes, as [`crate::outside::Stores::write`] does them. A refused one does not stop the others, as in
    /// `MULTI`.
    ///
    /// # Errors
    /// [`Unreachable::ErrorAnswer`] when a key holds another type.
    pub fn write(&mut self, job: &str, writes: &[StoreWrite]) -> Result<(), Unreachable> {
        let mut result = Ok(());
        for command in command::write(job, writes) {
            if self.change(command).is_err() {
                result = Err(Unreachable::ErrorAnswer);
            }
        }
        result
    }

    fn answer(&self, job: &str, command: &Look) -> Reply {
        self.look(job, command).unwrap_or(Reply::Error)
    }

    fn look(&self, job: &str, command: &Look) -> Result<Reply, Refusal> {
        Ok(match command {
            Look::DumpName => Reply::texts(["dbfilename", &format!("{job}.rdb")]),
            Look::Get(key) => self.get(key)?.map_or(Reply::Nil, Reply::text),
            Look::Exists(key) => Reply::Int(i64::from(self.exists(key))),
            Look::HGetAll(key) => {
                let pairs = self.see_hash(key)?.into_iter().flatten();
                Reply::texts(pairs.flat_map(|(field, value)| [field.as_str(), value.as_str()]))
            }
            Look::HLen(key) => Reply::length(self.see_hash(key)?.map_or(0, BTreeMap::len)),
            Look::SCard(key) => Reply::length(self.scard(key)?),
            Look::SMembers(key) => Reply::texts(self.see_set(key)?.into_iter().flatten().map(String::as_str)),
            Look::LLen(key) => Reply::length(self.llen(key)?),
            Look::LIndex(key, index) => match self.lrange(key, *index, *index)?.first() {
                Some(line) => Reply::text(line),
                None => Reply::Nil,
            },
            Look::LRange(key, from, to) => Reply::texts(self.lrange(key, *from, *to)?.iter().map(String::as_str)),
            Look::ZCard(key) => Reply::length(self.zcard(key)?),
        })
    }

    fn change(&mut self, command: Change) -> Result<(), Refusal> {
        match command {
            Change::Set(key, value) => self.set(&key, &value),
            Change::SetNx(key, value) => {
                self.set_nx(&key, &value);
            }
            Change::Del(keys) => {
                for key in keys {
                    self.del(&key);
                }
            }
            Change::HSet(key, field, value) => self.hset(&key, &field, &value)?,
            Change::HDel(key, field) => {
                self.hdel(&key, &field)?;
            }
            Change::SAdd(key, member) => {
                self.sadd(&key, &member)?;
            }
            Change::SRem(key, member) => {
                self.srem(&key, &member)?;
            }
        }
        Ok(())
    }
}
