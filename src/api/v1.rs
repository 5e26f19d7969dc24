//! `rollcall.dev/v1`: the types behind the CRDs. They say what is stored, with schema and defaults; what a spec means
//! is decided by the hook that reads it.

pub mod condition;
pub mod crawljob;
pub mod crawljob_status;

pub use condition::{Condition, ConditionStatus};
pub use crawljob::{CrawlJob, CrawlJobSpec};
pub use crawljob_status::CrawlJobStatus;
