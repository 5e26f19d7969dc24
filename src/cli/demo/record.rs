//! `--record`: each exchange as files that `curl` and `rollcall replay` take, in the layout of `hooks/`. Requests and
//! answers have sorted keys; beside them lies what the crawl's store held, and in `.now.txt` when it was.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::observed::Timestamp;
use crate::sim::caller::{Call, Reply};

/// Writes exchanges into a folder.
#[derive(Debug)]
pub(super) struct Recorder {
    folder: PathBuf,
    count: usize,
}

impl Recorder {
    /// Makes the folder.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            count: 0,
        })
    }

    /// Writes one exchange; a call without an answer is none.
    pub(super) fn write(
        &mut self,
        situation: &str,
        now: Timestamp,
        call: &Call,
        store: Option<&Value>,
        reply: &Reply,
    ) -> io::Result<()> {
        let Reply::Http { body, .. } = reply else {
            return Ok(());
        };
        let folder = self.folder.join(&call.controller).join(call.hook.name());
        fs::create_dir_all(&folder)?;
        let stem = format!("{:03}-{situation}", self.count);
        self.count += 1;
        fs::write(folder.join(format!("{stem}.request.json")), pretty(&call.body)?)?;
        if let Some(store) = store {
            fs::write(folder.join(format!("{stem}.store.json")), pretty(store)?)?;
        }
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        fs::write(folder.join(format!("{stem}.response.json")), pretty(&answer)?)?;
        fs::write(folder.join(format!("{stem}.now.txt")), format!("{now}\n"))
    }
}

fn pretty(value: &Value) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
