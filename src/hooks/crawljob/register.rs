//! The register: what must outlive the pods, in a ConfigMap child. Written down first, acted on when observed.
//!
//! Keys: `job` (the CrawlJob, for `rollcall recover`), `state.json` ([`State`]), `files.jsonl` (one file a line, oldest
//! first), `files.dropped` (hashes of the names that no longer fit there). Together at most [`MAX_BYTES`] as JSON strings; the oldest file lines go first, the counts stay.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::measure::json_string;
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::observed::ConfigMap;
use crate::outside::store::FileLine;

#[cfg(test)]
mod tests;

mod files;

pub use files::{Dropped, is_among};

/// Key of the CrawlJob.
pub const KEY_JOB: &str = "job";
/// Key of the state.
pub const KEY_STATE: &str = "state.json";
/// Key of the file lines.
pub const KEY_FILES: &str = "files.jsonl";
/// Key of the hashes of file names whose lines were dropped.
pub const KEY_DROPPED: &str = "files.dropped";
/// Limit of all values together, measured as JSON strings: dynamic apply copies an object into an annotation of at
/// most 256 KiB.
pub const MAX_BYTES: usize = 200 * 1024;

/// The register as observed (D8).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RegisterSeen {
    /// Not among the children.
    Missing,
    /// There and readable.
    Readable(Box<Register>, ConfigMap),
    /// There, but `state.json` can't be read: treated as not observed, answered unchanged.
    Unreadable(ConfigMap),
}

/// A readable register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Register {
    /// `state.json`.
    pub state: State,
    /// `files.jsonl`; the oldest may be missing, see [`FilesRead::count`].
    pub files: Vec<FileLine>,
    /// `files.dropped`: which are missing.
    pub dropped: Dropped,
}

/// `state.json`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent line of the register"
)]
pub struct State {
    /// A crawler was placed once, or the register was made beside existing children (D4).
    #[serde(default)]
    pub started: bool,
    /// The store's mark was read once (S2).
    #[serde(default)]
    pub marked: bool,
    /// The store lost its data once, for good (S2).
    #[serde(default)]
    pub renewed: bool,
    /// Paused and every instance flushed (P2).
    #[serde(default)]
    pub flushed: bool,
    /// A crawler may have run without storage: what is on the volumes may be nowhere else, for good (T6).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_volumes: bool,
    /// The largest scale that was wished: an entry beyond it is of no instance (S6). 1 is not written.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub most_scale: u32,
    /// What was read of `crawls-done`.
    pub files: FilesRead,
    /// Last counters; unset until pages were seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    /// Why the crawl is being stopped; once set it stays (S4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// The final state; a state that is not final is ignored when read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CrawlState>,
    /// Why that is the result, as one sentence with its rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// RFC 3339 second at which the result was proposed: `finishedAt` (E5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// RFC 3339 second at which a crawler was first seen running: `startedAt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// Memory of the Redis pod in bytes, once it grew (Z1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_memory: Option<u64>,
    /// Last handled exit of the Redis pod (O7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_exit: Option<String>,
    /// Instances whose recorded end is no end of the crawl: scaled away, with work left to the others (C4).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub handed_back: BTreeSet<u32>,
    /// Lines by instance.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instances: BTreeMap<u32, InstanceLine>,
}

impl State {
    /// A register in which nothing is written yet.
    #[must_use]
    pub fn blank_page() -> Self {
        Self {
            started: false,
            marked: false,
            renewed: false,
            flushed: false,
            keeps_volumes: false,
            most_scale: 1,
            files: FilesRead {
                lines: 0,
                first_hash: None,
                count: 0,
                bytes: 0,
            },
            counters: None,
            stop_reason: None,
            result: None,
            because: None,
            finished_at: None,
            started_at: None,
            redis_memory: None,
            redis_exit: None,
            handed_back: BTreeSet::new(),
            instances: BTreeMap::new(),
        }
    }
}

/// What was read of `crawls-done` (S3).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesRead {
    /// Lines read.
    pub lines: u64,
    /// Hash of the first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_hash: Option<String>,
    /// Files counted, each name once.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Last counters of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// Pages found.
    pub found: u64,
    /// Pages done.
    pub done: u64,
    /// Pages failed.
    pub failed: u64,
    /// Running seconds of all pods together (E7).
    #[serde(default)]
    pub exec_seconds: u64,
    /// Running seconds of the longest instance (E7).
    #[serde(default)]
    pub elapsed_seconds: u64,
}

/// One instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceLine {
    /// Its final entry, written before Redis goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<FinalEntry>,
    /// The store's size of it, written before Redis goes; counts only as S5 says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Last handled exit (O7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// Pages done when that exit was handled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages_done: u64,
    /// Early ends in a row (D5), at most 5.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub early_ends: u32,
    /// Crashes in a row (E3), at most 20.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub crashes: u32,
    /// Memory in bytes, once it grew (Z1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Volume request in bytes, once it grew (Z2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<u64>,
}

impl InstanceLine {
    /// A line that says nothing; such a line is not kept.
    #[must_use]
    pub fn silent() -> Self {
        Self {
            ended: None,
            size: None,
            exit: None,
            pages_done: 0,
            early_ends: 0,
            crashes: 0,
            memory: None,
            storage: None,
        }
    }
}

/// A final entry as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FinalEntry {
    /// `done`.
    Done,
    /// `canceled`.
    Canceled,
    /// `failed`.
    Failed,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(scale: &u32) -> bool {
    *scale == 1
}

fn is_zero<N: Copy + Into<u64>>(number: &N) -> bool {
    (*number).into() == 0
}

/// The register as a ConfigMap shows it. File lines that can't be read are left out; a state that can't be read makes
/// the whole register unreadable, which counts as not observed (D8).
#[must_use]
pub fn read(config_map: ConfigMap) -> RegisterSeen {
    let state = config_map
        .data
        .get(KEY_STATE)
        .and_then(|text| serde_json::from_str::<State>(text).ok());
    let Some(mut state) = state else {
        return RegisterSeen::Unreadable(config_map);
    };
    state.result = state.result.filter(|result| result.is_final());
    let lines = config_map.data.get(KEY_FILES).map(String::as_str).unwrap_or_default();
    let files = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let dropped = Dropped::read(config_map.data.get(KEY_DROPPED));
    let register = Register { state, files, dropped };
    RegisterSeen::Readable(Box::new(register), config_map)
}

/// The data of the register, within [`MAX_BYTES`]: the state always, then the job, then a hash of every file name
/// whose line does not fit, then as many of the newest file lines as fit. Equal input gives equal text.
#[must_use]
pub fn encode(register: &Register, job: &str) -> BTreeMap<String, String> {
    let state = to_json(&register.state);
    let mut left = MAX_BYTES.saturating_sub(json_string(&state));
    let mut data = BTreeMap::from([(KEY_STATE.to_owned(), state)]);
    // Only a job with a huge inline configuration beside hundreds of instances: recovery of the job itself is given up
    // before recovery of the crawl.
    if json_string(job) <= left {
        left -= json_string(job);
        data.insert(KEY_JOB.to_owned(), job.to_owned());
    }
    let (lines, dropped) = files::pack(&register.files, &register.dropped, left);
    data.insert(KEY_FILES.to_owned(), lines);
    if let Some(hashes) = dropped.text() {
        data.insert(KEY_DROPPED.to_owned(), hashes.to_owned());
    }
    data
}

/// Compact JSON in the order of the fields. These types always have one: no float, and every key is text or a number.
fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
