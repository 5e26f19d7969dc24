//! `children` and `related`: objects by kind. The inner keys, which differ between hook versions, are not read;
//! an object is known by its kind and `metadata.name` (O1). A name that comes twice is a fault, so that no child
//! is ever lost silently.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::config_map::RawConfigMap;
use super::meta::Meta;
use super::pod::RawPod;
use super::text::Text;
use super::volume::RawVolume;

/// The objects of the kinds we read.
#[derive(Debug, Default)]
pub(super) struct Objects<'a> {
    pub(super) pods: Vec<RawPod<'a>>,
    pub(super) volumes: Vec<RawVolume<'a>>,
    pub(super) config_maps: Vec<RawConfigMap<'a>>,
    /// Keys of all kinds that were there, also of those we do not read.
    pub(super) kinds: Vec<Text<'a>>,
}

impl Objects<'_> {
    /// Any of them was written by metacontroller's server-side apply.
    pub(super) fn server_side_applied(&self) -> bool {
        let pods = self.pods.iter().map(|object| &object.metadata);
        let volumes = self.volumes.iter().map(|object| &object.metadata);
        let config_maps = self.config_maps.iter().map(|object| &object.metadata);
        pods.chain(volumes)
            .chain(config_maps)
            .any(|meta| meta.server_side_applied)
    }

    /// The kind was there, possibly without objects.
    pub(super) fn shows(&self, key: &str) -> bool {
        self.kinds.iter().any(|kind| &**kind == key)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Objects<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectsVisitor)
    }
}

struct ObjectsVisitor;

impl<'de> Visitor<'de> for ObjectsVisitor {
    type Value = Objects<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of kinds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut objects = Objects::default();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            if objects.shows(&key) {
                return Err(A::Error::custom("a kind comes twice"));
            }
            let there = match &*key {
                "Pod.v1" => fill(&mut objects.pods, map.next_value()?),
                "PersistentVolumeClaim.v1" => fill(&mut objects.volumes, map.next_value()?),
                "ConfigMap.v1" => fill(&mut objects.config_maps, map.next_value()?),
                _ => map.next_value::<Option<IgnoredAny>>()?.is_some(),
            };
            if there {
                objects.kinds.push(key);
            }
        }
        Ok(objects)
    }
}

fn fill<T>(place: &mut Vec<T>, group: Option<Group<T>>) -> bool {
    let there = group.is_some();
    if let Some(Group(objects)) = group {
        *place = objects;
    }
    there
}

/// The objects of one kind.
struct Group<T>(Vec<T>);

impl<'de, T: Deserialize<'de> + Named> Deserialize<'de> for Group<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GroupVisitor(PhantomData))
    }
}

struct GroupVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Named> Visitor<'de> for GroupVisitor<T> {
    type Value = Group<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut objects: Vec<T> = Vec::new();
        while map.next_key::<IgnoredAny>()?.is_some() {
            objects.push(map.next_value()?);
        }
        let mut names = HashSet::with_capacity(objects.len());
        if !objects.iter().all(|object| names.insert(object.identity())) {
            return Err(A::Error::custom("a name comes twice"));
        }
        Ok(Group(objects))
    }
}

/// What tells two objects of one kind apart.
trait Named {
    fn meta(&self) -> &Meta<'_>;

    fn identity(&self) -> (Option<&str>, &str) {
        let meta = self.meta();
        (meta.namespace.as_deref(), &meta.name)
    }
}

impl Named for RawPod<'_> {
    fn meta(&self) -> &Meta<'_> {
        &self.metadata
    }
}

impl Named for RawVolume<'_> {
    fn meta(&self) -> &Meta<'_> {
        &self.metadata
    }
}

impl Named for RawConfigMap<'_> {
    fn meta(&self) -> &Meta<'_> {
        &self.metadata
    }
}
