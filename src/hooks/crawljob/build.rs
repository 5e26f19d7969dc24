//! The children of a job, whole: takes validated parts, gives Kubernetes objects.
//!
//! Pure. Equal input gives equal objects; nothing random, timed or copied from the server goes in, beyond what rules D3
//! and D7 name. Unset fields are absent, and names, keys and container ports are unique (D6).

mod config_map;
mod crawler;
mod meta;
mod pod;
mod redis;
mod volume;

#[cfg(test)]
mod restricted;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use config_map::config_map;
pub use crawler::crawler_pod;
pub use meta::{pod_reference, stranger_reference};
pub use redis::redis_pod;
pub use volume::{crawler_volume, existing_volume, redis_volume};

use super::observed::{Anchor, Job};
use super::spec::Spec;
use crate::observed::Timestamp;
use crate::policy::CrawlPolicy;

/// Key of the crawler's configuration in its ConfigMap, and its file name in the pod.
pub const CONFIG_KEY: &str = "crawl-config.json";

/// Who the children belong to; enough for keeping, also when the spec can't be used.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The parent.
    pub job: &'a Job,
    /// The anchor as observed (D7).
    pub anchor: &'a Anchor,
    /// Name of the anchor ConfigMap; unset = no anchor.
    pub anchor_name: Option<&'a str>,
}

/// Identity plus what a new pod is made from.
#[derive(Debug, Clone, Copy)]
pub struct Recipe<'a> {
    /// Who it belongs to.
    pub identity: Identity<'a>,
    /// What the user wants.
    pub spec: &'a Spec,
    /// What the configuration says.
    pub policy: &'a CrawlPolicy,
    /// The restart that a new pod is made for: an instant that has passed (R1).
    pub restart: Option<Timestamp>,
}

/// What a child is for; decides its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Pod or volume of an instance.
    Crawler(u32),
    /// The Redis pod or its volume.
    Redis,
    /// The crawler's configuration.
    Config,
    /// The register.
    Register,
    /// The queue ticket.
    Ticket {
        /// The org whose queue it stands in.
        org: String,
    },
    /// Not made by us (O1).
    Stranger,
}

impl Role {
    /// The value of the role label.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Crawler(_) => "crawler",
            Self::Redis => "redis",
            Self::Config => "config",
            Self::Register => "register",
            Self::Ticket { .. } => "ticket",
            Self::Stranger => "stranger",
        }
    }

    /// The program that a child of this role runs, stores for or is read by.
    const fn program(&self) -> &'static str {
        match self {
            Self::Crawler(_) | Self::Config => "browsertrix-crawler",
            Self::Redis => "redis",
            Self::Register | Self::Ticket { .. } | Self::Stranger => "rollcall",
        }
    }
}
