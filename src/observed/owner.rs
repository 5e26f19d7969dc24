//! Whose an object is (O2), and whether the anchor stands behind it (D7). Takes its metadata.

use super::AnchorRef;
use crate::request::meta::Meta;

/// Whether an object belongs to the parent that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ownership {
    /// Its controller owner is this parent, or it has none and is being adopted.
    Ours,
    /// Its controller owner is somebody else, perhaps an earlier parent of the same name.
    Foreign,
}

/// Whose the object is, by UID alone. Owners that are no controllers say nothing.
#[must_use]
pub fn ownership(meta: &Meta<'_>, parent_uid: &str) -> Ownership {
    let foreign =
        |owner: &crate::request::meta::Owner<'_>| owner.controller && owner.uid.as_deref() != Some(parent_uid);
    if meta.owner_references.iter().any(foreign) {
        Ownership::Foreign
    } else {
        Ownership::Ours
    }
}

/// The anchor reference: an owner of kind ConfigMap that is no controller.
#[must_use]
pub fn anchor(meta: &Meta<'_>) -> Option<AnchorRef> {
    let owner = meta
        .owner_references
        .iter()
        .find(|owner| !owner.controller && owner.kind.as_deref() == Some("ConfigMap"))?;
    Some(AnchorRef {
        name: owner.name.as_deref()?.to_owned(),
        uid: owner.uid.as_deref()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AnchorRef, Ownership, anchor, ownership};

    fn with_owners<T>(owners: &Value, read: impl FnOnce(&super::Meta<'_>) -> T) -> T {
        let text = json!({"name": "crawl-news-0", "ownerReferences": owners}).to_string();
        read(&serde_json::from_str(&text).unwrap())
    }

    fn owner(kind: &str, uid: &str, controller: bool) -> Value {
        json!({"kind": kind, "name": "n", "uid": uid, "controller": controller})
    }

    #[test]
    fn only_another_controller_makes_an_object_foreign() {
        let of = |owners: Value| with_owners(&owners, |meta| ownership(meta, "mine"));
        assert_eq!(of(json!([owner("CrawlJob", "mine", true)])), Ownership::Ours);
        assert_eq!(
            of(json!([owner("CrawlJob", "an earlier one", true)])),
            Ownership::Foreign
        );
        assert_eq!(of(Value::Null), Ownership::Ours, "being adopted");
        assert_eq!(of(json!([])), Ownership::Ours);
        assert_eq!(
            of(json!([owner("ConfigMap", "anchor", false)])),
            Ownership::Ours,
            "being adopted beside the anchor"
        );
        assert_eq!(
            of(json!([{"kind": "CrawlJob", "uid": "other", "controller": null}])),
            Ownership::Ours
        );
        assert_eq!(
            of(json!([{"kind": "CrawlJob", "controller": true}])),
            Ownership::Foreign
        );
    }

    #[test]
    fn the_anchor_is_an_owner_of_kind_config_map_that_does_not_control() {
        let of = |owners: Value| with_owners(&owners, anchor);
        let both = json!([owner("CrawlJob", "mine", true), owner("ConfigMap", "a", false)]);
        assert_eq!(
            of(both),
            Some(AnchorRef {
                name: "n".to_owned(),
                uid: "a".to_owned()
            })
        );
        assert_eq!(of(json!([owner("ConfigMap", "a", true)])), None);
        assert_eq!(of(json!([owner("CrawlJob", "mine", true)])), None);
        assert_eq!(of(json!([{"kind": "ConfigMap", "name": "n"}])), None);
    }
}
