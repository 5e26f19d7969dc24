//! Lines of `crawls-done`: one JSON object per uploaded file. Takes bytes that anybody may have written, gives a bounded
//! [`FileLine`] or nothing.

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::FileLine;
use super::reply::MAX_COUNT;

/// Longest line that is looked into.
const MAX_LINE: usize = 64 * 1024;
/// Longest file name.
const MAX_FILENAME: usize = 1024;
/// Longest user.
const MAX_USER: usize = 256;
/// Longest hash: SHA-512 in hexadecimal.
const MAX_HASH: usize = 128;

/// First 16 hexadecimal digits of the SHA-256 of some bytes.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let first = Sha256::digest(bytes)
        .iter()
        .take(8)
        .fold(0_u64, |first, byte| first << 8 | u64::from(*byte));
    format!("{first:016x}")
}

/// What a crawler announces. Every field is a `Value`, so that an odd one spoils itself and not the line.
#[derive(Deserialize)]
struct Announced {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    filename: Value,
    #[serde(default)]
    size: Value,
    #[serde(default)]
    hash: Value,
    #[serde(default)]
    user: Value,
}

/// Reads one line. `None`: too long, not JSON, no file name or size, or a file of another job.
pub(crate) fn read(job: &str, line: &[u8]) -> Option<FileLine> {
    if line.len() > MAX_LINE {
        return None;
    }
    let announced: Announced = serde_json::from_slice(line).ok()?;
    let other_job = announced.id.as_str().is_some_and(|id| id != job);
    let filename = announced.filename.as_str().filter(|name| !name.is_empty())?;
    if other_job {
        return None;
    }
    Some(FileLine {
        filename: short_name(filename),
        size: bytes(&announced.size)?,
        hash: announced.hash.as_str().filter(|hash| is_hash(hash)).map(str::to_owned),
        user: announced.user.as_str().map(|user| cut(user, MAX_USER).to_owned()),
    })
}

/// A size: whole, not negative; beyond [`MAX_COUNT`] it is [`MAX_COUNT`].
fn bytes(size: &Value) -> Option<u64> {
    let huge = || size.as_f64().filter(|size| *size > 1e15).map(|_| MAX_COUNT);
    size.as_u64().or_else(huge).map(|size| size.min(MAX_COUNT))
}

fn is_hash(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_HASH && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A long name is cut; the hash of the whole keeps two of them apart, because a file counts once by its name (S3).
fn short_name(name: &str) -> String {
    if name.len() <= MAX_FILENAME {
        return name.to_owned();
    }
    let hash = hash(name.as_bytes());
    format!("{}~{hash}", cut(name, MAX_FILENAME - 1 - hash.len()))
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests;
