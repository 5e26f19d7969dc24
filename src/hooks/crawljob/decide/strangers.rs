//! Children that are the parent's and have a name we do not use (O1): somebody gave them the label that selects ours, and
//! metacontroller adopted them. Left out, they would be deleted.
//!
//! Takes them as observed; gives answers that change nothing of them. A pod is only named. A volume or ConfigMap may carry
//! an earlier answer (it is a copy of a child of ours, perhaps), which a bare name would take back from it: so it is
//! answered as it is.

use super::super::build::{self, Identity, Role};
use super::super::observed::Strangers;
use super::super::register::MAX_BYTES;
use crate::desired::Child;
use crate::observed::ConfigMap;

/// One answer for each.
pub(super) fn all(identity: Identity<'_>, strangers: &Strangers) -> Vec<Child> {
    let pods = strangers.pods.iter();
    let pods = pods.map(|name| Child::Reference(build::stranger_reference(identity, "Pod", name)));
    let volumes = strangers.volumes.iter().map(|volume| {
        let claim = build::existing_volume(identity, Role::Stranger, volume, None);
        Child::Volume(Box::new(claim))
    });
    let maps = strangers.config_maps.iter().map(|map| config_map(identity, map));
    pods.chain(volumes).chain(maps).collect()
}

/// An empty one has nothing to lose by a bare name, and one too large to be remembered in an annotation was never an answer.
fn config_map(identity: Identity<'_>, map: &ConfigMap) -> Child {
    let bytes: usize = map.data.iter().map(|(key, value)| key.len() + value.len()).sum();
    if map.data.is_empty() || bytes > MAX_BYTES {
        return Child::Reference(build::stranger_reference(identity, "ConfigMap", &map.name));
    }
    let whole = build::config_map(identity, Role::Stranger, map.name.clone(), map.data.clone(), Some(map));
    Child::ConfigMap(Box::new(whole))
}

/// Kind and name of each.
pub(super) fn names(strangers: &Strangers) -> impl Iterator<Item = (&'static str, &str)> {
    let pods = strangers.pods.iter().map(|name| ("Pod", name.as_str()));
    let volumes = strangers.volumes.iter();
    let volumes = volumes.map(|volume| ("PersistentVolumeClaim", volume.name.as_str()));
    let maps = strangers.config_maps.iter();
    pods.chain(volumes)
        .chain(maps.map(|map| ("ConfigMap", map.name.as_str())))
}
