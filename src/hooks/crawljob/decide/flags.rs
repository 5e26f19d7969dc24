//! What the store is told (step 12): the mark, the flags that crawlers read, and what lasts between calls.
//!
//! Takes the facts and the judgement; gives the writes of one call. A flag is set in every call until its effect is seen and
//! removed only when its wish is gone (S4). Redis' idleness is decided with its pod, in `redis`.

use super::instance::{Instance, Instances, failed_by_the_flag};
use super::ledger::Ledger;
use super::sight::Sight;
use super::times;
use super::words::Judgement;
use crate::outside::store::{Entry, Mark, RateLimit, StoreView, StoreWrite};

/// Every write of this call except those of a dropped instance and of an idle Redis.
pub(super) fn writes(
    sight: &Sight<'_>,
    instances: &Instances<'_>,
    ledger: &Ledger,
    judgement: &Judgement,
) -> Vec<StoreWrite> {
    let Some(view) = sight.answered() else {
        return Vec::new();
    };
    let mut writes = mark(sight, view);
    let stop = sight.stop_wished() || ledger.next.state.stop_reason.is_some();
    if stop && !view.flags.stopping {
        writes.push(StoreWrite::SetStopping);
    }
    // A parent removed by force during finalize and made again goes on (I1): the wish to cancel is gone with it (S4).
    if view.flags.canceled {
        writes.push(StoreWrite::DeleteCanceled);
    }
    pause(sight, view, &mut writes);
    for instance in instances.iter() {
        stop_one(sight, view, instance, &mut writes);
    }
    remember_flagged(sight, view, &mut writes);
    rate_limit(sight, view, judgement, &mut writes);
    writes.extend(times::writes(sight));
    writes
}

/// S2: once `started` is observed. After a loss only in a call that sees no crawler pod, with entries and sizes deleted.
fn mark(sight: &Sight<'_>, view: &StoreView) -> Vec<StoreWrite> {
    if !sight.state().started || view.mark.is_some() {
        return Vec::new();
    }
    if !sight.blank() {
        let mark = if sight.state().renewed {
            Mark::Renewed
        } else {
            Mark::First
        };
        return vec![StoreWrite::SetMark(mark)];
    }
    if sight.state().renewed && sight.observed.crawlers.is_empty() {
        return vec![StoreWrite::ForgetInstances, StoreWrite::SetMark(Mark::Renewed)];
    }
    Vec::new()
}

/// P1 and P3: the flag while the pause is wished; deleted with the entries it made fail.
fn pause(sight: &Sight<'_>, view: &StoreView, writes: &mut Vec<StoreWrite>) {
    if sight.hold() {
        if !view.flags.paused {
            writes.push(StoreWrite::SetPaused);
        }
        return;
    }
    for (index, entry) in &view.entries {
        let crawler = sight.observed.crawlers.get(index);
        if *entry == Entry::Failed && failed_by_the_flag(sight, view, crawler) {
            writes.push(StoreWrite::DeleteEntry(*index));
        }
    }
    // Last, so that an entry that the flag made is never read without it.
    if view.flags.paused {
        writes.push(StoreWrite::DeletePaused);
    }
}

/// C2 and C4: `stopone` for a surplus instance that still has work. Below scale it is taken back only while nobody can read
/// it; otherwise an end that it caused could not be told from the end of the crawl.
fn stop_one(sight: &Sight<'_>, view: &StoreView, instance: &Instance<'_>, writes: &mut Vec<StoreWrite>) {
    let set = view.flags.stop_one.contains(&instance.index);
    if instance.surplus && !set && !instance.finished && !instance.never_ran {
        writes.push(StoreWrite::SetStopOne(instance.index));
    }
    let nobody_reads = instance.crawler.is_none_or(|crawler| !crawler.pod.placed);
    if set && instance.index < sight.spec.scale && nobody_reads && !instance.finished {
        writes.push(StoreWrite::DeleteStopOne(instance.index));
    }
}

/// P1: which pods ran while the flag was read as set; forgotten once read running without it, or once gone.
fn remember_flagged(sight: &Sight<'_>, view: &StoreView, writes: &mut Vec<StoreWrite>) {
    for (index, crawler) in &sight.observed.crawlers {
        let uid = &crawler.pod.uid;
        let remembered = view.flagged.contains(uid);
        if view.flags.paused && crawler.pod.container_runs && !remembered {
            writes.push(StoreWrite::SetFlagged(uid.clone()));
        }
        let failed = view.entries.get(index) == Some(&Entry::Failed);
        if remembered && !view.flags.paused && !failed && !sight.hold() {
            writes.push(StoreWrite::DeleteFlagged(uid.clone()));
        }
    }
    let exists = |uid: &String| sight.observed.crawlers.values().any(|crawler| crawler.pod.uid == *uid);
    let gone = view.flagged.iter().filter(|uid| !exists(uid));
    writes.extend(gone.cloned().map(StoreWrite::DeleteFlagged));
}

/// E6: since when the sites limit every crawler. A try after a back-off ends nothing; a page that was done does, and so does
/// a pause, whose time is free.
fn rate_limit(sight: &Sight<'_>, view: &StoreView, judgement: &Judgement, writes: &mut Vec<StoreWrite>) {
    let limited = match judgement {
        Judgement::RateLimited => !sight.hold(),
        Judgement::Open | Judgement::Final(_) => false,
    };
    match view.rate_limit {
        None if limited => writes.push(StoreWrite::SetRateLimit(RateLimit {
            since: sight.now,
            done: view.done,
        })),
        Some(limit) if limit.done != view.done || sight.hold() => writes.push(StoreWrite::DeleteRateLimit),
        None | Some(_) => {}
    }
}
