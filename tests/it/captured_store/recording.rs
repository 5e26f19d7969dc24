//! The recordings as values. Takes the files of this folder, gives whole snapshots and the exits and starts between them.

use std::fs;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::corpus::{files, root};

/// What was done to one crawl, and what its store held meanwhile.
#[derive(Debug)]
pub(super) struct Recording {
    /// Its name, as facts about the crawler are told by.
    pub(super) name: String,
    /// What was done, in words.
    pub(super) about: String,
    events: Vec<Event>,
    pub(super) snapshots: Vec<Snapshot>,
}

/// The store at one moment.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) name: String,
    /// Milliseconds since the recording began.
    pub(super) at: i64,
    /// Keys and values, in the form of a store file.
    pub(super) keys: Map<String, Value>,
}

/// Something that happened to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) at: i64,
    pub(super) index: u32,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Start,
    Exit(i32),
}

#[derive(Deserialize)]
struct Head {
    recording: String,
    about: String,
    events: Vec<(i64, String)>,
}

#[derive(Deserialize)]
struct Line {
    snapshot: String,
    at: i64,
    keys: Map<String, Value>,
    #[serde(default)]
    gone: Vec<String>,
}

/// All of them, by name.
pub(super) fn recordings() -> Vec<Recording> {
    let all = files(&root().join("tests/it/captured_store"));
    let recordings = all
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    recordings
        .map(|path| read(&fs::read_to_string(path).unwrap()))
        .collect()
}

fn read(text: &str) -> Recording {
    let mut lines = text.lines();
    let head: Head = serde_json::from_str(lines.next().unwrap()).unwrap();
    let mut keys = Map::new();
    let snapshots = lines.map(|line| {
        let line: Line = serde_json::from_str(line).unwrap();
        keys.extend(line.keys);
        keys.retain(|key, _| !line.gone.contains(key));
        Snapshot {
            name: line.snapshot,
            at: line.at,
            keys: keys.clone(),
        }
    });
    Recording {
        name: head.recording,
        about: head.about,
        snapshots: snapshots.collect(),
        events: head.events.iter().filter_map(|(at, text)| event(*at, text)).collect(),
    }
}

/// `start crawl-news-0 run 1` and `exit crawl-news-0 run 1 code 137`; the others happened to somebody else.
fn event(at: i64, text: &str) -> Option<Event> {
    let words: Vec<&str> = text.split(' ').collect();
    let what = match words.as_slice() {
        ["start", _, "run", _] => What::Start,
        ["exit", _, "run", _, "code", code] => What::Exit(code.parse().ok()?),
        _ => return None,
    };
    let index = words[1].strip_prefix("crawl-news-")?.parse().ok()?;
    Some(Event { at, index, what })
}

impl Recording {
    /// What had happened when a snapshot was taken. Its name is exact to a tenth of a second only, and says itself whether
    /// it was taken at an exit: then the exit is seen, and not the start that followed at once; else it was still to come.
    pub(super) fn events_until(&self, snapshot: &Snapshot) -> impl Iterator<Item = Event> {
        let at_an_exit = ["after", "final"].iter().any(|word| snapshot.name.contains(word));
        let until = snapshot.at;
        let events = self.events.iter().copied();
        events.filter(move |event| match event.what {
            What::Start if at_an_exit => event.at + 200 <= until,
            What::Start => event.at <= until,
            What::Exit(_) if at_an_exit => event.at <= until + 60,
            What::Exit(_) => event.at + 60 <= until,
        })
    }

    /// Instances that ever started.
    pub(super) fn scale(&self) -> u32 {
        self.events.iter().map(|event| event.index + 1).max().unwrap_or(1)
    }
}
