//! One job, policy and spec with every optional part set, for the tests of the builders.

use std::collections::BTreeMap;

use crate::api::v1::crawljob::Priority;
use crate::hooks::crawljob::build::{Identity, Recipe};
use crate::hooks::crawljob::observed::{Anchor, Job};
use crate::hooks::crawljob::spec::{Config, Spec, Storage};
use crate::policy::{CrawlPolicy, Image, RedisPolicy, UserIds};

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
            ..plain_spec()
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
        spec: plain_spec(),
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

fn plain_spec() -> Spec {
    Spec {
        scale: 2,
        workers_set: None,
        workers: 2,
        channel: "default".to_owned(),
        stopping: false,
        paused_at: None,
        restart_time: None,
        unreadable_times: Vec::new(),
        timeout: None,
        max_size: None,
        org: None,
        user_id: None,
        storage: None,
        profile: None,
        save_profile: false,
        proxy_secret: None,
        warc_prefix: None,
        extra_args: Vec::new(),
        env: BTreeMap::new(),
        ephemeral: false,
        cpu_millis: 1500,
        memory: MEMORY,
        volume: 25 * GIB,
        priority: Priority::Crawl,
        config: Config::Inline(r#"{"seeds":[{"url":"https://example.org/"}]}"#.to_owned()),
    }
}

pub(in crate::hooks::crawljob) fn policy() -> CrawlPolicy {
    let image = |name: &str| Image {
        name: name.to_owned(),
        pull_policy: "IfNotPresent".to_owned(),
    };
    let user = |id| UserIds {
        uid: id,
        gid: id,
        fs_group: id,
    };
    CrawlPolicy {
        channels: BTreeMap::from([(
            "default".to_owned(),
            image("docker.io/webrecorder/browsertrix-crawler:1.14.1"),
        )]),
        max_scale: 1000,
        store_port: 6379,
        workers: 2,
        cpu_base_millis: 900,
        cpu_extra_millis: 600,
        memory_base: 1024 << 20,
        memory_extra: 768 << 20,
        memory_max: 8 * GIB,
        storage: 25 * GIB,
        storage_max: 200 * GIB,
        storage_class: None,
        storage_expandable: true,
        growth_percent: 250,
        redis: RedisPolicy {
            image: image("docker.io/library/redis:8.6.1"),
            cpu_millis: 10,
            memory: REDIS_MEMORY,
            memory_max: 2 * GIB,
            storage: 3 * GIB,
            user: user(999),
            node_type: None,
        },
        user: user(201_407),
        node_type: None,
        priority_class: "crawl-pri".to_owned(),
        background_priority_class: "crawl-background".to_owned(),
        priority_classes: 8,
        grace_seconds: 600,
        liveness_port: 6065,
        shared_args: vec![
            "--generateWACZ".to_owned(),
            "--userAgentSuffix".to_owned(),
            "+see us".to_owned(),
        ],
        allowed_args: Vec::new(),
        resync_seconds: 10,
        starting_seconds: 150,
        redis_idle_seconds: 60,
        paused_expiry_seconds: 604_800,
        rate_limited_seconds: 43_200,
        max_concurrent: 0,
        org_max_concurrent: BTreeMap::new(),
        anchor: Some("rollcall-anchor".to_owned()),
    }
}
