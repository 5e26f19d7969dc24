//! The commands of a [`MemoryStore`], one method each, named as in Redis: what the simulator's crawlers do to a store,
//! and what the hook's own reads and writes are made of.

use super::model::{MemoryStore, Refusal, Score, Value};

/// Any type.
impl MemoryStore {
    /// `DEL`; whether it was there.
    pub fn del(&mut self, key: &str) -> bool {
        self.keys.remove(key).is_some()
    }

    /// `EXISTS`.
    #[must_use]
    pub fn exists(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// `FLUSHALL`: a store that lost its data.
    pub fn flush(&mut self) {
        self.keys.clear();
    }

    /// Nothing is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Strings.
impl MemoryStore {
    /// `SET`, whatever the key held.
    pub fn set(&mut self, key: &str, value: &str) {
        self.keys.insert(key.to_owned(), Value::String(value.to_owned()));
    }

    /// `SET NX`; whether it was set.
    pub fn set_nx(&mut self, key: &str, value: &str) -> bool {
        let free = !self.exists(key);
        if free {
            self.set(key, value);
        }
        free
    }

    /// `GET`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn get(&self, key: &str) -> Result<Option<&str>, Refusal> {
        match self.keys.get(key) {
            None => Ok(None),
            Some(Value::String(value)) => Ok(Some(value)),
            Some(Value::List(_) | Value::Set(_) | Value::Hash(_) | Value::Zset(_)) => Err(Refusal::WrongType),
        }
    }

    /// `INCR`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`], or [`Refusal::NotANumber`] when it is none or would overflow.
    pub fn incr(&mut self, key: &str) -> Result<i64, Refusal> {
        let before: i64 = self.get(key)?.unwrap_or("0").parse().map_err(|_| Refusal::NotANumber)?;
        let after = before.checked_add(1).ok_or(Refusal::NotANumber)?;
        self.set(key, &after.to_string());
        Ok(after)
    }
}

/// Hashes.
impl MemoryStore {
    /// `HSET`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn hset(&mut self, key: &str, field: &str, value: &str) -> Result<(), Refusal> {
        self.change_hash(key, |hash| drop(hash.insert(field.to_owned(), value.to_owned())))
    }

    /// `HDEL`; whether it was there.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn hdel(&mut self, key: &str, field: &str) -> Result<bool, Refusal> {
        self.change_hash(key, |hash| hash.remove(field).is_some())
    }

    /// `HGET`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn hget(&self, key: &str, field: &str) -> Result<Option<&str>, Refusal> {
        Ok(self.see_hash(key)?.and_then(|hash| hash.get(field)).map(String::as_str))
    }

    /// `HKEYS`, in order.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn hkeys(&self, key: &str) -> Result<Vec<&str>, Refusal> {
        Ok(self
            .see_hash(key)?
            .into_iter()
            .flat_map(|hash| hash.keys())
            .map(String::as_str)
            .collect())
    }

    /// `HLEN`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn hlen(&self, key: &str) -> Result<usize, Refusal> {
        Ok(self.see_hash(key)?.map_or(0, std::collections::BTreeMap::len))
    }
}

/// Lists.
impl MemoryStore {
    /// `RPUSH`; the new length.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn rpush(&mut self, key: &str, value: &str) -> Result<usize, Refusal> {
        self.change_list(key, |list| {
            list.push(value.to_owned());
            list.len()
        })
    }

    /// `LPUSH`; the new length.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn lpush(&mut self, key: &str, value: &str) -> Result<usize, Refusal> {
        self.change_list(key, |list| {
            list.insert(0, value.to_owned());
            list.len()
        })
    }

    /// `LPOP`: crawlers read their messages with it. The hook pops nothing (S3).
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn lpop(&mut self, key: &str) -> Result<Option<String>, Refusal> {
        self.change_list(key, |list| if list.is_empty() { None } else { Some(list.remove(0)) })
    }

    /// `LLEN`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn llen(&self, key: &str) -> Result<usize, Refusal> {
        Ok(self.see_list(key)?.map_or(0, Vec::len))
    }

    /// `LRANGE`: both ends included, negative ones counted from the end.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn lrange(&self, key: &str, from: i64, to: i64) -> Result<&[String], Refusal> {
        let list = self.see_list(key)?.map_or(&[][..], Vec::as_slice);
        let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
        let place = |end: i64| if end < 0 { end.saturating_add(length) } else { end };
        let from = usize::try_from(place(from).max(0)).unwrap_or(usize::MAX);
        let after = usize::try_from(place(to).min(length - 1) + 1).unwrap_or(0);
        Ok(list.get(from..after).unwrap_or(&[]))
    }
}

/// Sets.
impl MemoryStore {
    /// `SADD`; whether it is new.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn sadd(&mut self, key: &str, member: &str) -> Result<bool, Refusal> {
        self.change_set(key, |set| set.insert(member.to_owned()))
    }

    /// `SREM`; whether it was there.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn srem(&mut self, key: &str, member: &str) -> Result<bool, Refusal> {
        self.change_set(key, |set| set.remove(member))
    }

    /// `SISMEMBER`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn sismember(&self, key: &str, member: &str) -> Result<bool, Refusal> {
        Ok(self.see_set(key)?.is_some_and(|set| set.contains(member)))
    }

    /// `SCARD`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn scard(&self, key: &str) -> Result<usize, Refusal> {
        Ok(self.see_set(key)?.map_or(0, std::collections::BTreeSet::len))
    }
}

/// Sorted sets.
impl MemoryStore {
    /// `ZADD`; whether it is new. A member that is there gets the new score.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn zadd(&mut self, key: &str, score: f64, member: &str) -> Result<bool, Refusal> {
        self.change_zset(key, |zset| zset.insert(member.to_owned(), Score::new(score)).is_none())
    }

    /// `ZREM`; whether it was there.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn zrem(&mut self, key: &str, member: &str) -> Result<bool, Refusal> {
        self.change_zset(key, |zset| zset.remove(member).is_some())
    }

    /// `ZPOPMIN`: the member with the lowest score, the first by name among equals.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn zpopmin(&mut self, key: &str) -> Result<Option<(String, f64)>, Refusal> {
        self.change_zset(key, |zset| {
            let lowest = zset
                .iter()
                .min_by(|a, b| a.1.get().total_cmp(&b.1.get()).then(a.0.cmp(b.0)));
            let member = lowest.map(|(member, _)| member.clone())?;
            zset.remove_entry(&member).map(|(member, score)| (member, score.get()))
        })
    }

    /// `ZCARD`.
    ///
    /// # Errors
    /// [`Refusal::WrongType`].
    pub fn zcard(&self, key: &str) -> Result<usize, Refusal> {
        Ok(self.see_zset(key)?.map_or(0, std::collections::BTreeMap::len))
    }
}
