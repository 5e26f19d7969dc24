//! Checks that several sections share. Each takes a path and notes a problem under it.

use super::problems::Problems;
use crate::policy::Image;
use crate::quantity::canonical_bytes;

/// An image reference that can be pulled.
pub(super) fn image(path: &str, name: &str, pull_policy: &str, problems: &mut Problems) -> Image {
    problems.require(
        !name.is_empty() && !name.contains(char::is_whitespace),
        &format!("{path}.image"),
        || format!("{name:?} is no image reference"),
    );
    let known = ["Always", "IfNotPresent", "Never"];
    problems.require(known.contains(&pull_policy), &format!("{path}.pullPolicy"), || {
        format!("{pull_policy:?} must be one of {}", known.join(", "))
    });
    Image {
        name: name.to_owned(),
        pull_policy: pull_policy.to_owned(),
    }
}

/// A maximum must not be below what is asked from the start; the problem names both.
pub(super) fn not_below(path: &str, maximum: Option<u64>, asked: Option<u64>, what: &str, problems: &mut Problems) {
    if let (Some(maximum), Some(asked)) = (maximum, asked) {
        problems.require(maximum >= asked, path, || {
            format!(
                "{} is below the {} that {what}",
                canonical_bytes(maximum),
                canonical_bytes(asked)
            )
        });
    }
}

/// Amounts that can't be nothing.
pub(super) fn positive(amounts: &[(&str, Option<u64>)], problems: &mut Problems) {
    for (path, amount) in amounts {
        problems.require(*amount != Some(0), path, || "must be above 0".to_owned());
    }
}

/// A name that Kubernetes takes for most objects.
pub(super) fn is_object_name(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= 253 && name.chars().all(inner) && name.starts_with(edge) && name.ends_with(edge)
}
