//! The single objects of a scene: a pod in a state, a volume, a store in full swing, a first register.

use std::collections::{BTreeMap, BTreeSet};

use super::ago;
use crate::hooks::crawljob::observed::Previous;
use crate::hooks::crawljob::register::RegisterSeen;
use crate::hooks::crawljob::register::{Dropped, Register, State};
use crate::hooks::crawljob::sample;
use crate::hooks::crawljob::spec::{Spec, Storage};
use crate::observed::{ConfigMap, Exit, Phase, Pod, PodState, Volume, VolumePhase};
use crate::outside::store::{FileLine, FileLines, Flags, Mark, StoreView};
use crate::policy::CrawlPolicy;

pub(in super::super) fn spec(scale: u32, policy: &CrawlPolicy) -> Spec {
    Spec {
        scale,
        storage: Some(Storage {
            secret: "storage-default".into(),
            path: None,
            filename: None,
        }),
        memory: 1 << 30,
        volume: policy.storage,
        ..sample::spec()
    }
}

/// A pod in this state, created ten minutes ago and placed unless it is unplaced.
pub(in super::super) fn pod(name: &str, state: PodState) -> Pod {
    let runs = state == PodState::Running;
    let placed = !matches!(state, PodState::Unplaced(_));
    let phase = match &state {
        PodState::Unplaced(_) | PodState::Starting | PodState::Stuck(_) => Phase::Pending,
        PodState::Running | PodState::BackingOff | PodState::Ended => Phase::Running,
        PodState::Succeeded => Phase::Succeeded,
        PodState::Lost(_) => Phase::Failed,
        PodState::Unknown => Phase::Unknown,
    };
    Pod {
        name: name.into(),
        uid: format!("uid-{name}"),
        created: Some(ago(600)),
        terminating: false,
        placed,
        ip: runs.then(|| "127.0.0.1".parse().unwrap()),
        phase,
        container_runs: runs,
        running_since: runs.then(|| ago(590)),
        disrupted: false,
        ever_started: placed && phase != Phase::Pending,
        restarts: 0,
        last_exit: (state == PodState::Succeeded).then(|| exit(0)),
        memory_request: Some(1 << 30),
        state,
    }
}

/// An exit with this code.
pub(in super::super) fn exit(code: i32) -> Exit {
    Exit {
        id: format!("container-{code}"),
        code,
        reason: Some(if code == 0 { "Completed" } else { "Error" }.into()),
        out_of_memory: false,
        started: Some(ago(590)),
        finished: Some(ago(10)),
    }
}

pub(in super::super) fn volume(name: &str) -> Volume {
    Volume {
        name: name.into(),
        terminating: false,
        phase: VolumePhase::Bound,
        request: Some("25Gi".into()),
        request_bytes: Some(25 << 30),
        capacity_bytes: Some(25 << 30),
        class: Some("standard".into()),
        access_modes: vec!["ReadWriteOnce".into()],
        volume_mode: Some("Filesystem".into()),
        anchor: None,
    }
}

pub(in super::super) fn config_map(name: &str) -> ConfigMap {
    let data = BTreeMap::from([("crawl-config.json".to_owned(), "{}".to_owned())]);
    ConfigMap {
        name: name.into(),
        uid: format!("uid-{name}"),
        terminating: false,
        data,
        anchor: None,
    }
}

pub(in super::super) fn readable(state: State) -> RegisterSeen {
    RegisterSeen::Readable(
        Box::new(Register {
            state,
            files: Vec::new(),
            dropped: Dropped::nothing(),
        }),
        config_map("crawl-register-news"),
    )
}

pub(in super::super) fn previous() -> Previous {
    Previous {
        state: None,
        stop_reason: None,
        started_at: None,
        finished_at: None,
        pages_found: 0,
        pages_done: 0,
        pages_failed: 0,
        size_pending: 0,
        crawl_exec_seconds: 0,
        elapsed_seconds: 0,
        conditions: Vec::new(),
    }
}

pub(in super::super) fn view() -> StoreView {
    StoreView {
        mark: Some(Mark::First),
        entries: BTreeMap::new(),
        sizes: BTreeMap::new(),
        done: 5,
        seen: 10,
        extra_seeds: 0,
        excluded: 0,
        failed: 0,
        queued: 4,
        in_progress: 1,
        rate_limited: false,
        not_logged_in: false,
        flags: Flags {
            stopping: false,
            canceled: false,
            paused: false,
            stop_one: BTreeSet::new(),
        },
        files: FileLines {
            total: 0,
            first_hash: None,
            from: 0,
            lines: Vec::new(),
        },
        exec_seconds: BTreeMap::new(),
        idle_since: None,
        rate_limit: None,
        flagged: BTreeSet::new(),
    }
}

pub(in super::super) fn file(number: u64) -> FileLine {
    FileLine {
        filename: format!("s3://bucket/{number}.wacz"),
        size: 1000,
        hash: None,
        user: None,
    }
}
