//! What the hook's writes do to the store's data: the same as the commands behind them do in Redis. Each is safe to repeat.

use rollcall::outside::store::{Entry, StoreWrite};

use super::state::{N, Store};

pub(super) fn tell(store: &mut Store, write: &StoreWrite) {
    let at = |index: &u32| usize::try_from(*index).unwrap();
    match write {
        StoreWrite::SetMark(mark) => {
            store.mark.get_or_insert(*mark);
        }
        StoreWrite::ForgetInstances => {
            store.entries = [None; N];
            store.sizes = [None; N];
        }
        StoreWrite::SetStopping => store.stopping = true,
        StoreWrite::SetCanceled => store.canceled = true,
        StoreWrite::DeleteCanceled => store.canceled = false,
        StoreWrite::SetPaused => store.paused = true,
        StoreWrite::DeletePaused => store.paused = false,
        StoreWrite::SetStopOne(index) => store.stop_one[at(index)] = true,
        StoreWrite::DeleteStopOne(index) => store.stop_one[at(index)] = false,
        StoreWrite::SetInterrupted(index) => store.entries[at(index)] = Some(Entry::Interrupted),
        StoreWrite::DeleteEntry(index) => store.entries[at(index)] = None,
        StoreWrite::DeleteSize(index) => store.sizes[at(index)] = None,
        StoreWrite::SetIdleSince(_) => store.idle = true,
        StoreWrite::DeleteIdle => store.idle = false,
        StoreWrite::SetFlagged(uid) => {
            store.flagged.push(pod(uid));
            store.flagged.sort_unstable();
            store.flagged.dedup();
        }
        StoreWrite::DeleteFlagged(uid) => store.flagged.retain(|known| *known != pod(uid)),
        // Running time and rate limits are not in this model.
        StoreWrite::SetExecSeconds(..) | StoreWrite::SetRateLimit(_) | StoreWrite::DeleteRateLimit => {}
    }
}

/// The pod behind `<index>.<number>`.
fn pod(uid: &str) -> (u8, u8) {
    let (index, number) = uid.split_once('.').unwrap();
    (index.parse().unwrap(), number.parse().unwrap())
}
