//! The way in: one request and one read of the store into [`Observed`]. Takes nothing else and decides nothing; what
//! can't be read is unknown (O9), a store that can't be asked is `Unreachable` (S1).

mod parent;
mod related;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use related::customize;

use super::observed::{Crawler, Observed, RedisPod, Strangers};
use super::register;
use super::register::RegisterSeen;
use super::spec::{Spec, SpecFault};
use crate::api::v1::crawljob_names as names;
use crate::observed::owner::{Ownership, ownership};
use crate::observed::{ConfigMap, Pod, PodState, Volume, time};
use crate::outside::Outside;
use crate::outside::store::{StoreAddress, StoreQuestion, StoreReading, Unreachable};
use crate::policy::CrawlPolicy;
use crate::request::meta::Meta;
use crate::request::text::value_of;
use crate::request::{RawPod, SyncRequest};

const POD: &str = "Pod";
const VOLUME: &str = "PersistentVolumeClaim";
const CONFIG_MAP: &str = "ConfigMap";

/// Reads the request, then the store if it can be asked.
pub async fn observe(request: &SyncRequest<'_>, policy: &CrawlPolicy, outside: &Outside) -> Observed {
    let mut observed = gather(request, policy);
    if let Some(address) = store_address(&observed, policy) {
        observed.store = ask(&address, &observed.register, outside).await;
    }
    observed
}

/// Everything but the store, which was not asked.
#[must_use]
pub fn gather(request: &SyncRequest<'_>, policy: &CrawlPolicy) -> Observed {
    let parent = request.parent();
    let job: &str = &parent.metadata.name;
    let mut ignored = Vec::new();
    let mut strangers = Strangers::none();
    let pods = pods(request, job, &mut ignored, &mut strangers);
    let volumes = volumes(request, job, &mut ignored, &mut strangers);
    let maps = config_maps(request, job, &mut ignored, &mut strangers);
    let mut spec = spec(request, policy);
    if let Ok(spec) = &mut spec {
        // T6: data on volumes is gone on with; a wish for none that came later would leave it behind.
        spec.ephemeral &= volumes.crawlers.is_empty();
    }
    let org = spec.as_ref().ok().and_then(|spec| spec.org.as_deref());
    let unasked = if pods.redis.is_some() {
        Unreachable::NotRunning
    } else {
        Unreachable::NoPod
    };
    Observed {
        job: parent::job(parent),
        finalizing: request.finalizing(),
        crawlers: pods.crawlers,
        volumes: volumes.crawlers,
        redis: pods.redis,
        redis_volume: volumes.redis,
        config: maps.config,
        register: maps.register,
        ticket: maps.ticket,
        tickets: related::tickets(request, org),
        anchor: related::anchor(request, policy),
        previous: parent::previous(parent.status.map(serde_json::value::RawValue::get)),
        store: StoreReading::Unreachable(unasked),
        ignored,
        strangers,
        spec,
    }
}

fn spec(request: &SyncRequest<'_>, policy: &CrawlPolicy) -> Result<Spec, SpecFault> {
    let parent = request.parent();
    Spec::read(
        &parent.metadata.name,
        parent.spec.map_or("null", serde_json::value::RawValue::get),
        policy,
    )
}

/// S1: only a Redis pod that runs, has an address and is not leaving is asked.
#[must_use]
pub fn store_address(observed: &Observed, policy: &CrawlPolicy) -> Option<StoreAddress> {
    let pod = &observed.redis.as_ref()?.pod;
    let ip = pod.ip.filter(|_| pod.state == PodState::Running && !pod.terminating)?;
    Some(StoreAddress {
        namespace: observed.job.namespace.clone(),
        job: observed.job.name.clone(),
        ip,
        port: policy.store_port,
    })
}

/// S3: from where the observed register has read to. If the list is another one by now, the register says so and the
/// next call reads it from its start: one read a call.
pub async fn ask(address: &StoreAddress, register: &RegisterSeen, outside: &Outside) -> StoreReading {
    let lines_from = match register {
        RegisterSeen::Readable(register, _) => register.state.files.lines,
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => 0,
    };
    outside.stores.read(address, &StoreQuestion { lines_from }).await
}

