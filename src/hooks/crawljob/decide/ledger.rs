//! The next register: what this call adds to what it observed (step 7). Write it down, then do it.
//!
//! Takes the observed register and the facts; gives the register to answer with. Nothing here acts on a new line: a step
//! that needs one waits until the line is observed.

pub(super) mod exits;

use std::collections::BTreeSet;

use super::super::register::{Counters, FinalEntry, InstanceLine, Register, State, is_among};
use super::instance::{Instance, Instances};
use super::sight::{Sight, found};
use super::times;
use super::words::Verdict;
use crate::api::v1::crawljob_status::StopReason;
use crate::observed::time::whole_seconds;
use crate::outside::store::{Entry, FileLines, Mark};

/// The register as it should be after this call.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The new register.
    pub(super) next: Register,
}

impl Ledger {
    /// Step 7: started, marked, renewed, files, counters, exits.
    pub(super) fn open(sight: &Sight<'_>, instances: &Instances<'_>) -> Self {
        let mut ledger = Self {
            next: sight.register.clone(),
        };
        ledger.note_start(sight);
        ledger.note_store(sight);
        ledger.note_first_pages(sight);
        ledger.forget_overtaken_ends(sight, instances);
        exits::handle(sight, instances, &mut ledger.next.state);
        ledger
    }

    /// The new `state.json`.
    pub(super) fn state(&mut self) -> &mut State {
        &mut self.next.state
    }

    /// D4: from the first placed crawler on, and whenever a Redis pod or volume exists.
    fn note_start(&mut self, sight: &Sight<'_>) {
        let redis_exists = sight.observed.redis.is_some() || sight.observed.redis_volume.is_some();
        let state = &mut self.next.state;
        state.started = state.started || sight.any_placed() || redis_exists;
        let pods = sight.observed.crawlers.keys().next_back();
        let volumes = sight.observed.volumes.keys().next_back();
        let existing = pods.max(volumes).map_or(0, |index| index.saturating_add(1));
        state.most_scale = state.most_scale.max(sight.spec.scale).max(existing);
        state.keeps_volumes |= sight.spec.storage.is_none();
        if state.started_at.is_none() {
            state.started_at = times::first_start(sight.observed).map(whole_seconds);
        }
    }

    /// S2 and S3: the mark, a loss, and the lines of `crawls-done`.
    fn note_store(&mut self, sight: &Sight<'_>) {
        if let Some(view) = sight.answered() {
            self.next.state.marked |= view.mark.is_some();
            self.next.state.renewed |= view.mark == Some(Mark::Renewed);
        }
        self.next.state.renewed |= sight.blank();
        if let Some(view) = sight.usable() {
            self.read_lines(&view.files);
        }
    }

    /// S3: from where the register stopped, if it is still the same list; else again from 0. A file counts once, by name.
    fn read_lines(&mut self, lines: &FileLines) {
        let read = &mut self.next.state.files;
        if !same_list(read.lines, read.first_hash.as_deref(), lines) {
            read.lines = 0;
            read.first_hash = None;
            return;
        }
        if lines.lines.is_empty() {
            return;
        }
        read.first_hash.clone_from(&lines.first_hash);
        let mut names: BTreeSet<String> = self.next.files.iter().map(|file| file.filename.clone()).collect();
        let dropped = self.next.dropped.hashes();
        for line in &lines.lines {
            read.lines = read.lines.saturating_add(1);
            if let Some(file) = line
                && !is_among(&dropped, &file.filename)
                && names.insert(file.filename.clone())
            {
                read.count = read.count.saturating_add(1);
                read.bytes = read.bytes.saturating_add(file.size);
                self.next.files.push(file.clone());
            }
        }
    }

    /// S5: counters go into the register when pages are first seen.
    fn note_first_pages(&mut self, sight: &Sight<'_>) {
        if self.next.state.counters.is_none() && sight.store_found().is_some_and(|found| found > 0) {
            self.record_counters(sight);
        }
    }

    /// The store's counters, never lower than recorded.
    pub(super) fn record_counters(&mut self, sight: &Sight<'_>) {
        let Some(view) = sight.usable() else { return };
        let seconds = times::running(sight);
        let last = self.next.state.counters;
        self.next.state.counters = Some(Counters {
            found: found(view).max(last.map_or(0, |last| last.found)),
            done: view.done.max(last.map_or(0, |last| last.done)),
            failed: view.failed.max(last.map_or(0, |last| last.failed)),
            exec_seconds: seconds.exec.max(last.map_or(0, |last| last.exec_seconds)),
            elapsed_seconds: seconds.elapsed.max(last.map_or(0, |last| last.elapsed_seconds)),
        });
    }

