//! From a view of the model to the observation that the shipped decision reads. Takes a [`View`], gives an [`Observed`];
//! it decides nothing. Time stands still: what is older or younger than a limit is said by its stamp.

mod stored;

use std::collections::BTreeMap;

pub(super) use stored::empty_store;
use stored::store_view;

use rollcall::hooks::crawljob::observed::{Anchor, Crawler, Job, Observed, RedisPod, Strangers};
use rollcall::hooks::crawljob::register::{self, RegisterSeen};
use rollcall::hooks::crawljob::spec::Spec;
use rollcall::observed::{ConfigMap, Exit, Phase, Pod, PodState, Timestamp, Volume, VolumePhase};
use rollcall::outside::store::{StoreReading, Unreachable};
use rollcall::policy::CrawlPolicy;
use serde_json::json;

use super::call::View;
use super::state::{self, N, Pause, RedisPhase, Wish};

/// Bytes a crawler starts with.
pub(super) const MEMORY: u64 = 1 << 30;

pub(super) fn now() -> Timestamp {
    "2026-12-01T12:00:00Z".parse().unwrap()
}

pub(super) fn ago(seconds: i64) -> Timestamp {
    Timestamp::from_second(now().as_second() - seconds).unwrap()
}

/// The default policy with the limits that a model reaches: memory grows once, Redis rests as soon as it idles.
pub(super) fn policy() -> CrawlPolicy {
    let mut policy = rollcall::config::Config::built_in().crawl;
    policy.anchor = None;
    policy.redis_idle_seconds = 0;
    policy.memory_max = MEMORY * 120 / 100;
    policy
}

pub(super) fn observed(view: &View, policy: &CrawlPolicy) -> Observed {
    let parent = &view.parent;
    Observed {
        job: Job {
            name: "news".to_owned(),
            namespace: "crawls".to_owned(),
            created: Some(ago(3600)),
            terminating: parent.deleting,
            orphan: false,
            recoverable: "{}".to_owned(),
        },
        spec: Spec::read("news", &spec(parent.spec, policy), policy),
        finalizing: parent.deleting,
        crawlers: by_index(&view.pods.crawlers, crawler),
        volumes: by_index(&view.volumes.crawlers, |index, one| volume(&name(index), *one)),
        redis: view.pods.redis.map(redis),
        redis_volume: view.volumes.redis.map(|one| volume("redis-news", one)),
        config: view.maps.config.then(config),
        register: register_seen(view),
        ticket: None,
        tickets: Vec::new(),
        anchor: Anchor::Off,
        previous: (*parent.status).clone(),
        store: reading(view),
        ignored: Vec::new(),
        strangers: Strangers::none(),
    }
}

pub(super) fn name(index: usize) -> String {
    format!("crawl-news-{index}")
}

/// Known by index and number in every part of the model.
pub(super) fn uid(index: usize, uid: u8) -> String {
    format!("{index}.{uid}")
}

fn by_index<T, U>(all: &[Option<T>; N], show: impl Fn(usize, &T) -> U) -> BTreeMap<u32, U> {
    let present = all
        .iter()
        .enumerate()
        .filter_map(|(index, one)| Some((index, one.as_ref()?)));
    present
        .map(|(index, one)| (u32::try_from(index).unwrap(), show(index, one)))
        .collect()
}

fn spec(wish: Wish, policy: &CrawlPolicy) -> String {
    let expired = i64::try_from(policy.paused_expiry_seconds).unwrap() + 1;
    let mut spec = json!({
        "selector": {"matchLabels": {"rollcall.dev/crawl": "news"}},
        "config": {"seeds": [{"url": "https://example.org/"}]},
        "scale": wish.scale, "stopping": wish.stopping, "resources": {"memory": "1Gi"},
    });
    if wish.storage {
        spec["storage"] = json!({"secretName": "storage-default"});
    }
    match wish.pause {
        Pause::No => {}
        Pause::Wished => spec["pausedAt"] = json!(ago(100).to_string()),
        Pause::Expired => spec["pausedAt"] = json!(ago(expired).to_string()),
    }
    if wish.restart {
        spec["restartTime"] = json!(ago(300).to_string());
    }
    spec.to_string()
}

