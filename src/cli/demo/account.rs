//! The account at the end: what crawlers uploaded against what the register recorded, pages, volumes, calls, writes and
//! call-backs. It reads the world; nothing here comes from what the hook says of itself but the register.

use std::collections::BTreeMap;
use std::io::{self, Write};

use humansize::{BINARY, format_size};
use serde_json::Value;

use super::stage::{CalledBack, JOB, NAMESPACE, PAGES, Stage};
use crate::api::v1::crawljob_names as names;
use crate::hooks::crawljob::register::{KEY_FILES, KEY_STATE};
use crate::sim::storage::Upload;
use crate::sim::world::{Counters, Loss};

/// The account.
#[derive(Debug)]
pub(super) struct Account {
    uploads: Vec<Upload>,
    recorded: Vec<String>,
    recorded_count: u64,
    recorded_bytes: u64,
    result: String,
    pages: usize,
    losses: Vec<Loss>,
    counters: Counters,
    called_back: Vec<CalledBack>,
    complete: bool,
}

impl Account {
    pub(super) fn of(stage: &Stage, complete: bool) -> Self {
        let world = stage.world();
        let register = |key| {
            world
                .config_map_data(NAMESPACE, &names::register(JOB), key)
                .unwrap_or_default()
        };
        let recorded: Value = serde_json::from_str(register(KEY_STATE)).unwrap_or_default();
        let names = register(KEY_FILES).lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(line["filename"].as_str()?.to_owned())
        });
        Self {
            uploads: world.bucket().uploads.clone(),
            recorded: names.collect(),
            recorded_count: recorded["files"]["count"].as_u64().unwrap_or(0),
            recorded_bytes: recorded["files"]["bytes"].as_u64().unwrap_or(0),
            result: recorded["result"].as_str().unwrap_or("none").to_owned(),
            pages: world.bucket().pages(),
            losses: world.losses().to_vec(),
            counters: world.counters(),
            called_back: stage.called_back.clone(),
            complete,
        }
    }

    /// Every announced upload is recorded and nothing else, every page is in an uploaded archive, no volume went with
    /// data, and the story came to its end.
    pub(super) fn nothing_lost(&self) -> bool {
        let announced: Vec<&Upload> = self.announced().collect();
        let bytes: u64 = announced.iter().map(|upload| upload.size).sum();
        self.complete
            && self.losses.is_empty()
            && u64::try_from(self.pages) == Ok(PAGES)
            && u64::try_from(announced.len()) == Ok(self.recorded_count)
            && bytes == self.recorded_bytes
            && announced.iter().all(|upload| self.recorded.contains(&upload.name))
    }

    fn announced(&self) -> impl Iterator<Item = &Upload> {
        self.uploads.iter().filter(|upload| upload.announced)
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let bytes: u64 = self.announced().map(|upload| upload.size).sum();
        writeln!(out, "\nAccount")?;
        let files = |count: usize, bytes: u64| format!("{count} archives, {}", format_size(bytes, BINARY));
        writeln!(
            out,
            "  uploaded by crawlers       {}",
            files(self.announced().count(), bytes)
        )?;
        let count = usize::try_from(self.recorded_count).unwrap_or(usize::MAX);
        writeln!(
            out,
            "  recorded in the register   {}",
            files(count, self.recorded_bytes)
        )?;
        writeln!(out, "  result in the register     {}", self.result)?;
        writeln!(out, "  pages in the archives      {} of {PAGES}", self.pages)?;
        writeln!(out, "  volumes deleted too early  {}", self.losses_in_words())?;
        let Counters {
            syncs,
            finalizes,
            customizes,
            failures,
            creates,
            updates,
            deletes,
            statuses,
        } = self.counters;
        writeln!(
            out,
            "  calls                      {syncs} sync, {finalizes} finalize, {customizes} customize; {failures} without a usable answer"
        )?;
        writeln!(
            out,
            "  writes                     {creates} creates, {updates} updates, {deletes} deletes, {statuses} status"
        )?;
        writeln!(out, "  called back                {} children", self.called_back.len())?;
        for ((rule, reason), names) in self.by_reason() {
            writeln!(out, "    {reason} ({rule}): {}", names.join(", "))?;
        }
        writeln!(out, "\n{}", self.verdict())
    }

    fn verdict(&self) -> &'static str {
        match (self.nothing_lost(), self.complete) {
            (true, _) => "Nothing was lost.",
            (false, true) => "Something was lost.",
            (false, false) => "The story did not come to its end.",
        }
    }

    fn losses_in_words(&self) -> String {
        let losses: Vec<String> = self
            .losses
            .iter()
            .map(|loss| format!("{} ({} pages)", loss.volume, loss.pages.len()))
            .collect();
        if losses.is_empty() {
            "none".to_owned()
        } else {
            losses.join(", ")
        }
    }

    fn by_reason(&self) -> BTreeMap<(&str, &str), Vec<&str>> {
        let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for child in &self.called_back {
            groups.entry((child.rule, &child.reason)).or_default().push(&child.name);
        }
        groups
    }
}
