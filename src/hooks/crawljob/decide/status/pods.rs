//! The pods in a status: one line an instance, and beyond 200 pods only those that need attention, with counts.
//!
//! Takes the observed pods and volumes; gives bounded, escaped-by-serialisation text. Reasons are Kubernetes' words, cut.

use std::collections::BTreeMap;

use super::super::super::observed::{Crawler, Observed};
use super::super::words::unreachable_word;
use crate::api::v1::crawljob_status::{PodStatus, RedisStatus};
use crate::observed::time::whole_seconds;
use crate::observed::{Pod, PodState};
use crate::outside::store::StoreReading;
use crate::quantity::canonical_bytes;

/// Pods shown one by one; the status stays below 256 KiB.
const SHOWN_MAX: usize = 200;
/// Characters of a reason.
const REASON_MAX: usize = 128;

/// The part of a status that grows with the pods.
#[derive(Debug)]
pub(super) struct Shown {
    /// Lines by index.
    pub(super) pods: BTreeMap<String, PodStatus>,
    /// Counts by state, only beyond the limit.
    pub(super) counts: BTreeMap<String, u32>,
}

/// Every crawler pod, or those that need attention and counts of all.
pub(super) fn shown(observed: &Observed) -> Shown {
    let crawlers = &observed.crawlers;
    let many = crawlers.len() > SHOWN_MAX;
    let mut shown = Shown {
        pods: BTreeMap::new(),
        counts: BTreeMap::new(),
    };
    for (index, crawler) in crawlers {
        if many {
            *shown.counts.entry(word(&crawler.pod).to_owned()).or_insert(0) += 1;
        }
        let room = shown.pods.len() < SHOWN_MAX;
        if room && (!many || needs_attention(&crawler.pod)) {
            shown.pods.insert(index.to_string(), line(observed, *index, crawler));
        }
    }
    shown
}

fn line(observed: &Observed, index: u32, crawler: &Crawler) -> PodStatus {
    let exit = crawler.pod.last_exit.as_ref();
    PodStatus {
        state: word(&crawler.pod).to_owned(),
        reason: reason(&crawler.pod),
        exit_code: exit.map(|exit| exit.code),
        exit_time: exit.and_then(|exit| exit.finished).map(whole_seconds),
        restarts: crawler.pod.restarts,
        memory: crawler.memory.or(crawler.pod.memory_request).map(canonical_bytes),
        storage: observed.volumes.get(&index).and_then(|volume| volume.request.clone()),
    }
}

/// The Redis pod and why its store can't be asked.
pub(super) fn redis(observed: &Observed) -> Option<RedisStatus> {
    let redis = observed.redis.as_ref()?;
    let why = match &observed.store {
        StoreReading::Reachable(_) => None,
        StoreReading::Unreachable(why) => Some(unreachable_word(*why).to_owned()),
    };
    Some(RedisStatus {
        state: word(&redis.pod).to_owned(),
        reason: reason(&redis.pod).or(why),
    })
}

fn word(pod: &Pod) -> &'static str {
    if pod.terminating {
        return "terminating";
    }
    match pod.state {
        PodState::Unplaced(_) => "pending",
        PodState::Starting => "starting",
        PodState::Stuck(_) => "stuck",
        PodState::Running => "running",
        PodState::BackingOff => "backing-off",
        PodState::Ended => "ended",
        PodState::Succeeded => "succeeded",
        PodState::Lost(_) => "lost",
        PodState::Unknown => "unknown",
    }
}

fn needs_attention(pod: &Pod) -> bool {
    match pod.state {
        PodState::Running | PodState::Succeeded => pod.terminating,
        PodState::Unplaced(_)
        | PodState::Starting
        | PodState::Stuck(_)
        | PodState::BackingOff
        | PodState::Ended
        | PodState::Lost(_)
        | PodState::Unknown => true,
    }
}

/// O8: the reason of an exit is shown also with exit 0, unless it only says that it ended.
fn reason(pod: &Pod) -> Option<String> {
    let of_exit = || {
        pod.last_exit
            .as_ref()
            .and_then(|exit| exit.reason.clone())
            .filter(|word| word != "Completed")
    };
    let reason = match &pod.state {
        PodState::Unplaced(reason) => reason.clone(),
        PodState::Stuck(reason) | PodState::Lost(reason) => Some(reason.clone()),
        PodState::BackingOff | PodState::Ended | PodState::Succeeded | PodState::Running => of_exit(),
        PodState::Starting | PodState::Unknown => None,
    };
    reason.map(|text| text.chars().take(REASON_MAX).collect())
}
