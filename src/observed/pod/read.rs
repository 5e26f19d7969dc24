//! The reader of pods. Takes a raw pod and the name of the container that decides; gives a [`Pod`]. Phase and pod
//! reason beat container states (O5); other containers never decide, wherever they stand (O3).

use super::{Exit, Phase, Pod, PodState};
use crate::observed::time;
use crate::quantity;
use crate::request::RawPod;
use crate::request::pod::{RawContainerStatus, RawPodStatus, RawState, RawTerminated};
use crate::request::text::Text;

impl Pod {
    /// Reads a raw pod; `container` is the one that decides (O3).
    #[must_use]
    pub fn read(raw: &RawPod<'_>, container: &str) -> Self {
        let RawPod { metadata, spec, status } = raw;
        let uid = metadata.uid.as_deref().unwrap_or_default();
        let placed = filled(spec.node_name.as_ref()).is_some();
        let phase = Phase::read(status.phase.as_deref());
        let own = status
            .container_statuses
            .iter()
            .find(|one| one.name.as_deref() == Some(container));
        let state = state(status, phase, placed, own);
        let over = matches!(state, PodState::Lost(_) | PodState::Succeeded);
        let running = own.and_then(|one| one.state.running.as_ref()).filter(|_| !over);
        let in_spec = spec
            .containers
            .iter()
            .find(|one| one.name.as_deref() == Some(container));
        Self {
            name: metadata.name.to_string(),
            uid: uid.to_owned(),
            created: instant(metadata.creation_timestamp.as_ref()),
            terminating: metadata.terminating,
            disrupted: is_disrupted(status),
            placed,
            ip: status.pod_ip.as_deref().and_then(|ip| ip.parse().ok()),
            phase,
            container_runs: running.is_some(),
            running_since: running.and_then(|running| instant(running.started_at.as_ref())),
            ever_started: own.is_some_and(was_started),
            restarts: own.map_or(0, restarts),
            last_exit: own.and_then(|one| last_exit(one, uid, &state, status)),
            memory_request: in_spec
                .and_then(|one| one.resources.requests.memory.as_deref())
                .and_then(quantity::bytes),
            state,
        }
    }

    /// Seen running now: not leaving (O4), and on a node that is heard of (O5).
    #[must_use]
    pub fn runs_now(&self) -> bool {
        self.state == PodState::Running && !self.terminating
    }

    /// For a pod that never ends by itself: any ended phase is a loss (O5).
    #[must_use]
    pub fn lost_when_ended(mut self) -> Self {
        if self.state == PodState::Succeeded {
            self.state = PodState::Lost("Succeeded".to_owned());
            if let Some(exit) = &mut self.last_exit {
                exit.out_of_memory = false;
            }
        }
        self
    }
}

impl Phase {
    fn read(phase: Option<&str>) -> Self {
        match phase {
            Some("Pending") => Self::Pending,
            Some("Running") => Self::Running,
            Some("Succeeded") => Self::Succeeded,
            Some("Failed") => Self::Failed,
            Some(_) | None => Self::Unknown,
        }
    }
}

fn filled<'t>(text: Option<&'t Text<'_>>) -> Option<&'t str> {
    text.map(|text| &**text).filter(|text| !text.is_empty())
}

fn instant(text: Option<&Text<'_>>) -> Option<crate::observed::Timestamp> {
    text.and_then(|text| time::read(text))
}

/// O5 and O6, the strongest word first.
fn state(status: &RawPodStatus<'_>, phase: Phase, placed: bool, own: Option<&RawContainerStatus<'_>>) -> PodState {
    let reason = filled(status.reason.as_ref());
    match phase {
        Phase::Failed => PodState::Lost(reason.unwrap_or("Failed").to_owned()),
        Phase::Succeeded => PodState::Succeeded,
        Phase::Unknown => PodState::Unknown,
        Phase::Pending | Phase::Running if reason == Some("NodeLost") => PodState::Unknown,
        Phase::Pending | Phase::Running => match (container_state(status, placed, own), reason) {
            (PodState::Ended | PodState::BackingOff, Some(reason)) => PodState::Lost(reason.to_owned()),
            (state, _) => state,
        },
    }
}

