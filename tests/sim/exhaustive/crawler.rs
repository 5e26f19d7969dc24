//! One step of a crawler's process, as `src/sim/crawler.rs` has it and the real one was seen to do: it reads flags and its
//! entry, takes pages, uploads, and says how it ended. It only works while its store answers.

use rollcall::outside::store::Entry;

use super::state::{Crawler, End, Exit, Phase, Process, RedisPhase, Store, World};

/// How a step ends.
enum Next {
    Goes(Process),
    /// The process ends with this code.
    Ends(u8),
}

/// The next step of the process of instance `index`; nothing when it has none to make.
pub(super) fn step(world: &World, index: usize, pages: u8) -> Option<World> {
    let crawler = world.objects.pods.crawlers[index]?;
    let Phase::Runs(process) = crawler.phase else {
        return None;
    };
    if world.objects.pods.redis?.phase != RedisPhase::Runs {
        return None;
    }
    let mut world = world.clone();
    let next = match process {
        Process::Boot => boot(&mut world, index, pages),
        Process::Between => between(&mut world, index, crawler)?,
        Process::Page => page(&mut world, index),
        Process::Upload(end) => upload(&mut world, index, end),
    };
    world.objects.pods.crawlers[index] = match next {
        Next::Goes(process) => Some(Crawler {
            phase: Phase::Runs(process),
            ..crawler
        }),
        Next::Ends(code) => ended(crawler, code, false),
    };
    Some(world)
}

/// The pod once its process ended; a leaving one is gone.
pub(super) fn ended(crawler: Crawler, code: u8, out_of_memory: bool) -> Option<Crawler> {
    (!crawler.leaving).then_some(Crawler {
        phase: if code == 0 { Phase::Succeeded } else { Phase::Ended },
        exit: Some(Exit {
            code,
            out_of_memory,
            number: crawler.restarts,
        }),
        ..crawler
    })
}

fn is_empty(world: &World, index: usize) -> bool {
    world.objects.volumes.crawlers[index].is_none_or(|volume| volume.unsaved == 0)
}

fn stops(store: &Store, index: usize) -> bool {
    store.stopping || store.stop_one[index]
}

fn boot(world: &mut World, index: usize, pages: u8) -> Next {
    let nothing = is_empty(world, index);
    let full = world.objects.volumes.crawlers[index].is_some_and(|volume| volume.unsaved > 0 || volume.saved);
    let store = &mut world.store;
    match store.entries[index] {
        Some(Entry::Done) if store.nothing_left() || stops(store, index) => return Next::Ends(0),
        Some(Entry::Done) => {
            store.entries[index] = Some(Entry::Interrupted);
            return Next::Ends(1);
        }
        Some(Entry::UploadingWacz) => return Next::Goes(Process::Upload(End::Redo)),
        _ => {}
    }
    if stops(store, index) {
        if nothing && store.done == 0 {
            store.entries[index] = Some(Entry::Failed);
            return Next::Ends(0);
        }
        return begin_upload(store, index, End::Stopped);
    }
    if store.canceled {
        store.entries[index] = Some(Entry::Canceled);
        return Next::Ends(0);
    }
    if store.paused {
        if nothing {
            store.sizes[index] = Some(false);
            let failed = store.done == 0;
            store.entries[index] = Some(if failed { Entry::Failed } else { Entry::Interrupted });
            return Next::Ends(0);
        }
        return begin_upload(store, index, End::Paused);
    }
    store.entries[index] = Some(Entry::Running);
    store.sizes[index] = Some(full);
    if store.seen == 0 {
        store.seen = pages;
        store.queued = pages;
    }
    Next::Goes(Process::Between)
}

fn begin_upload(store: &mut Store, index: usize, end: End) -> Next {
    store.entries[index] = Some(Entry::UploadingWacz);
    Next::Goes(Process::Upload(end))
}

fn between(world: &mut World, index: usize, crawler: Crawler) -> Option<Next> {
    let held = holders(world);
    let store = &mut world.store;
    if store.canceled {
        store.entries[index] = Some(Entry::Canceled);
        return Some(Next::Ends(0));
    }
    if store.nothing_left() {
        if store.done > 0 {
            return Some(begin_upload(store, index, End::Finished));
        }
        store.entries[index] = Some(Entry::Interrupted);
        return Some(Next::Ends(1));
    }
    if stops(store, index) {
        return Some(begin_upload(store, index, End::Stopped));
    }
    if crawler.leaving {
        store.entries[index] = Some(Entry::Interrupted);
        return Some(Next::Ends(11));
    }
    if store.queued > 0 {
        store.queued -= 1;
        store.in_progress += 1;
        return Some(Next::Goes(Process::Page));
    }
    // Only pages in progress are left: those that nobody holds are queued again, for the others it waits.
    if store.in_progress <= held {
        return None;
    }
    store.in_progress -= 1;
    store.queued += 1;
    Some(Next::Goes(Process::Between))
}

/// Processes that hold a page.
fn holders(world: &World) -> u8 {
    let crawlers = world.objects.pods.crawlers.iter().flatten();
    let held = crawlers
        .filter(|crawler| crawler.phase == Phase::Runs(Process::Page))
        .count();
    u8::try_from(held).unwrap()
}

fn page(world: &mut World, index: usize) -> Next {
    let store = &mut world.store;
    store.in_progress = store.in_progress.saturating_sub(1);
    store.done += 1;
    store.sizes[index] = Some(true);
    let paused = store.paused && !store.nothing_left();
    if let Some(volume) = &mut world.objects.volumes.crawlers[index] {
        volume.unsaved += 1;
    }
    if paused {
        begin_upload(&mut world.store, index, End::Paused)
    } else {
        Next::Goes(Process::Between)
    }
}

fn upload(world: &mut World, index: usize, end: End) -> Next {
    let uploads = world.objects.parent.as_ref().is_some_and(|parent| parent.spec.storage);
    if let Some(volume) = &mut world.objects.volumes.crawlers[index]
        && volume.unsaved > 0
        && uploads
    {
        world.store.files += 1;
        world.past.announced += volume.unsaved;
        volume.unsaved = 0;
        volume.saved = true;
    }
    let nothing = is_empty(world, index);
    let store = &mut world.store;
    let finished = store.nothing_left() && store.done > 0;
    match end {
        End::Finished | End::Stopped => done(store, index),
        End::Paused => paused(world, index, nothing),
        End::Redo if stops(store, index) || finished => done(store, index),
        End::Redo if store.paused => paused(world, index, nothing),
        End::Redo => {
            store.entries[index] = Some(Entry::Interrupted);
            Next::Ends(1)
        }
    }
}

fn done(store: &mut Store, index: usize) -> Next {
    store.entries[index] = Some(Entry::Done);
    Next::Ends(0)
}

/// The folder is emptied once it is uploaded.
fn paused(world: &mut World, index: usize, nothing: bool) -> Next {
    if nothing {
        world.store.sizes[index] = Some(false);
        if let Some(volume) = &mut world.objects.volumes.crawlers[index] {
            volume.saved = false;
        }
    }
    world.store.entries[index] = Some(Entry::Interrupted);
    Next::Ends(0)
}
