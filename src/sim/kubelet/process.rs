//! Lets the process in a pod do one step: finds its store, its folder and its settings.

use serde_json::Value;

use crate::sim::api_server::{CLAIM, Key, POD};
use crate::sim::collector::claims_of;
use crate::sim::crawler::{Env, Next};
use crate::sim::metacontroller::text;
use crate::sim::run::{Process, Stage};
use crate::sim::world::World;

impl World {
    pub(super) fn process_step(&mut self, uid: &str) -> Option<Next> {
        let pod = self.pod(uid)?.clone();
        let volume = self.volume_of(&pod)?;
        let variables = Variables::read(&pod);
        let store_volume = self.store_volume(text(&pod["metadata"], "namespace"), &variables.id);
        let Some(Stage::Running(process)) = self.runs.get_mut(uid).map(|run| &mut run.stage) else {
            return None;
        };
        let Process::Crawler(crawler) = process else {
            return None;
        };
        let before = self.bucket.uploads.last().cloned();
        // Two volumes of one map: the folder is taken out while the store is worked on.
        let mut disk = self.disks.remove(&volume).unwrap_or_default();
        let store = store_volume
            .and_then(|volume| self.disks.get_mut(&volume))
            .map(|disk| &mut disk.store);
        let target = variables
            .stores
            .then(|| format!("{}{}", self.settings.bucket, variables.path));
        let next = crawler.tick(&mut Env {
            now: self.now,
            id: &variables.id,
            uid: text(&pod["metadata"], "name"),
            user: &variables.user,
            target: target.as_deref(),
            store,
            disk: &mut disk,
            bucket: &mut self.bucket,
            site: &self.settings.site,
            rng: &mut self.rng,
        });
        self.disks.insert(volume, disk);
        if let Some(upload) = self
            .bucket
            .uploads
            .last()
            .filter(|upload| Some(*upload) != before.as_ref())
        {
            let what = format!("uploads {} with {} pages", upload.name, upload.pages.len());
            self.note("crawler", what);
        }
        Some(next)
    }

    /// UID of the claim a pod works on; without one, its own.
    pub(in crate::sim) fn volume_of(&self, pod: &Value) -> Option<String> {
        let metadata = &pod["metadata"];
        match claims_of(pod).next() {
            None => Some(text(metadata, "uid").to_owned()),
            Some(name) => {
                let claim = self.api.get(&Key::new(CLAIM, text(metadata, "namespace"), name))?;
                Some(text(&claim["metadata"], "uid").to_owned())
            }
        }
    }

    /// The volume of a job's store, while its server runs.
    pub(in crate::sim) fn store_volume(&self, namespace: &str, job: &str) -> Option<String> {
        let pod = self.api.get(&Key::new(POD, namespace, &format!("redis-{job}")))?;
        let run = self.runs.get(text(&pod["metadata"], "uid"))?;
        if run.serves() { self.volume_of(pod) } else { None }
    }
}

/// What a crawler reads from its environment.
struct Variables {
    id: String,
    user: String,
    path: String,
    stores: bool,
}

impl Variables {
    fn read(pod: &Value) -> Self {
        let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
        let crawler = containers
            .into_iter()
            .find(|container| text(container, "name") == "crawler");
        let value = |name: &str| {
            let list = crawler
                .and_then(|container| container["env"].as_array())
                .into_iter()
                .flatten();
            let found = list.into_iter().find(|variable| text(variable, "name") == name);
            found.map_or_else(String::new, |variable| text(variable, "value").to_owned())
        };
        Self {
            id: value("CRAWL_ID"),
            user: value("STORE_USER"),
            path: value("STORE_PATH"),
            stores: crawler
                .is_some_and(|container| container["envFrom"].as_array().is_some_and(|from| !from.is_empty())),
        }
    }
}
