//! The store's data as one read of it shows them.

use std::collections::{BTreeMap, BTreeSet};

use rollcall::outside::store::{FileLine, FileLines, Flags, Mark, StoreView};

use super::super::state::{N, Store};
use super::{by_index, now, uid};

/// Bytes of an archive folder that holds pages.
const FULL: u64 = 1_000_000;
/// Bytes of an empty one.
const EMPTY: u64 = 4096;

/// A store that answers and holds nothing.
pub(in super::super) fn empty_store() -> StoreView {
    let empty = Store {
        mark: Some(Mark::First),
        ..Store::empty(0)
    };
    store_view(&empty, 0, BTreeMap::new())
}

pub(super) fn store_view(store: &Store, from: u64, exec_seconds: BTreeMap<String, u64>) -> StoreView {
    let from_line = usize::try_from(from).unwrap();
    let lines = (from_line..usize::from(store.files)).map(|line| {
        Some(FileLine {
            filename: format!("{}-{line}.wacz", store.epoch),
            size: FULL,
            hash: None,
            user: None,
        })
    });
    let set = |flags: &[bool; N]| {
        (0_u32..)
            .zip(flags)
            .filter(|(_, set)| **set)
            .map(|(index, _)| index)
            .collect()
    };
    StoreView {
        mark: store.mark,
        entries: by_index(&store.entries, |_, entry| *entry),
        sizes: by_index(&store.sizes, |_, full| if *full { FULL } else { EMPTY }),
        done: store.done.into(),
        seen: store.seen.into(),
        extra_seeds: 0,
        excluded: 0,
        failed: 0,
        queued: store.queued.into(),
        in_progress: store.in_progress.into(),
        rate_limited: false,
        not_logged_in: false,
        flags: Flags {
            stopping: store.stopping,
            canceled: store.canceled,
            paused: store.paused,
            stop_one: set(&store.stop_one),
        },
        files: FileLines {
            total: store.files.into(),
            first_hash: (store.files > 0).then(|| format!("list-{}", store.epoch)),
            from,
            lines: lines.collect(),
        },
        exec_seconds,
        idle_since: store.idle.then(now),
        rate_limit: None,
        flagged: store
            .flagged
            .iter()
            .map(|(index, number)| uid((*index).into(), *number))
            .collect::<BTreeSet<_>>(),
    }
}
