//! The story: who does what when. Each scene waits for the world to be ready for it, so that it holds for every seed.

use serde_json::json;

use super::CliError;
use super::stage::{JOB, NAMESPACE, PAGES, Stage, anchor, job, job_key};
use crate::sim::api_server::{CLAIM, Key, POD, WriteFault};
use crate::sim::clock::{Millis, rfc3339};
use crate::sim::metacontroller::{terminating, text};

/// Scenes, in order.
const SCENES: [Scene; 11] = [
    Scene::Create,
    Scene::Evict,
    Scene::OutOfMemory,
    Scene::KillHook,
    Scene::EvictMeanwhile,
    Scene::StartHook,
    Scene::Pause,
    Scene::Resume,
    Scene::WipeStatus,
    Scene::Delete,
    Scene::Gone,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scene {
    Create,
    Evict,
    OutOfMemory,
    KillHook,
    EvictMeanwhile,
    StartHook,
    Pause,
    Resume,
    WipeStatus,
    Delete,
    Gone,
}

impl Scene {
    /// What is recorded from now on is called this.
    const fn name(self) -> &'static str {
        match self {
            Self::Create => "created",
            Self::Evict => "evicted",
            Self::OutOfMemory => "out-of-memory",
            Self::KillHook => "hook-killed",
            Self::EvictMeanwhile => "evicted-meanwhile",
            Self::StartHook => "hook-restarted",
            Self::Pause => "paused",
            Self::Resume => "resumed",
            Self::WipeStatus => "status-wiped",
            Self::Delete => "deleted",
            Self::Gone => "gone",
        }
    }

    /// How long the world must be ready for it, so that people can follow.
    const fn patience(self) -> Millis {
        match self {
            Self::Create | Self::Evict | Self::OutOfMemory | Self::KillHook | Self::Pause | Self::WipeStatus => 0,
            Self::EvictMeanwhile => 2_000,
            Self::StartHook => 7_000,
            Self::Resume => 6_000,
            Self::Delete => 8_000,
            Self::Gone => 1_000,
        }
    }
}

/// Where the story is.
#[derive(Debug)]
pub(super) struct Script {
    next: usize,
    ready_since: Option<Millis>,
}

impl Script {
    pub(super) const fn new() -> Self {
        Self {
            next: 0,
            ready_since: None,
        }
    }

    pub(super) const fn is_over(&self) -> bool {
        self.next >= SCENES.len()
    }

    /// When the next scene will be played, if the world stays ready for it.
    pub(super) fn due(&self) -> Option<Millis> {
        Some(self.ready_since? + SCENES.get(self.next)?.patience())
    }

    /// Plays the next scene if the world is ready for it.
    pub(super) async fn play(&mut self, stage: &mut Stage) -> Result<(), CliError> {
        let Some(scene) = SCENES.get(self.next).copied() else {
            return Ok(());
        };
        if !is_ready(scene, stage) {
            self.ready_since = None;
            return Ok(());
        }
        let now = stage.world().now();
        if now - *self.ready_since.get_or_insert(now) < scene.patience() {
            return Ok(());
        }
        self.next += 1;
        self.ready_since = None;
        stage.situation = scene.name();
        match scene {
            Scene::KillHook => {
                stage.service.kill().await;
                stage.tell("hook", "is killed in mid-crawl".to_owned());
            }
            Scene::StartHook => {
                stage.service.start_anew().await?;
                stage.tell("hook", "is started anew, with nothing in memory".to_owned());
            }
            Scene::Create
            | Scene::Evict
            | Scene::OutOfMemory
            | Scene::EvictMeanwhile
            | Scene::Pause
            | Scene::Resume
            | Scene::WipeStatus
            | Scene::Delete
            | Scene::Gone => change_world(scene, stage).map_err(CliError::failed)?,
        }
        Ok(())
    }
}

fn change_world(scene: Scene, stage: &mut Stage) -> Result<(), WriteFault> {
    let key = job_key();
    stage.act(|world| match scene {
        Scene::Create => world.create(&anchor()).and_then(|()| world.create(&job())),
        Scene::Evict | Scene::EvictMeanwhile => world.evict(NAMESPACE, &crawler(0)),
        Scene::OutOfMemory => world.kill(NAMESPACE, &crawler(1), 137, "OOMKilled"),
        Scene::Pause => {
            let now = rfc3339(world.now());
            world.edit(&key, "pauses news", |job| job["spec"]["pausedAt"] = json!(now))
        }
        Scene::Resume => world.edit(&key, "resumes news", |job| job["spec"]["pausedAt"] = json!("")),
        Scene::WipeStatus => world.wipe_status(&key),
        Scene::Delete => world.delete(&key, false),
        Scene::KillHook | Scene::StartHook | Scene::Gone => Ok(()),
    })
}

fn is_ready(scene: Scene, stage: &Stage) -> bool {
    let world = stage.world();
    let done = world.unsaved_pages() + world.bucket().pages();
    let share = |percent: u64| done >= usize::try_from(PAGES * percent / 100).unwrap_or(usize::MAX);
    match scene {
        Scene::Create | Scene::EvictMeanwhile | Scene::StartHook => true,
        Scene::Evict => share(15) && both_run(stage),
        Scene::OutOfMemory => share(30) && both_run(stage),
        Scene::KillHook => share(40) && both_run(stage),
        Scene::Pause => share(55) && both_run(stage),
        Scene::Resume => state(stage) == Some("paused"),
        Scene::WipeStatus => share(75) && both_run(stage),
        Scene::Delete => state(stage).is_some_and(is_final) && torn_down(stage),
        Scene::Gone => world.api().get(&job_key()).is_none() && torn_down(stage),
    }
}

fn crawler(index: u32) -> String {
    format!("crawl-{JOB}-{index}")
}

fn both_run(stage: &Stage) -> bool {
    let runs = |index: u32| {
        let pod = stage.world().api().get(&Key::new(POD, NAMESPACE, &crawler(index)));
        pod.is_some_and(|pod| !terminating(pod) && !pod["status"]["containerStatuses"][0]["state"]["running"].is_null())
    };
    runs(0) && runs(1)
}

/// `status.state` as it is written.
pub(super) fn state(stage: &Stage) -> Option<&str> {
    stage
        .world()
        .api()
        .get(&job_key())
        .map(|job| text(&job["status"], "state"))
}

fn is_final(state: &str) -> bool {
    let finals = [
        "complete",
        "failed",
        "canceled",
        "stopped_by_user",
        "stopped_pause_expired",
        "failed_not_logged_in",
    ];
    finals.contains(&state)
}

fn torn_down(stage: &Stage) -> bool {
    stage.world().pods().next().is_none() && stage.world().api().list(CLAIM).next().is_none()
}
