//! A pod as its node knows it: its stage, its process, its last exit, and the status that follows. It does nothing by
//! itself; what happens to it is the kubelet's.

use serde_json::Value;

use super::api_server::Key;
use super::clock::Millis;
use super::crawler::Crawler;
use super::metacontroller::text;

mod status;

/// A pod as its node knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Run {
    pub(super) key: Key,
    pub(super) uid: String,
    pub(super) container: String,
    pub(super) image: String,
    pub(super) stage: Stage,
    /// Only the event at this time is meant.
    pub(super) wake: Option<Millis>,
    /// SIGKILL, once it is terminating.
    pub(super) kill_at: Option<Millis>,
    pub(super) restarts: u32,
    pub(super) placed_at: Option<Millis>,
    pub(super) started: Millis,
    pub(super) address: String,
    pub(super) last: Option<Exit>,
}

/// The end of a container.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Exit {
    pub(super) code: i32,
    pub(super) reason: String,
    pub(super) started: Millis,
    pub(super) finished: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// No node has it; why not, once that was tried.
    Unplaced(Option<String>),
    Creating,
    Running(Process),
    /// Ended, about to be started again or to back off.
    Ended,
    BackOff,
    /// Succeeded or Failed.
    Over,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Process {
    Crawler(Crawler),
    /// A Redis server, or anything else that runs until it is told to end.
    Server,
}

impl Run {
    /// A pod that no node has yet. The container that decides is the one with a telling name, else the first.
    pub(super) fn new(key: &Key, pod: &Value) -> Self {
        let containers = || pod["spec"]["containers"].as_array().into_iter().flatten();
        let telling = ["crawler", "redis", "browser"];
        let container = containers()
            .find(|container| telling.contains(&text(container, "name")))
            .or_else(|| containers().next());
        Self {
            key: key.clone(),
            uid: text(&pod["metadata"], "uid").to_owned(),
            container: container.map_or("main", |container| text(container, "name")).to_owned(),
            image: container.map_or("", |container| text(container, "image")).to_owned(),
            stage: Stage::Unplaced(None),
            wake: None,
            kill_at: None,
            restarts: 0,
            placed_at: None,
            started: 0,
            address: String::new(),
            last: None,
        }
    }

    pub(super) fn doing(&self) -> Option<&str> {
        match &self.stage {
            Stage::Running(Process::Crawler(crawler)) => Some(crawler.doing()),
            Stage::Running(Process::Server) => Some("serving"),
            Stage::Unplaced(_) | Stage::Creating | Stage::Ended | Stage::BackOff | Stage::Over => None,
        }
    }

    pub(super) const fn serves(&self) -> bool {
        matches!(self.stage, Stage::Running(Process::Server))
    }
}
