//! The file lines of a register, and what is kept of those that no longer fit: a short hash of each name, so that a list
//! that is read anew counts no file twice (S3).
//!
//! Takes lines and the bytes that are left; gives texts that fit. Equal input gives equal text.

use std::collections::BTreeSet;

use super::{json_string, to_json};
use crate::outside::store::{FileLine, hash};

/// Hexadecimal digits for one name: 40 bits. Among 20 000 names a new one is taken for an old one in 1 of 50 million.
const DIGITS: usize = 10;
/// A value is measured with the quotes around it.
const QUOTES: usize = 2;

/// Hashes of the names of files whose lines were dropped, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dropped(String);

impl Dropped {
    /// None yet.
    #[must_use]
    pub fn nothing() -> Self {
        Self(String::new())
    }

    /// As written; a text of another form is nothing.
    pub(super) fn read(text: Option<&String>) -> Self {
        let readable = |text: &&String| text.is_ascii() && text.len().is_multiple_of(DIGITS);
        text.filter(readable)
            .map_or_else(Self::nothing, |text| Self(text.clone()))
    }

    pub(super) fn text(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(self.0.as_str())
    }

    /// For many questions: see [`is_among`].
    #[must_use]
    pub fn hashes(&self) -> BTreeSet<&[u8]> {
        self.0.as_bytes().chunks_exact(DIGITS).collect()
    }
}

/// The file's line was dropped earlier.
#[must_use]
pub fn is_among(dropped: &BTreeSet<&[u8]>, filename: &str) -> bool {
    !dropped.is_empty() && dropped.contains(short_hash(filename).as_bytes())
}

fn short_hash(filename: &str) -> String {
    let mut hash = hash(filename.as_bytes());
    hash.truncate(DIGITS);
    hash
}

/// The newest lines, and the hashes of all others, within `left` bytes. A hash is never given up for a line; when not even
/// the hashes fit, the oldest of them go.
pub(super) fn pack(files: &[FileLine], dropped: &Dropped, left: usize) -> (String, Dropped) {
    let left = left.saturating_sub(2 * QUOTES);
    let all = dropped.0.len() + files.len() * DIGITS;
    let (lines, kept) = newest(files, left.saturating_sub(all));
    let older = &files[..files.len() - kept];
    let mut hashes = dropped.0.clone();
    for file in older {
        hashes.push_str(&short_hash(&file.filename));
    }
    let most = left / DIGITS * DIGITS;
    let over = hashes.len().saturating_sub(most);
    (lines, Dropped(hashes.split_off(over)))
}

/// The newest lines that fit into `left` bytes, each of which gives back the room of its hash; and how many they are.
fn newest(files: &[FileLine], mut left: usize) -> (String, usize) {
    let mut kept = Vec::new();
    for file in files.iter().rev() {
        let line = to_json(file) + "\n";
        let Some(rest) = (left + DIGITS).checked_sub(json_string(&line) - QUOTES) else {
            break;
        };
        left = rest;
        kept.push(line);
    }
    kept.reverse();
    (kept.concat(), kept.len())
}
