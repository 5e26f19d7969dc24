//! Why a body can't be used. Closed; every sentence may be published, because the caller copies it into an Event: it
//! names kinds, resources, positions and paths, and never a value of the request.

use serde::Deserialize;

use super::declared::{ParentKind, Strategy};

/// Longest path in a sentence.
const MAX_PATH: usize = 200;

/// A body that can't be used. Which status it becomes is said by [`crate::error`], by variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    /// Not JSON at all.
    #[error("the body is not JSON: line {line}, column {column}")]
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault.
        column: usize,
    },
    /// JSON of another shape than a call of metacontroller.
    #[error("{path} is missing, doubled or of the wrong type; send the body of a metacontroller hook call")]
    WrongShape {
        /// Where.
        path: String,
    },
    /// `children` lacks a kind: what is not shown can't be kept.
    #[error("children lacks the kind {kind}; declare {resource} in the CompositeController's childResources")]
    MissingChildKind {
        /// Key in `children`.
        kind: &'static str,
        /// Its plural.
        resource: &'static str,
    },
    /// The manifest updates a kind in another way than the answers are made for.
    #[error("the CompositeController says {found} for {resource}; set its updateStrategy method to {}", .needed.name())]
    UpdateStrategy {
        /// Plural.
        resource: &'static str,
        /// The declared method, or `nothing`.
        found: &'static str,
        /// The needed one.
        needed: Strategy,
    },
    /// The parent is not this hook's resource.
    #[error("the parent is no {} of {}; call the hook of its own kind", .needed.kind, .needed.api_version)]
    WrongParent {
        /// The hook's resource.
        needed: ParentKind,
    },
    /// The children were written by server-side apply.
    #[error(
        "metacontroller runs with server-side apply, under which a late write can erase the register; start it with --apply-strategy=dynamic-apply"
    )]
    ServerSideApply,
}

/// Reads a whole body. Only a body of the wrong shape is read a second time, to say where.
///
/// UTF-8 is checked once for the whole, which is much faster than string by string; a body that is none is read string by
/// string, because only what is used has to be text.
pub(super) fn read_body<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, RequestFault> {
    let read = std::str::from_utf8(body).map_or_else(|_| serde_json::from_slice(body), serde_json::from_str);
    read.map_err(|error| match error.classify() {
        serde_json::error::Category::Data => RequestFault::WrongShape {
            path: path_of::<T>(body),
        },
        serde_json::error::Category::Syntax | serde_json::error::Category::Eof | serde_json::error::Category::Io => {
            RequestFault::NotJson {
                line: error.line(),
                column: error.column(),
            }
        }
    })
}

fn path_of<'a, T: Deserialize<'a>>(body: &'a [u8]) -> String {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let path = serde_path_to_error::deserialize::<_, T>(&mut deserializer)
        .map_or_else(|error| place_of(&error), |_| String::new());
    if path.is_empty() { "the body".to_owned() } else { path }
}

/// The path to a value that could not be read, to the missing field if one is missing; empty for the whole. Keys on
/// the way may be anybody's: cut, and only characters that names have.
pub(crate) fn place_of(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let mut path = match error.path().to_string() {
        whole if whole == "." => String::new(),
        path => path,
    };
    // The names of missing fields are ours; nothing else of the message is safe.
    let message = error.inner().to_string();
    if let Some((field, _)) = message
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split_once('`'))
    {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(field);
    }
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-/[]".contains(c) {
            c
        } else {
            '?'
        }
    };
    path.chars().take(MAX_PATH).map(plain).collect()
}
