//! The size of a crawl (M4). Takes a [`Sight`] and what the register counted; gives bytes, recorded and pending.

use super::super::register::FilesRead;
use super::sight::Sight;
use crate::outside::store::Entry;

/// Bytes of a crawl (M4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Recorded files and what is pending.
    pub(super) total: u64,
    /// Not uploaded yet: sizes of instances whose entry is not final.
    pub(super) pending: u64,
}

/// M4: a final exit leaves its last size behind, so only unfinished instances count as pending.
pub(super) fn size(sight: &Sight<'_>, files: &FilesRead) -> Size {
    let pending = match sight.usable() {
        Some(view) => {
            let finished = |index: &u32| {
                view.entries
                    .get(index)
                    .is_some_and(|entry| matches!(entry, Entry::Done | Entry::Canceled | Entry::Failed))
            };
            let open = view
                .sizes
                .iter()
                .filter(|(index, _)| !finished(index))
                .map(|(_, bytes)| *bytes);
            open.fold(0, u64::saturating_add)
        }
        None => sight.observed.previous.size_pending,
    };
    Size {
        total: files.bytes.saturating_add(pending),
        pending,
    }
}