/// What the deciding container says, in a pod that is pending or running.
fn container_state(status: &RawPodStatus<'_>, placed: bool, own: Option<&RawContainerStatus<'_>>) -> PodState {
    let nothing = RawState::default();
    let state = own.map_or(&nothing, |one| &one.state);
    if state.running.is_some() {
        return PodState::Running;
    }
    if state.terminated.is_some() {
        return PodState::Ended;
    }
    match state
        .waiting
        .as_ref()
        .and_then(|waiting| filled(waiting.reason.as_ref()))
    {
        Some("CrashLoopBackOff") => PodState::BackingOff,
        Some(reason) if !is_creation(reason) => PodState::Stuck(reason.to_owned()),
        Some(_) | None if !placed => PodState::Unplaced(unplaced_reason(status)),
        Some(_) | None => match failing_init(status) {
            Some(reason) => PodState::Stuck(reason),
            None => PodState::Starting,
        },
    }
}

fn is_creation(reason: &str) -> bool {
    matches!(reason, "ContainerCreating" | "PodInitializing")
}

/// The scheduler's reason.
fn unplaced_reason(status: &RawPodStatus<'_>) -> Option<String> {
    let scheduled = status
        .conditions
        .iter()
        .find(|condition| condition.r#type.as_deref() == Some("PodScheduled"))?;
    filled(scheduled.reason.as_ref()).map(str::to_owned)
}

/// An init container that holds up the start: stuck with its reason, as `kubectl get` writes it (O6).
fn failing_init(status: &RawPodStatus<'_>) -> Option<String> {
    status.init_container_statuses.iter().find_map(|init| {
        let waiting = init
            .state
            .waiting
            .as_ref()
            .and_then(|waiting| filled(waiting.reason.as_ref()));
        let failed = init
            .state
            .terminated
            .as_ref()
            .filter(|end| end.exit_code.is_some_and(|code| code != 0));
        let reason = match (waiting, failed) {
            (Some(reason), _) if !is_creation(reason) => reason,
            (_, Some(end)) => filled(end.reason.as_ref()).unwrap_or("Error"),
            (Some(_) | None, None) => return None,
        };
        Some(format!("Init:{reason}"))
    })
}

fn was_started(own: &RawContainerStatus<'_>) -> bool {
    own.state.running.is_some()
        || own.state.terminated.is_some()
        || own.last_state.terminated.is_some()
        || own.restart_count > 0
}

fn restarts(own: &RawContainerStatus<'_>) -> u32 {
    u32::try_from(own.restart_count.max(0)).unwrap_or(u32::MAX)
}

/// O7: of this run, else of the one before.
fn last_exit(own: &RawContainerStatus<'_>, uid: &str, state: &PodState, status: &RawPodStatus<'_>) -> Option<Exit> {
    let run = own.restart_count.max(0);
    let (end, run) = match (&own.state.terminated, &own.last_state.terminated) {
        (Some(end), _) => (end, run),
        (None, Some(end)) => (end, run.saturating_sub(1)),
        (None, None) => return None,
    };
    let code = end.exit_code?;
    let reason = filled(end.reason.as_ref());
    // O8
    let spared = code == 143 || matches!(state, PodState::Lost(_)) || is_disrupted(status);
    Some(Exit {
        id: exit_id(end, uid, run),
        code,
        out_of_memory: reason == Some("OOMKilled") && !spared,
        reason: reason.map(str::to_owned),
        started: instant(end.started_at.as_ref()),
        finished: instant(end.finished_at.as_ref()),
    })
}

/// Short, because the register keeps one per instance: the end of the container id, and the second it finished.
/// Without an id the pod's UID and the number of the run say which exit it is.
fn exit_id(end: &RawTerminated<'_>, uid: &str, run: i64) -> String {
    let whose = match filled(end.container_id.as_ref()) {
        Some(id) => id
            .char_indices()
            .rev()
            .nth(11)
            .map_or(id, |(at, _)| &id[at..])
            .to_owned(),
        None => format!("{uid}/{run}"),
    };
    let finished = instant(end.finished_at.as_ref()).map(|at| at.as_second().to_string());
    format!("{whose}@{}", finished.unwrap_or_default())
}

fn is_disrupted(status: &RawPodStatus<'_>) -> bool {
    status.conditions.iter().any(|condition| {
        condition.r#type.as_deref() == Some("DisruptionTarget") && condition.status.as_deref() == Some("True")
    })
}
