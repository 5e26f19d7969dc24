//! Looking at a world from outside: objects, pods and what they do, what was uploaded, what was lost.

use serde_json::Value;

use super::{Counters, Line, Loss, World};
use crate::sim::api_server::{ApiServer, CONFIG_MAP, Key, POD};
use crate::sim::metacontroller::text;
use crate::sim::storage::{Bucket, Disk};

impl World {
    /// The objects.
    #[must_use]
    pub const fn api(&self) -> &ApiServer {
        &self.api
    }

    /// Everything that was uploaded.
    #[must_use]
    pub const fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    /// Volumes that went with data.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// How often things happened.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Everything that happened.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// A ConfigMap's data: as it is, or as it last was.
    #[must_use]
    pub fn config_map_data(&self, namespace: &str, name: &str, field: &str) -> Option<&str> {
        let key = Key::new(CONFIG_MAP, namespace, name);
        self.api.get(&key).or_else(|| self.gone.get(&key))?["data"][field].as_str()
    }

    /// What the process in a pod does, for people.
    #[must_use]
    pub fn doing(&self, pod: &Value) -> Option<&str> {
        self.runs.get(text(&pod["metadata"], "uid")).and_then(|run| run.doing())
    }

    /// The folder that a pod works on.
    #[must_use]
    pub fn disk_of(&self, pod: &Value) -> Option<&Disk> {
        self.disks.get(&self.volume_of(pod)?)
    }

    /// Pages that are on volumes and nowhere else.
    #[must_use]
    pub fn unsaved_pages(&self) -> usize {
        self.disks.values().map(|disk| disk.unsaved.len()).sum()
    }

    /// The pods, in order of namespace and name.
    pub fn pods(&self) -> impl Iterator<Item = &Value> {
        self.api.list(POD).map(|(_, pod)| pod)
    }
}
