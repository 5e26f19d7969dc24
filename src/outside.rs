//! The ports to everything beyond the request: today the store of a crawl. One deadline, one try, bounded answers.
//!
//! A failed read is an observation, [`store::StoreReading::Unreachable`], never an error, so that "no answer" can not be
//! taken for "nothing there" (S1).

pub mod memory;
pub mod redis;
pub mod store;

/// The outside as one call sees it.
#[derive(Debug, Clone)]
pub struct Outside {
    /// The stores of the crawls.
    pub stores: Stores,
}

/// The ways to reach a crawl's store.
#[derive(Debug, Clone)]
pub enum Stores {
    /// Real Redis servers, at the pods' addresses.
    Redis(redis::RedisStores),
    /// In this process, for the demo and the tests.
    Memory(memory::MemoryStores),
    /// None: every store is [`store::Unreachable::Disabled`].
    Disabled,
}
