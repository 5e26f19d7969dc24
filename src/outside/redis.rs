//! Stores as real Redis servers: one atomic pipeline to read, one to write, one deadline.

/// Kept connections by address.
#[derive(Debug, Clone)]
pub struct RedisStores {}

impl RedisStores {
    /// No connection yet.
    #[must_use]
    pub fn new(_deadline: std::time::Duration) -> Self {
        Self {}
    }
}
