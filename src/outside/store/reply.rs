//! A reply in its plain form, whoever gave it, and the small readings of one: counts, flags, numbers, texts. It trusts
//! nothing (S6): counts saturate, long texts are not taken, a wrong shape is [`Unreachable::Garbage`].

use super::Unreachable;
use super::command;
use crate::observed::Timestamp;

/// Largest number taken over: a later sum of a few thousand fits 64 bits, and every JSON reader holds it exactly.
pub(crate) const MAX_COUNT: u64 = (1 << 53) - 1;
/// Longest name taken over from one of our own keys.
const MAX_NAME: usize = 128;

/// A reply in its plain form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    /// No such key.
    Nil,
    /// A number.
    Int(i64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Several.
    List(Vec<Self>),
    /// An error answer; its text is of no use to anybody.
    Error,
}

/// Field and value of a hash.
type Pair = (Vec<u8>, Vec<u8>);

/// Making replies, for the store in this process.
impl Reply {
    pub(crate) fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }

    pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    pub(crate) fn length(length: usize) -> Self {
        Self::Int(i64::try_from(length).unwrap_or(i64::MAX))
    }
}

/// Reading them.
impl Reply {
    pub(super) fn count(self) -> Result<u64, Unreachable> {
        match self {
            Self::Int(count) => Ok(u64::try_from(count).unwrap_or(0).min(MAX_COUNT)),
            Self::Nil | Self::Bytes(_) | Self::List(_) | Self::Error => Err(Unreachable::Garbage),
        }
    }

    pub(super) fn bytes(self) -> Result<Option<Vec<u8>>, Unreachable> {
        match self {
            Self::Nil => Ok(None),
            Self::Bytes(bytes) => Ok(Some(bytes)),
            Self::Int(_) | Self::List(_) | Self::Error => Err(Unreachable::Garbage),
        }
    }

    pub(super) fn list(self) -> Result<Vec<Self>, Unreachable> {
        match self {
            Self::List(list) => Ok(list),
            Self::Nil | Self::Int(_) | Self::Bytes(_) | Self::Error => Err(Unreachable::Garbage),
        }
    }

    pub(super) fn flag(self) -> Result<bool, Unreachable> {
        Ok(self.bytes()?.is_some_and(|value| is_set(&value)))
    }

    pub(super) fn instant(self) -> Result<Option<Timestamp>, Unreachable> {
        Ok(self.bytes()?.and_then(|bytes| short_text(bytes)?.parse().ok()))
    }

    /// Fields and values of a hash.
    pub(super) fn pairs(self) -> Result<impl Iterator<Item = Result<Pair, Unreachable>>, Unreachable> {
        let list = self.list()?;
        if list.len() % 2 != 0 {
            return Err(Unreachable::Garbage);
        }
        let mut list = list.into_iter();
        Ok(std::iter::from_fn(move || match (list.next()?, list.next()?) {
            (Self::Bytes(field), Self::Bytes(value)) => Some(Ok((field, value))),
            (Self::Bytes(_) | Self::Nil | Self::Int(_) | Self::List(_) | Self::Error, _) => {
                Some(Err(Unreachable::Garbage))
            }
        }))
    }
}

pub(super) fn short_text(bytes: Vec<u8>) -> Option<String> {
    if bytes.len() > MAX_NAME {
        return None;
    }
    String::from_utf8(bytes).ok()
}

pub(super) fn is_set(flag: &[u8]) -> bool {
    flag == command::SET.as_bytes()
}

/// Decimal digits; more than [`MAX_COUNT`] is [`MAX_COUNT`], anything else is unknown.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = std::str::from_utf8(text).ok()?.parse().unwrap_or(u64::MAX);
    Some(value.min(MAX_COUNT))
}
