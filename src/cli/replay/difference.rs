//! JSON for people: one form with sorted keys, and what differs between two.

use serde_json::Value;
use similar::TextDiff;

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// Sorted keys, two spaces, a newline at the end: what `jq -S .` prints.
pub(super) fn pretty(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    format!("{value:#}\n")
}

/// What has to change in the first text to give the second.
pub(super) fn lines(recorded: &str, given: &str) -> String {
    TextDiff::from_lines(recorded, given)
        .unified_diff()
        .context_radius(AROUND)
        .header("recorded", "given")
        .to_string()
}