fn crawler(index: usize, one: &state::Crawler) -> Crawler {
    let state = match one.phase {
        state::Phase::Unplaced => PodState::Unplaced(None),
        state::Phase::Runs(_) => PodState::Running,
        state::Phase::Ended => PodState::BackingOff,
        state::Phase::Succeeded => PodState::Succeeded,
        state::Phase::Lost => PodState::Lost("Evicted".to_owned()),
    };
    let last_exit = one.exit.map(|exit| Exit {
        id: format!("{}.{}", uid(index, one.uid), exit.number),
        code: i32::from(exit.code),
        reason: Some(if exit.out_of_memory { "OOMKilled" } else { "Error" }.to_owned()),
        out_of_memory: exit.out_of_memory && one.phase != state::Phase::Lost,
        started: None,
        finished: None,
    });
    let pod = Pod {
        created: Some(if one.newer { ago(200) } else { ago(600) }),
        restarts: u32::from(one.restarts),
        last_exit,
        ..pod(&name(index), uid(index, one.uid), state, one.leaving)
    };
    Crawler {
        pod,
        restart_time: one.restarted.then(|| ago(300)),
        workers: None,
        memory: Some(one.memory),
    }
}

fn redis(one: state::Redis) -> RedisPod {
    let state = match one.phase {
        RedisPhase::Unplaced => PodState::Unplaced(None),
        RedisPhase::Runs => PodState::Running,
        RedisPhase::Lost => PodState::Lost("Evicted".to_owned()),
    };
    RedisPod {
        pod: pod("redis-news", format!("redis.{}", one.uid), state, one.leaving),
        memory: None,
    }
}

fn pod(name: &str, uid: String, state: PodState, leaving: bool) -> Pod {
    let runs = state == PodState::Running;
    let phase = match &state {
        PodState::Unplaced(_) | PodState::Starting | PodState::Stuck(_) => Phase::Pending,
        PodState::Running | PodState::BackingOff | PodState::Ended => Phase::Running,
        PodState::Succeeded => Phase::Succeeded,
        PodState::Lost(_) => Phase::Failed,
        PodState::Unknown => Phase::Unknown,
    };
    Pod {
        name: name.to_owned(),
        uid,
        created: Some(ago(600)),
        terminating: leaving,
        disrupted: phase == Phase::Failed,
        placed: !matches!(state, PodState::Unplaced(_)),
        ip: runs.then(|| "127.0.0.1".parse().unwrap()),
        phase,
        container_runs: runs,
        running_since: runs.then(now),
        ever_started: phase != Phase::Pending,
        restarts: 0,
        last_exit: None,
        memory_request: None,
        state,
    }
}

fn volume(name: &str, one: state::Volume) -> Volume {
    Volume {
        name: name.to_owned(),
        terminating: one.leaving,
        phase: VolumePhase::Bound,
        request: Some("25Gi".to_owned()),
        request_bytes: Some(25 << 30),
        capacity_bytes: Some(25 << 30),
        class: Some("standard".to_owned()),
        access_modes: vec!["ReadWriteOnce".to_owned()],
        volume_mode: Some("Filesystem".to_owned()),
        anchor: None,
    }
}

fn config_map(name: &str, data: BTreeMap<String, String>) -> ConfigMap {
    ConfigMap {
        name: name.to_owned(),
        uid: name.to_owned(),
        terminating: false,
        data,
        anchor: None,
    }
}

fn config() -> ConfigMap {
    config_map("crawl-config-news", BTreeMap::new())
}

fn register_seen(view: &View) -> RegisterSeen {
    match &view.maps.register {
        None => RegisterSeen::Missing,
        Some(register) => RegisterSeen::Readable(
            Box::new((**register).clone()),
            config_map("crawl-register-news", register::encode(register, "{}")),
        ),
    }
}

fn reading(view: &View) -> StoreReading {
    match &view.store {
        Some(store) => StoreReading::Reachable(Box::new(store_view(store, lines_read(view), runs(view)))),
        None => StoreReading::Unreachable(match view.pods.redis {
            None => Unreachable::NoPod,
            Some(redis) if redis.phase == RedisPhase::Runs && !redis.leaving => Unreachable::Refused,
            Some(_) => Unreachable::NotRunning,
        }),
    }
}

fn lines_read(view: &View) -> u64 {
    let register = view.maps.register.as_ref();
    register.map_or(0, |register| register.state.files.lines)
}

/// Every run that the pods show is known with its 0 seconds, so that running time (E7) writes nothing.
fn runs(view: &View) -> BTreeMap<String, u64> {
    let crawlers = view
        .pods
        .crawlers
        .iter()
        .enumerate()
        .filter_map(|(index, one)| Some((index, (*one)?)));
    crawlers
        .map(|(index, one)| (format!("{index}/{}/{}", uid(index, one.uid), one.restarts), 0))
        .collect()
}
