//! The `anchor` section: the ConfigMap that owns what must outlive its job.

use serde::Deserialize;

use super::checks::is_object_name;
use super::problems::Problems;

/// The anchor.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Anchor {
    name: String,
}

impl Anchor {
    /// Its name; none where it is empty, which switches the anchor off.
    pub(super) fn checked(self, problems: &mut Problems) -> Option<String> {
        let name = Some(self.name).filter(|name| !name.is_empty())?;
        problems.require(is_object_name(&name), "anchor.name", || {
            format!("{name:?} is no object name: small letters, digits, '-' and '.'; or \"\" for no anchor")
        });
        Some(name)
    }
}