type Ignored = Vec<(&'static str, String)>;

struct Pods {
    crawlers: BTreeMap<u32, Crawler>,
    redis: Option<RedisPod>,
}

fn pods(request: &SyncRequest<'_>, job: &str, ignored: &mut Ignored, strangers: &mut Strangers) -> Pods {
    let mut pods = Pods {
        crawlers: BTreeMap::new(),
        redis: None,
    };
    for raw in request.pods() {
        match role(&raw.metadata, request, job) {
            Role::Crawler(index) => {
                pods.crawlers.insert(index, crawler(raw));
            }
            Role::Redis => pods.redis = Some(redis(raw)),
            Role::Stranger => strangers.pods.push(raw.metadata.name.to_string()),
            Role::Foreign => ignored.push((POD, raw.metadata.name.to_string())),
        }
    }
    pods
}

fn crawler(raw: &RawPod<'_>) -> Crawler {
    let said = |annotation| value_of(&raw.metadata.annotations, annotation);
    Crawler {
        pod: Pod::read(raw, "crawler"),
        restart_time: said(names::ANNOTATION_RESTART).and_then(time::read),
        // Z3: a 0 is nothing that we write, so it is unknown.
        workers: said(names::ANNOTATION_WORKERS)
            .and_then(|text| text.parse().ok())
            .filter(|workers| *workers > 0),
        memory: memory(raw),
    }
}

fn redis(raw: &RawPod<'_>) -> RedisPod {
    RedisPod {
        pod: Pod::read(raw, "redis").lost_when_ended(),
        memory: memory(raw),
    }
}

fn memory(raw: &RawPod<'_>) -> Option<u64> {
    let written = value_of(&raw.metadata.annotations, names::ANNOTATION_MEMORY).and_then(crate::quantity::bytes);
    written.filter(|bytes| *bytes > 0)
}

struct Volumes {
    crawlers: BTreeMap<u32, Volume>,
    redis: Option<Volume>,
}

fn volumes(request: &SyncRequest<'_>, job: &str, ignored: &mut Ignored, strangers: &mut Strangers) -> Volumes {
    let mut volumes = Volumes {
        crawlers: BTreeMap::new(),
        redis: None,
    };
    for raw in request.volumes() {
        match role(&raw.metadata, request, job) {
            Role::Crawler(index) => {
                volumes.crawlers.insert(index, Volume::read(raw));
            }
            Role::Redis => volumes.redis = Some(Volume::read(raw)),
            Role::Stranger => strangers.volumes.push(Volume::read(raw)),
            Role::Foreign => ignored.push((VOLUME, raw.metadata.name.to_string())),
        }
    }
    volumes
}

enum Role {
    Crawler(u32),
    Redis,
    Stranger,
    Foreign,
}

/// O1 and O2: what a pod or claim is for, by its name, if it is ours.
fn role(meta: &Meta<'_>, request: &SyncRequest<'_>, job: &str) -> Role {
    match ownership(meta, &request.parent().metadata.uid) {
        Ownership::Foreign => Role::Foreign,
        Ownership::Ours if names::is_redis(job, &meta.name) => Role::Redis,
        Ownership::Ours => names::index_of(job, &meta.name).map_or(Role::Stranger, Role::Crawler),
    }
}

struct ConfigMaps {
    config: Option<ConfigMap>,
    register: RegisterSeen,
    ticket: Option<ConfigMap>,
}

fn config_maps(request: &SyncRequest<'_>, job: &str, ignored: &mut Ignored, strangers: &mut Strangers) -> ConfigMaps {
    let mut maps = ConfigMaps {
        config: None,
        register: RegisterSeen::Missing,
        ticket: None,
    };
    for raw in request.config_maps() {
        let name: &str = &raw.metadata.name;
        match ownership(&raw.metadata, &request.parent().metadata.uid) {
            Ownership::Ours if name == names::config(job) => maps.config = Some(ConfigMap::read(raw)),
            Ownership::Ours if name == names::register(job) => maps.register = register::read(ConfigMap::read(raw)),
            Ownership::Ours if name == names::ticket(job) => maps.ticket = Some(ConfigMap::read(raw)),
            Ownership::Ours => strangers.config_maps.push(ConfigMap::read(raw)),
            Ownership::Foreign => ignored.push((CONFIG_MAP, name.to_owned())),
        }
    }
    maps
}
