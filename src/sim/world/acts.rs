//! What users and bad luck do to a world.

use serde_json::Value;

use super::World;
use crate::outside::memory::MemoryStores;
use crate::sim::api_server::{Key, POD, WriteFault};
use crate::sim::caller::add_finalizer;
use crate::sim::metacontroller::text;

impl World {
    /// A user makes an object.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub fn create(&mut self, object: &Value) -> Result<(), WriteFault> {
        let made = self.api.create(self.now, object)?;
        self.note(
            "user",
            format!("makes {} {}", text(&made, "kind"), text(&made["metadata"], "name")),
        );
        self.notice();
        Ok(())
    }

    /// A user changes an object: scale, pause, stop, wipe its status.
    ///
    /// # Errors
    /// When it is gone.
    pub fn edit(&mut self, key: &Key, what: &str, change: impl FnOnce(&mut Value)) -> Result<(), WriteFault> {
        self.api.edit(key, change)?;
        self.note("user", what.to_owned());
        self.notice();
        Ok(())
    }

    /// A user wipes the status.
    ///
    /// # Errors
    /// When it is gone.
    pub fn wipe_status(&mut self, key: &Key) -> Result<(), WriteFault> {
        self.edit(key, &format!("wipes the status of {}", key.name), |object| {
            if let Some(fields) = object.as_object_mut() {
                fields.remove("status");
            }
        })
    }

    /// A user deletes an object; with `orphan` its dependents stay.
    ///
    /// # Errors
    /// When it is gone.
    pub fn delete(&mut self, key: &Key, orphan: bool) -> Result<(), WriteFault> {
        if orphan {
            self.api.edit(key, |object| add_finalizer(object, "orphan"))?;
        }
        self.api.delete(self.now, key, None)?;
        let cascade = if orphan { " and leaves its children" } else { "" };
        self.note("user", format!("deletes {}{cascade}", key.name));
        self.notice();
        Ok(())
    }

    /// The node is short of something: the pod is evicted.
    ///
    /// # Errors
    /// When no such pod is placed.
    pub fn evict(&mut self, namespace: &str, name: &str) -> Result<(), WriteFault> {
        let uid = self.running(namespace, name)?;
        self.note(
            "kubelet",
            format!("evicts {name}: the node was low on resource: ephemeral-storage"),
        );
        self.fail_pod(&uid, "Evicted");
        self.notice();
        Ok(())
    }

    /// The pod's process dies: out of memory is 137 with `OOMKilled`.
    ///
    /// # Errors
    /// When no such pod is placed.
    pub fn kill(&mut self, namespace: &str, name: &str, code: i32, reason: &str) -> Result<(), WriteFault> {
        let uid = self.running(namespace, name)?;
        self.exit(&uid, code, reason);
        self.notice();
        Ok(())
    }

    /// A store loses its data and goes on.
    pub fn wipe_store(&mut self, namespace: &str, job: &str) {
        if let Some(volume) = self.store_volume(namespace, job)
            && let Some(disk) = self.disks.get_mut(&volume)
        {
            disk.store.flush();
            self.note("kubelet", format!("the store of {job} lost its data"));
        }
    }

    /// The caller is killed and started anew.
    pub fn restart_caller(&mut self) {
        self.note("metacontroller", "is killed and started anew".to_owned());
        self.caller.restart(self.now, &self.api);
    }

    /// Puts every store that answers where a hook reads it, and takes away the others.
    pub fn lend_stores(&self, stores: &MemoryStores) {
        for (namespace, job, volume) in self.store_pods() {
            match volume.and_then(|volume| self.disks.get(&volume)) {
                Some(disk) => stores.put(&namespace, &job, disk.store.clone()),
                None => stores.remove(&namespace, &job),
            }
        }
    }

    /// Takes back what a hook wrote into them.
    pub fn take_stores(&mut self, stores: &MemoryStores) {
        for (namespace, job, volume) in self.store_pods() {
            if let Some(disk) = volume.and_then(|volume| self.disks.get_mut(&volume))
                && let Some(store) = stores.get(&namespace, &job)
            {
                disk.store = store;
            }
        }
    }

    /// Namespace, job and, while its server runs, volume of every Redis pod.
    fn store_pods(&self) -> Vec<(String, String, Option<String>)> {
        let pods = self.api.list(POD).filter_map(|(key, _)| {
            let job = key.name.strip_prefix("redis-")?;
            Some((
                key.namespace.clone(),
                job.to_owned(),
                self.store_volume(&key.namespace, job),
            ))
        });
        pods.collect()
    }

    fn running(&self, namespace: &str, name: &str) -> Result<String, WriteFault> {
        let pod = self
            .api
            .get(&Key::new(POD, namespace, name))
            .ok_or(WriteFault::NotFound)?;
        let uid = text(&pod["metadata"], "uid").to_owned();
        if self.runs.contains_key(&uid) {
            Ok(uid)
        } else {
            Err(WriteFault::NotFound)
        }
    }
}
