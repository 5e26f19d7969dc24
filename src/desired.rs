//! What `decide` gives: the whole answer as data, and what must be told to the outside before it is sent.
//!
//! Nothing here does anything. `Desired` has no `Default`: an answer with fewer children deletes the rest, so every
//! list is written on purpose.

use std::borrow::Cow;

use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod};

/// The decision of one call: `S` is the hook's status, `E` its effects on the outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Desired<S, E> {
    /// The full status (rule M1).
    pub status: S,
    /// Every child that should exist. What is observed and not here is deleted by the caller.
    pub children: Vec<Child>,
    /// When to be called again, if time matters (rules W).
    pub wake: Wake,
    /// Only in finalize: may the parent go?
    pub finalized: Finalized,
    /// What to tell the outside, in order. Each is safe to repeat.
    pub effects: Vec<E>,
    /// Why each child is kept, made, called back or ignored: for logs and `explain`.
    pub verdicts: Vec<Verdict>,
}

/// One desired child.
#[derive(Debug, Clone, PartialEq)]
pub enum Child {
    /// An existing OnDelete child, answered by name only (D6).
    Reference(Reference),
    /// A pod to make.
    Pod(Box<Pod>),
    /// A claim, always in full.
    Volume(Box<PersistentVolumeClaim>),
    /// A ConfigMap, always in full.
    ConfigMap(Box<ConfigMap>),
}

/// What names an existing child. The labels must satisfy the parent's selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// `v1`.
    pub api_version: &'static str,
    /// `Pod`.
    pub kind: &'static str,
    /// The parent's namespace.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// Label key and value pairs, at least the selector's.
    pub labels: Vec<(&'static str, String)>,
}

/// When the next call is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Events are enough.
    OnEvent,
    /// After this many seconds, 1 to 3600.
    After(u32),
}

/// The finalize verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finalized {
    /// A sync call: the field is left out.
    NotAsked,
    /// Children are still being taken down.
    No,
    /// The parent may go.
    Yes,
}

/// Why one child is treated as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `Pod`, `PersistentVolumeClaim`, `ConfigMap`.
    pub kind: &'static str,
    /// `metadata.name`.
    pub name: String,
    /// What happens to it.
    pub does: Does,
    /// The rule that says so, as the hook's README numbers it.
    pub rule: &'static str,
    /// The reason in the field's words.
    pub reason: Cow<'static, str>,
}

/// What happens to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Does {
    /// It exists and stays.
    Keep,
    /// It does not exist and is wanted.
    Make,
    /// It exists and is left out, so that it is deleted.
    CallBack,
    /// It is another owner's.
    Ignore,
}

impl Does {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Make => "make",
            Self::CallBack => "call back",
            Self::Ignore => "ignore",
        }
    }
}
