//! One job, policy and spec with every optional part set, for the tests of the builders.

use std::collections::BTreeMap;

use crate::hooks::crawljob::build::{Identity, Recipe};
use crate::hooks::crawljob::observed::{Anchor, Job};
use crate::hooks::crawljob::sample;
use crate::hooks::crawljob::spec::{Spec, Storage};
use crate::policy::{CrawlPolicy, Image, RedisPolicy};

pub(super) const GIB: u64 = 1 << 30;
pub(super) const MEMORY: u64 = 1792 << 20;
pub(super) const REDIS_MEMORY: u64 = 200 << 20;

/// The owned parts of a recipe.
pub(super) struct Sample {
    pub(super) job: Job,
    pub(super) anchor: Anchor,
    pub(super) spec: Spec,
    pub(super) policy: CrawlPolicy,
}

impl Sample {
    pub(super) fn identity(&self) -> Identity<'_> {
        Identity {
            job: &self.job,
            anchor: &self.anchor,
            anchor_name: self.policy.anchor.as_deref(),
        }
    }

    pub(super) fn recipe(&self) -> Recipe<'_> {
        Recipe {
            identity: self.identity(),
            spec: &self.spec,
            policy: &self.policy,
            restart: self.spec.restart_time,
        }
    }
}

/// Everything set.
pub(super) fn full() -> Sample {
    Sample {
        job: job("news"),
        anchor: Anchor::Seen("5d0ef3d4-0a70-4f63-8d6c-000000000001".to_owned()),
        spec: Spec {
            profile: Some("profiles/login.tar.gz".to_owned()),
            save_profile: true,
            proxy_secret: Some("proxies".to_owned()),
            warc_prefix: Some("acme-news".to_owned()),
            extra_args: vec!["--lang".to_owned(), "$(STORE_SECRET_KEY)".to_owned()],
            env: BTreeMap::from([
                ("CRAWL_ID".to_owned(), "another".to_owned()),
                ("STORE_ENDPOINT_URL".to_owned(), "https://elsewhere.example/".to_owned()),
                ("TZ".to_owned(), "UTC".to_owned()),
            ]),
            user_id: Some("ada".to_owned()),
            org: Some("acme".to_owned()),
            storage: Some(Storage {
                secret: "storage-default".to_owned(),
                path: Some("acme/".to_owned()),
                filename: Some("@ts-@hostsuffix.wacz".to_owned()),
            }),
            restart_time: Some("2026-12-01T10:00:00+01:00".parse().unwrap()),
            ..sample::spec()
        },
        policy: CrawlPolicy {
            node_type: Some("crawling".to_owned()),
            storage_class: Some("standard".to_owned()),
            redis: RedisPolicy {
                node_type: Some("infra".to_owned()),
                ..policy().redis
            },
            ..policy()
        },
    }
}

/// Nothing set that can be left out.
pub(super) fn plain() -> Sample {
    Sample {
        job: job("news"),
        anchor: Anchor::Off,
        spec: sample::spec(),
        policy: CrawlPolicy {
            anchor: None,
            priority_class: String::new(),
            liveness_port: 0,
            ..policy()
        },
    }
}

fn job(name: &str) -> Job {
    Job {
        name: name.to_owned(),
        namespace: "crawls".to_owned(),
        created: None,
        terminating: false,
        orphan: false,
        recoverable: "{}".to_owned(),
    }
}

/// The hook's sample policy with the images and limits of the golden pods.
fn policy() -> CrawlPolicy {
    let sample = sample::policy();
    let image = |name: &str| Image {
        name: name.to_owned(),
        pull_policy: "IfNotPresent".to_owned(),
    };
    CrawlPolicy {
        channels: BTreeMap::from([(
            "default".to_owned(),
            image("docker.io/webrecorder/browsertrix-crawler:1.14.1"),
        )]),
        memory_extra: 768 << 20,
        memory_max: 8 * GIB,
        storage_max: 200 * GIB,
        redis: RedisPolicy {
            image: image("docker.io/library/redis:8.6.1"),
            memory_max: 2 * GIB,
            ..sample.redis.clone()
        },
        background_priority_class: "crawl-background".to_owned(),
        shared_args: ["--generateWACZ", "--userAgentSuffix", "+see us"]
            .map(str::to_owned)
            .into(),
        ..sample
    }
}
