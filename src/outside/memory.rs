//! Stores in this process, for the demo and the tests.

/// Stores by namespace and job.
#[derive(Debug, Clone)]
pub struct MemoryStores {}
