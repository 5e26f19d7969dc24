//! The answer in the making: children and the verdict on each.
//!
//! Takes what the steps say of one child; gives the children list, in which every observed child is either kept on purpose or
//! left out with a named reason. Pods that exist are answered by reference, everything else in full (D6).

use std::collections::BTreeMap;

use super::super::build::{self, Identity, Recipe, Role};
use super::super::observed::{Crawler, Observed, RedisPod};
use super::super::register::RegisterSeen;
use super::super::register::{self, Register};
use super::super::spec::Config;
use super::Decision;
use super::ledger::Ledger;
use super::sight::Sight;
use super::strangers;
use super::words::{Reason, Stay};
use crate::api::v1::CrawlJobStatus;
use crate::api::v1::crawljob_names as names;
use crate::desired::{Child, Desired, Does, Finalized, Verdict, Wake};
use crate::observed::{ConfigMap, Pod, Volume};
use crate::outside::store::StoreWrite;
use crate::policy::CrawlPolicy;

/// Key of the crawler's configuration in its ConfigMap, and its file name in the pod.
pub(super) const KEY_CONFIG: &str = "crawl-config.json";

/// Children and verdicts of one answer.
#[derive(Debug)]
pub(super) struct Roll<'a> {
    observed: &'a Observed,
    identity: Identity<'a>,
    children: Vec<Child>,
    verdicts: Vec<Verdict>,
}

impl<'a> Roll<'a> {
    /// An answer with nothing in it but what is not ours: strangers stay as they are, and all are named (O1, O2).
    pub(super) fn new(observed: &'a Observed, policy: &'a CrawlPolicy) -> Self {
        let identity = Identity {
            job: &observed.job,
            anchor: &observed.anchor,
            anchor_name: policy.anchor.as_deref(),
        };
        let mut roll = Self {
            observed,
            identity,
            children: Vec::new(),
            verdicts: Vec::new(),
        };
        for (kind, name) in &observed.ignored {
            roll.verdict(kind, name, Does::Ignore, "O2", "another owner's");
        }
        // A deleted job takes along what it adopted; `orphan` leaves everything behind (T5).
        let (does, reason) = if observed.finalizing && !observed.job.orphan {
            (Does::CallBack, "adopted, and the job is deleted")
        } else {
            roll.children.extend(strangers::all(identity, &observed.strangers));
            (Does::Keep, "adopted; stays as it is")
        };
        for (kind, name) in strangers::names(&observed.strangers) {
            roll.verdict(kind, name, does, "O1", reason);
        }
        roll
    }

    fn verdict(&mut self, kind: &'static str, name: &str, does: Does, rule: &'static str, reason: &'static str) {
        self.verdicts.push(Verdict {
            kind,
            name: name.to_owned(),
            does,
            rule,
            reason: reason.into(),
        });
    }

    /// An observed crawler stays.
    pub(super) fn keep_crawler(&mut self, index: u32, crawler: &Crawler, stay: Stay) {
        self.keep_pod(Role::Crawler(index), &crawler.pod, stay);
    }

    /// The observed Redis pod stays.
    pub(super) fn keep_redis(&mut self, redis: &RedisPod, stay: Stay) {
        self.keep_pod(Role::Redis, &redis.pod, stay);
    }

    fn keep_pod(&mut self, role: Role, pod: &Pod, stay: Stay) {
        let reference = build::pod_reference(self.identity, role, &pod.name);
        self.children.push(Child::Reference(reference));
        self.stays("Pod", &pod.name, if pod.terminating { Stay::Leaving } else { stay });
    }

    fn stays(&mut self, kind: &'static str, name: &str, stay: Stay) {
        self.verdict(kind, name, Does::Keep, stay.rule(), stay.text());
    }

    /// A pod is left out, so that it is deleted.
    pub(super) fn call_back(&mut self, name: &str, reason: Reason) {
        self.verdict("Pod", name, Does::CallBack, reason.rule(), reason.text());
    }

    /// O2: an object of another owner has this name. A pod and its volume are held back together: what would be made beside
    /// it could take that object over or run on it.
    fn is_taken(&self, name: &str) -> bool {
        self.observed.ignored.iter().any(|(_, taken)| taken == name)
    }

    /// A crawler pod is made.
    pub(super) fn make_crawler(&mut self, sight: &Sight<'_>, index: u32) {
        if self.is_taken(&sight.crawler_name(index)) {
            return;
        }
        let pod = build::crawler_pod(self.recipe(sight), index, sight.memory(index));
        self.children.push(Child::Pod(Box::new(pod)));
        self.verdict(
            "Pod",
            &sight.crawler_name(index),
            Does::Make,
            "D1",
            "wanted and not there",
        );
    }

    /// The Redis pod is made, and its volume if there is none.
    pub(super) fn make_redis(&mut self, sight: &Sight<'_>) {
        let name = names::redis(&self.observed.job.name);
        if self.is_taken(&name) {
            return;
        }
        let memory = sight.state().redis_memory.unwrap_or(sight.policy.redis.memory);
        let pod = build::redis_pod(self.recipe(sight), memory);
        self.children.push(Child::Pod(Box::new(pod)));
        self.verdict("Pod", &name, Does::Make, "D4", "wanted and not there");
        if self.observed.redis_volume.is_none() {
            self.make_redis_volume(sight);
        }
    }

