//! The ports to everything beyond the request: today the store of a crawl. One deadline for a call, one try, bounded
//! answers.
//!
//! A failed read is an observation, [`store::StoreReading::Unreachable`], never an error, so that "no answer" can not be
//! taken for "nothing there" (S1).

pub mod memory;
pub mod redis;
pub mod store;

use store::{StoreAddress, StoreQuestion, StoreReading, StoreWrite, Unreachable};

/// The outside as one call sees it.
#[derive(Debug, Clone)]
pub struct Outside {
    /// The stores of the crawls.
    pub stores: Stores,
}

impl Outside {
    /// The outside of a call that begins now: its deadline starts, and covers all that the call asks and tells.
    #[must_use]
    pub fn begin(&self) -> Self {
        let stores = match &self.stores {
            Stores::Redis(stores) => Stores::Redis(stores.begin()),
            Stores::Memory(stores) => Stores::Memory(stores.clone()),
            Stores::Disabled => Stores::Disabled,
        };
        Self { stores }
    }
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

impl Stores {
    /// Asks one store once. It always gives an observation: that it could not be asked is one too (S1).
    pub async fn read(&self, address: &StoreAddress, question: &StoreQuestion) -> StoreReading {
        match self {
            Self::Redis(stores) => stores.read(address, question).await,
            Self::Memory(stores) => stores.read(address, question),
            Self::Disabled => StoreReading::Unreachable(Unreachable::Disabled),
        }
    }

    /// Tells one store all of this, in order, with nobody in between. Nothing to tell is not sent.
    ///
    /// # Errors
    /// Why it could not be told. What was sent may have arrived all the same: each write is safe to repeat.
    pub async fn write(&self, address: &StoreAddress, writes: &[StoreWrite]) -> Result<(), Unreachable> {
        if writes.is_empty() {
            return Ok(());
        }
        match self {
            Self::Redis(stores) => stores.write(address, writes).await,
            Self::Memory(stores) => stores.write(address, writes),
            Self::Disabled => Err(Unreachable::Disabled),
        }
    }
}
