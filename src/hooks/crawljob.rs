//! CrawlJob: N browsertrix-crawler pods, one Redis pod and a volume each, that recover from what is observed.
//!
//! Promises: the rules of `hooks/crawljob/README.md`, by number. Relies on: metacontroller with dynamic apply, pods
//! OnDelete, claims and ConfigMaps InPlace; the crawler's keys in its Redis.

pub mod measure;
pub mod names;
pub mod observe;
pub mod observed;
pub mod register;
#[cfg(test)]
pub(crate) mod sample;
pub mod spec;
