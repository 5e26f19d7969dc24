//! `rollcall.dev/v1`: the types behind the CRDs, and the names and labels of what belongs to them. They say what is stored,
//! with schema and defaults; what a spec means is decided by the hook that reads it.

pub mod condition;
pub mod crawljob;
pub mod crawljob_names;
pub mod crawljob_status;

pub use condition::{Condition, ConditionStatus};
pub use crawljob::{CrawlJob, CrawlJobSpec};
pub use crawljob_status::CrawlJobStatus;
