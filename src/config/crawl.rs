//! The `crawl` section: strings into [`CrawlPolicy`]. Refuses what could never work: a maximum below a request, a user
//! that is root, a time that is not one.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::amount::Amount;
use super::anchor::Anchor;
use super::checks::{image, is_object_name, not_below, positive};
use super::orgs::Orgs;
use super::problems::Problems;
use crate::policy::{CrawlPolicy, Image, RedisPolicy, UserIds};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Crawl {
    channels: BTreeMap<String, Channel>,
    max_scale: u32,
    store_port: u16,
    browsers: u32,
    cpu: Amount,
    cpu_per_extra_browser: Amount,
    memory: Amount,
    memory_per_extra_browser: Amount,
    memory_maximum: Amount,
    storage: Amount,
    storage_maximum: Amount,
    storage_class: Option<String>,
    storage_expandable: bool,
    growth_ratio: Amount,
    user: User,
    node_type: Option<String>,
    priority_class: String,
    background_priority_class: String,
    priority_classes: u32,
    termination_grace_seconds: u32,
    liveness_port: u16,
    shared_args: Vec<String>,
    allowed_args: Vec<String>,
    resync_seconds: u32,
    starting_seconds: u32,
    paused_expiry_seconds: u64,
    rate_limited_seconds: u64,
    redis: Redis,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Channel {
    #[serde(default)]
    image: String,
    #[serde(default = "if_not_present")]
    pull_policy: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct User {
    uid: i64,
    gid: i64,
    fs_group: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Redis {
    image: String,
    pull_policy: String,
    cpu: Amount,
    memory: Amount,
    memory_maximum: Amount,
    storage: Amount,
    user: User,
    node_type: Option<String>,
    idle_seconds: u32,
}

/// The section's amounts as numbers: millicores, bytes, percent.
struct Amounts {
    cpu: u64,
    cpu_extra: u64,
    memory: u64,
    memory_extra: u64,
    memory_max: u64,
    storage: u64,
    storage_max: u64,
    growth_percent: u32,
}

fn if_not_present() -> String {
    "IfNotPresent".to_owned()
}

impl Crawl {
    /// The policy, unless an amount could not be read; problems say what else is wrong.
    pub(super) fn checked(mut self, orgs: Orgs, anchor: Anchor, problems: &mut Problems) -> Option<CrawlPolicy> {
        self.check_numbers(problems);
        let amounts = self.amounts(problems);
        let redis = self.redis.checked(problems);
        let user = self.user.checked("crawl.user", problems);
        let channels = channels(self.channels, problems);
        let anchor = anchor.checked(problems);
        if self.liveness_port != 0 {
            let port = self.liveness_port.to_string();
            self.shared_args.extend(["--healthCheckPort".to_owned(), port]);
        }
        let amounts = amounts?;
        Some(CrawlPolicy {
            channels,
            max_scale: self.max_scale,
            store_port: self.store_port,
            workers: self.browsers,
            cpu_base_millis: amounts.cpu,
            cpu_extra_millis: amounts.cpu_extra,
            memory_base: amounts.memory,
            memory_extra: amounts.memory_extra,
            memory_max: amounts.memory_max,
            storage: amounts.storage,
            storage_max: amounts.storage_max,
            storage_class: self.storage_class.filter(|name| !name.is_empty()),
            storage_expandable: self.storage_expandable,
            growth_percent: amounts.growth_percent,
            redis: redis?,
            user,
            node_type: self.node_type.filter(|name| !name.is_empty()),
            priority_class: self.priority_class,
            background_priority_class: self.background_priority_class,
            priority_classes: self.priority_classes,
            grace_seconds: self.termination_grace_seconds,
            liveness_port: self.liveness_port,
            shared_args: self.shared_args,
            allowed_args: self.allowed_args,
            resync_seconds: self.resync_seconds,
            starting_seconds: self.starting_seconds,
            redis_idle_seconds: self.redis.idle_seconds,
            paused_expiry_seconds: self.paused_expiry_seconds,
            rate_limited_seconds: self.rate_limited_seconds,
            max_concurrent: orgs.max_concurrent_crawls,
            org_max_concurrent: orgs.per_org,
            anchor,
        })
    }

    fn amounts(&self, problems: &mut Problems) -> Option<Amounts> {
        let cpu = self.cpu.thousandths("crawl.cpu", problems);
        let cpu_extra = &self.cpu_per_extra_browser;
        let cpu_extra = cpu_extra.thousandths("crawl.cpuPerExtraBrowser", problems);
        let memory = self.memory.bytes("crawl.memory", problems);
        let memory_extra = &self.memory_per_extra_browser;
        let memory_extra = memory_extra.bytes("crawl.memoryPerExtraBrowser", problems);
        let memory_max = self.memory_maximum.bytes("crawl.memoryMaximum", problems);
        let storage = self.storage.bytes("crawl.storage", problems);
        let storage_max = self.storage_maximum.bytes("crawl.storageMaximum", problems);
        let growth = self.growth_ratio.thousandths("crawl.growthRatio", problems);
        let extra_browsers = u64::from(self.browsers.saturating_sub(1));
        let asked = memory.zip(memory_extra);
        let asked = asked.map(|(first, extra)| first.saturating_add(extra.saturating_mul(extra_browsers)));
        let who = format!("{} browsers ask for", self.browsers);
        not_below("crawl.memoryMaximum", memory_max, asked, &who, problems);
        let who = "crawl.storage asks for";
        not_below("crawl.storageMaximum", storage_max, storage, who, problems);
        positive(
            &[("crawl.cpu", cpu), ("crawl.memory", memory), ("crawl.storage", storage)],
            problems,
        );
        Some(Amounts {
            cpu: cpu?,
            cpu_extra: cpu_extra?,
            memory: memory?,
            memory_extra: memory_extra?,
            memory_max: memory_max?,
            storage: storage?,
            storage_max: storage_max?,
            growth_percent: growth_percent(growth?, problems)?,
        })
    }

    fn check_numbers(&self, problems: &mut Problems) {
        for (path, number) in [
            ("crawl.maxScale", self.max_scale),
            ("crawl.storePort", u32::from(self.store_port)),
            ("crawl.browsers", self.browsers),
            ("crawl.priorityClasses", self.priority_classes),
            ("crawl.terminationGraceSeconds", self.termination_grace_seconds),
            ("crawl.resyncSeconds", self.resync_seconds),
        ] {
            problems.require(number > 0, path, || "must be at least 1".to_owned());
        }
        problems.require(self.resync_seconds <= 3600, "crawl.resyncSeconds", || {
            format!(
                "{} is above 3600, the longest time between two calls",
                self.resync_seconds
            )
        });
        for (path, name) in [
            ("crawl.priorityClass", &self.priority_class),
            ("crawl.backgroundPriorityClass", &self.background_priority_class),
        ] {
            problems.require(name.is_empty() || is_object_name(name), path, || {
                format!("{name:?} is no prefix of an object name: small letters, digits, '-' and '.'")
            });
        }
        for (index, flag) in self.allowed_args.iter().enumerate() {
            problems.require(
                flag.starts_with("--") && !flag.contains(['=', ' ']),
                "crawl.allowedArgs",
                || format!("item {index} is {flag:?}; write the bare flag, such as --lang"),
            );
        }
    }
}

impl Redis {
    fn checked(&self, problems: &mut Problems) -> Option<RedisPolicy> {
        let cpu = self.cpu.thousandths("crawl.redis.cpu", problems);
        let memory = self.memory.bytes("crawl.redis.memory", problems);
        let memory_max = self.memory_maximum.bytes("crawl.redis.memoryMaximum", problems);
        let storage = self.storage.bytes("crawl.redis.storage", problems);
        not_below(
            "crawl.redis.memoryMaximum",
            memory_max,
            memory,
            "crawl.redis.memory asks for",
            problems,
        );
        positive(
            &[
                ("crawl.redis.cpu", cpu),
                ("crawl.redis.memory", memory),
                ("crawl.redis.storage", storage),
            ],
            problems,
        );
        Some(RedisPolicy {
            image: image("crawl.redis", &self.image, &self.pull_policy, problems),
            cpu_millis: cpu?,
            memory: memory?,
            memory_max: memory_max?,
            storage: storage?,
            user: self.user.checked("crawl.redis.user", problems),
            node_type: self.node_type.clone().filter(|name| !name.is_empty()),
        })
    }
}

impl User {
    fn checked(self, path: &str, problems: &mut Problems) -> UserIds {
        for (field, id) in [("uid", self.uid), ("gid", self.gid), ("fsGroup", self.fs_group)] {
            problems.require(id > 0, &format!("{path}.{field}"), || {
                format!("{id} is refused: pods never run as root; use a number of 1 or more")
            });
        }
        UserIds {
            uid: self.uid,
            gid: self.gid,
            fs_group: self.fs_group,
        }
    }
}

fn channels(channels: BTreeMap<String, Channel>, problems: &mut Problems) -> BTreeMap<String, Image> {
    let read = |(name, channel): (String, Channel)| {
        let path = format!("crawl.channels.{name}");
        let image = image(&path, &channel.image, &channel.pull_policy, problems);
        (name, image)
    };
    channels.into_iter().map(read).collect()
}

/// Percent, from thousandths.
fn growth_percent(ratio: u64, problems: &mut Problems) -> Option<u32> {
    let percent = u32::try_from(ratio / 10)
        .ok()
        .filter(|percent| *percent == 0 || (100..=10_000).contains(percent));
    problems.require(percent.is_some(), "crawl.growthRatio", || {
        "must be 0, or from 1 to 100".to_owned()
    });
    percent
}
