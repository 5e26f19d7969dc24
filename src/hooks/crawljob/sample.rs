//! A policy and a spec for tests: round numbers; in the policy everything optional is switched on, in the spec nothing is set.

use std::collections::BTreeMap;

use super::spec::{Config, Spec};
use crate::api::v1::crawljob::Priority;
use crate::policy::{CrawlPolicy, Image, RedisPolicy, UserIds};

pub(crate) fn policy() -> CrawlPolicy {
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
        channels: [("beta", "crawler:2"), ("default", "crawler:1")]
            .map(|(key, name)| (key.to_owned(), image(name)))
            .into(),
        max_scale: 1000,
        store_port: 6379,
        workers: 2,
        cpu_base_millis: 900,
        cpu_extra_millis: 600,
        memory_base: 1 << 30,
        memory_extra: 1 << 29,
        memory_max: 4 << 30,
        storage: 25 << 30,
        storage_max: 100 << 30,
        storage_class: None,
        storage_expandable: true,
        growth_percent: 250,
        redis: RedisPolicy {
            image: image("redis:7"),
            cpu_millis: 10,
            memory: 200 << 20,
            memory_max: 1 << 30,
            storage: 3 << 30,
            user: user(999),
            node_type: None,
        },
        user: user(201_407),
        node_type: None,
        priority_class: "crawl-pri".to_owned(),
        background_priority_class: "background-pri".to_owned(),
        priority_classes: 8,
        grace_seconds: 600,
        liveness_port: 6065,
        shared_args: Vec::new(),
        allowed_args: vec!["--lang".to_owned(), "--blockAds".to_owned()],
        resync_seconds: 10,
        starting_seconds: 150,
        redis_idle_seconds: 60,
        paused_expiry_seconds: 604_800,
        rate_limited_seconds: 43_200,
        max_concurrent: 0,
        org_max_concurrent: BTreeMap::from([("acme".to_owned(), 2)]),
        anchor: Some("rollcall-anchor".to_owned()),
    }
}

pub(crate) fn spec() -> Spec {
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
        memory: 1792 << 20,
        volume: 25 << 30,
        priority: Priority::Crawl,
        config: Config::Inline(r#"{"seeds":[{"url":"https://example.org/"}]}"#.to_owned()),
    }
}