    /// The Redis volume is made, unless nothing is kept on volumes.
    pub(super) fn make_redis_volume(&mut self, sight: &Sight<'_>) {
        let name = names::redis(&self.observed.job.name);
        if sight.spec.ephemeral || self.is_taken(&name) {
            return;
        }
        let claim = build::redis_volume(self.recipe(sight));
        self.children.push(Child::Volume(Box::new(claim)));
        self.verdict(
            "PersistentVolumeClaim",
            &name,
            Does::Make,
            "D2",
            "wanted together with its pod",
        );
    }

    /// An observed volume stays; `index` unset is Redis' own.
    pub(super) fn keep_volume(&mut self, index: Option<u32>, volume: &Volume, grown_to: Option<u64>, stay: Stay) {
        let role = index.map_or(Role::Redis, Role::Crawler);
        let claim = build::existing_volume(self.identity, role, volume, grown_to);
        self.children.push(Child::Volume(Box::new(claim)));
        let stay = if volume.terminating { Stay::Leaving } else { stay };
        self.stays("PersistentVolumeClaim", &volume.name, stay);
    }

    /// A volume is left out, so that it is deleted.
    pub(super) fn drop_volume(&mut self, volume: &Volume, rule: &'static str, reason: &'static str) {
        self.verdict("PersistentVolumeClaim", &volume.name, Does::CallBack, rule, reason);
    }

    /// A crawler's volume is made.
    pub(super) fn make_volume(&mut self, sight: &Sight<'_>, index: u32) {
        if self.is_taken(&sight.crawler_name(index)) {
            return;
        }
        let grown = sight.state().instances.get(&index).and_then(|line| line.storage);
        let claim = build::crawler_volume(self.recipe(sight), index, grown.unwrap_or(sight.spec.volume));
        self.children.push(Child::Volume(Box::new(claim)));
        self.verdict(
            "PersistentVolumeClaim",
            &sight.crawler_name(index),
            Does::Make,
            "D2",
            "wanted with its pod",
        );
    }

    /// The crawler's configuration, when the spec holds it.
    pub(super) fn config(&mut self, sight: &Sight<'_>) {
        match &sight.spec.config {
            Config::Inline(text) => self.config_text(text),
            // A pod that was made with the old ConfigMap and has not started yet still mounts it.
            Config::From { .. } => match &self.observed.config {
                Some(map) if !self.observed.crawlers.is_empty() => self.keep_config_map(Role::Config, map),
                Some(map) => self.drop_config_map(map, "D6", "the spec names another configuration"),
                None => {}
            },
        }
    }

    /// The crawler's configuration with this text.
    pub(super) fn config_text(&mut self, text: &str) {
        let data = BTreeMap::from([(KEY_CONFIG.to_owned(), text.to_owned())]);
        let name = names::config(&self.observed.job.name);
        self.config_map(Role::Config, name, data, self.observed.config.as_ref());
    }

    /// The register as it should be now.
    pub(super) fn register(&mut self, ledger: &Ledger) {
        self.register_text(&ledger.next);
    }

    /// The register with these contents.
    pub(super) fn register_text(&mut self, next: &Register) {
        let seen = match &self.observed.register {
            RegisterSeen::Readable(_, map) | RegisterSeen::Unreadable(map) => Some(map),
            RegisterSeen::Missing => None,
        };
        let data = register::encode(next, &self.observed.job.recoverable);
        self.config_map(Role::Register, names::register(&self.observed.job.name), data, seen);
    }

    /// The queue ticket with this text.
    pub(super) fn ticket(&mut self, org: &str, data: BTreeMap<String, String>) {
        let role = Role::Ticket { org: org.to_owned() };
        self.config_map(
            role,
            names::ticket(&self.observed.job.name),
            data,
            self.observed.ticket.as_ref(),
        );
    }

    /// An observed ConfigMap stays as it is.
    pub(super) fn keep_config_map(&mut self, role: Role, map: &ConfigMap) {
        self.config_map(role, map.name.clone(), map.data.clone(), Some(map));
    }

    fn config_map(&mut self, role: Role, name: String, data: BTreeMap<String, String>, seen: Option<&ConfigMap>) {
        let does = if seen.is_some() { Does::Keep } else { Does::Make };
        self.verdict("ConfigMap", &name, does, "D6", "always answered in full");
        self.children.push(Child::ConfigMap(Box::new(build::config_map(
            self.identity,
            role,
            name,
            data,
            seen,
        ))));
    }

    /// A ConfigMap is left out, so that it is deleted.
    pub(super) fn drop_config_map(&mut self, map: &ConfigMap, rule: &'static str, reason: &'static str) {
        self.verdict("ConfigMap", &map.name, Does::CallBack, rule, reason);
    }

    /// Nothing is answered.
    pub(super) fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// The sync answer.
    pub(super) fn answer(self, status: CrawlJobStatus, wake: Wake, effects: Vec<StoreWrite>) -> Decision {
        self.finish(status, wake, effects, Finalized::NotAsked)
    }

    /// The answer, with the finalize verdict.
    pub(super) fn finish(
        self,
        status: CrawlJobStatus,
        wake: Wake,
        effects: Vec<StoreWrite>,
        finalized: Finalized,
    ) -> Decision {
        Desired {
            status,
            children: self.children,
            wake,
            finalized,
            effects,
            verdicts: self.verdicts,
        }
    }

    fn recipe<'b>(&self, sight: &Sight<'b>) -> Recipe<'b>
    where
        'a: 'b,
    {
        Recipe {
            identity: self.identity,
            spec: sight.spec,
            policy: sight.policy,
            restart: sight.due_restart(),
        }
    }
}
