//! Stores as real Redis servers: one atomic pipeline to read, one to write, one deadline.

/// Kept connections by address.
#[derive(Debug, Clone)]
pub struct RedisStores {}