    /// S5: final entries and sizes, before Redis goes. Says nothing of an instance whose pod could still change them.
    pub(super) fn record_ends(&mut self, sight: &Sight<'_>, instances: &Instances<'_>) {
        if sight.usable().is_none() {
            return;
        }
        self.record_counters(sight);
        self.next.state.handed_back.clear();
        for instance in instances.iter().filter(|instance| instance.known) {
            let (ended, size) = (ended_of(sight, instance), instance.unsaved);
            if instance.handed_back {
                self.next.state.handed_back.insert(instance.index);
            }
            self.line(instance.index, |line| {
                line.ended = ended;
                line.size = size;
            });
        }
    }

    /// C4: an instance that came back works again, and its recorded end is none any more.
    fn forget_overtaken_ends(&mut self, sight: &Sight<'_>, instances: &Instances<'_>) {
        if sight.usable().is_none() {
            return;
        }
        for index in &sight.state().handed_back {
            if !instances.all.get(index).is_some_and(Instance::final_entry) {
                self.next.state.handed_back.remove(index);
                self.line(*index, |line| line.ended = None);
            }
        }
    }

    /// S4: why the crawl is being stopped; the first reason stays.
    pub(super) fn note_stop(&mut self, reason: StopReason) {
        self.next.state.stop_reason.get_or_insert(reason);
    }

    /// E5: proposes the result. Entries and sizes are replaced by what this call read for an instance without a pod, by
    /// unknown for one with a pod; they stay only when `flushed` is observed.
    pub(super) fn record_verdict(&mut self, sight: &Sight<'_>, instances: &Instances<'_>, verdict: &Verdict) {
        self.record_counters(sight);
        if !sight.state().flushed {
            self.next.state.handed_back.clear();
            for instance in instances.iter().filter(|instance| instance.known) {
                let podless = instance.crawler.is_none() && sight.usable().is_some();
                let ended = if podless { ended_of(sight, instance) } else { None };
                let size = if podless { instance.unsaved } else { None };
                self.line(instance.index, |line| {
                    line.ended = ended;
                    line.size = size;
                });
            }
        }
        if !verdict.sets_started {
            self.next.state.started = sight.state().started;
        }
        if let Some(reason) = verdict.stop_reason {
            self.note_stop(reason);
        }
        self.next.state.result = Some(verdict.state);
        self.next.state.because = Some(format!("{} ({})", verdict.because, verdict.rule));
        self.next
            .state
            .finished_at
            .get_or_insert_with(|| whole_seconds(sight.now));
    }

    /// Changes the line of one instance; a line that says nothing is not written.
    pub(super) fn line(&mut self, index: u32, change: impl FnOnce(&mut InstanceLine)) {
        change_line(&mut self.next.state, index, change);
    }

    /// C3: the whole line of a dropped instance goes.
    pub(super) fn drop_line(&mut self, index: u32) {
        self.next.state.instances.remove(&index);
        self.next.state.handed_back.remove(&index);
    }

    /// The register already says everything that this call would add: what waits for a line may be done now.
    pub(super) fn is_observed(&self, sight: &Sight<'_>) -> bool {
        self.next == *sight.register
    }
}

/// S3: a verdict needs every line in the observed register, or `flushed` observed, or `started` never said.
pub(super) fn lines_complete(sight: &Sight<'_>) -> bool {
    let state = sight.state();
    let all_read = sight.usable().is_some_and(|view| {
        state.files.lines == view.files.total
            && same_list(state.files.lines, state.files.first_hash.as_deref(), &view.files)
    });
    all_read || state.flushed || !state.started
}

/// Changes one line and drops it again when it says nothing.
fn change_line(state: &mut State, index: u32, change: impl FnOnce(&mut InstanceLine)) {
    let line = state.instances.entry(index).or_insert_with(InstanceLine::silent);
    change(line);
    if *line == InstanceLine::silent() {
        state.instances.remove(&index);
    }
}

/// The list we read from before: not shorter, and its first line has the recorded hash.
fn same_list(read: u64, first_hash: Option<&str>, lines: &FileLines) -> bool {
    read == lines.from && read <= lines.total && (read == 0 || first_hash == lines.first_hash.as_deref())
}

/// The entry to record, in the store's own word.
fn ended_of(sight: &Sight<'_>, instance: &Instance<'_>) -> Option<FinalEntry> {
    if !instance.final_entry() && instance.entry != super::instance::EntrySight::Is(Entry::Interrupted) {
        return None;
    }
    match sight.usable()?.entries.get(&instance.index)? {
        Entry::Done => Some(FinalEntry::Done),
        Entry::Canceled => Some(FinalEntry::Canceled),
        Entry::Failed if instance.final_entry() => Some(FinalEntry::Failed),
        Entry::Failed
        | Entry::Running
        | Entry::PendingWait
        | Entry::GenerateWacz
        | Entry::UploadingWacz
        | Entry::Interrupted
        | Entry::Other => None,
    }
}
