//! Claims of crawlers and Redis. A new one is made from the policy; an existing one is answered as it is (D3), because
//! metacontroller patches it to the answer and most of a claim can't change.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PersistentVolumeClaimSpec, VolumeResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::{Identity, Recipe, Role, meta};
use crate::api::v1::crawljob_names as names;
use crate::observed::Volume;
use crate::quantity::canonical_bytes;

/// The claim of a new instance.
#[must_use]
pub fn crawler_volume(recipe: Recipe<'_>, index: u32, bytes: u64) -> PersistentVolumeClaim {
    let name = names::crawler(&recipe.identity.job.name, index);
    new_volume(recipe, Role::Crawler(index), name, bytes)
}

/// The claim of a new store.
#[must_use]
pub fn redis_volume(recipe: Recipe<'_>) -> PersistentVolumeClaim {
    let name = names::redis(&recipe.identity.job.name);
    new_volume(recipe, Role::Redis, name, recipe.policy.redis.storage)
}

/// A claim that exists: its observed request, class and modes in the server's words, only the request changes, and only
/// when it grows (Z2): somebody may have made it larger by hand meanwhile, and a smaller request would be refused for ever.
/// Everything else of it stays because it is not mentioned.
#[must_use]
pub fn existing_volume(
    identity: Identity<'_>,
    role: Role,
    volume: &Volume,
    grown_to: Option<u64>,
) -> PersistentVolumeClaim {
    let has = volume.request_bytes.max(volume.capacity_bytes);
    let grown_to = grown_to.filter(|bytes| has.is_none_or(|has| *bytes > has));
    let request = grown_to.map(canonical_bytes).or_else(|| volume.request.clone());
    PersistentVolumeClaim {
        metadata: meta::metadata(identity, role, volume.name.clone(), volume.anchor.as_ref()),
        spec: Some(PersistentVolumeClaimSpec {
            access_modes: (!volume.access_modes.is_empty()).then(|| volume.access_modes.clone()),
            resources: request.map(requests),
            storage_class_name: volume.class.clone(),
            volume_mode: volume.volume_mode.clone(),
            ..PersistentVolumeClaimSpec::default()
        }),
        status: None,
    }
}

fn new_volume(recipe: Recipe<'_>, role: Role, name: String, bytes: u64) -> PersistentVolumeClaim {
    PersistentVolumeClaim {
        metadata: meta::metadata(recipe.identity, role, name, None),
        spec: Some(PersistentVolumeClaimSpec {
            access_modes: Some(vec!["ReadWriteOnce".to_owned()]),
            resources: Some(requests(canonical_bytes(bytes))),
            storage_class_name: recipe.policy.storage_class.clone(),
            volume_mode: Some("Filesystem".to_owned()),
            ..PersistentVolumeClaimSpec::default()
        }),
        status: None,
    }
}

fn requests(storage: String) -> VolumeResourceRequirements {
    VolumeResourceRequirements {
        limits: None,
        requests: Some(BTreeMap::from([("storage".to_owned(), Quantity(storage))])),
    }
}
