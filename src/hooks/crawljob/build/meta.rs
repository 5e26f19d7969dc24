//! Names, labels and owners of children. Takes identity and role, gives metadata; every child gets its labels here, so
//! that none can miss the parent's selector (one miss fails the whole sync).

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::{Identity, Role};
use crate::api::v1::crawljob_names as names;
use crate::desired::Reference;
use crate::hooks::crawljob::observed::Anchor;
use crate::observed::AnchorRef;

/// An existing pod by name only (D6): no update strategy but OnDelete may be answered like this.
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "one form for all builders: the role is said in the call"
)]
pub fn pod_reference(identity: Identity<'_>, role: Role, name: &str) -> Reference {
    Reference {
        api_version: "v1",
        kind: "Pod",
        namespace: identity.job.namespace.clone(),
        name: name.to_owned(),
        labels: vec![
            (names::LABEL_CRAWL, identity.job.name.clone()),
            (names::LABEL_ROLE, role.word().to_owned()),
        ],
    }
}

/// A child that we did not make, by name only: nothing of it is changed, whatever its update strategy, because nothing of it
/// was ever answered (O1).
#[must_use]
pub fn stranger_reference(identity: Identity<'_>, kind: &'static str, name: &str) -> Reference {
    Reference {
        api_version: "v1",
        kind,
        namespace: identity.job.namespace.clone(),
        name: name.to_owned(),
        labels: vec![(names::LABEL_CRAWL, identity.job.name.clone())],
    }
}

/// Metadata of a child that is answered in full; `observed` is the anchor reference it carries already.
pub(super) fn metadata(identity: Identity<'_>, role: Role, name: String, observed: Option<&AnchorRef>) -> ObjectMeta {
    let (labels, anchor) = match role {
        // Nothing is added to what is not ours.
        Role::Stranger => (family(identity), observed.cloned()),
        role => (labels(identity, role), anchor(identity, observed)),
    };
    ObjectMeta {
        name: Some(name),
        namespace: Some(identity.job.namespace.clone()),
        labels: Some(labels),
        owner_references: anchor.map(|anchor| vec![owner(anchor)]),
        ..ObjectMeta::default()
    }
}

/// The labels that the crawler pods of a job share: what its pods are drawn together by.
pub(super) fn family(identity: Identity<'_>) -> BTreeMap<String, String> {
    BTreeMap::from([(names::LABEL_CRAWL.to_owned(), identity.job.name.clone())])
}

fn labels(identity: Identity<'_>, role: Role) -> BTreeMap<String, String> {
    let mut labels = family(identity);
    let mut say = |key: &str, value: &str| labels.insert(key.to_owned(), value.to_owned());
    say(names::LABEL_ROLE, role.word());
    say("app.kubernetes.io/component", role.word());
    say("app.kubernetes.io/instance", &identity.job.name);
    say("app.kubernetes.io/managed-by", "rollcall");
    say("app.kubernetes.io/name", role.program());
    match role {
        Role::Crawler(index) => {
            labels.insert(names::LABEL_INDEX.to_owned(), index.to_string());
        }
        Role::Ticket { org } => {
            labels.insert(names::LABEL_ORG.to_owned(), org);
        }
        Role::Redis | Role::Config | Role::Register | Role::Stranger => {}
    }
    labels
}

/// D7: the anchor as seen now; while it is not seen, or switched off, the reference that is there already stays:
/// leaving it out would make metacontroller remove it, and absence is not evidence.
fn anchor(identity: Identity<'_>, observed: Option<&AnchorRef>) -> Option<AnchorRef> {
    match (identity.anchor, identity.anchor_name) {
        (Anchor::Seen(uid), Some(name)) => Some(AnchorRef {
            name: name.to_owned(),
            uid: uid.clone(),
        }),
        (Anchor::Seen(_) | Anchor::Missing | Anchor::Off, _) => observed.cloned(),
    }
}

/// A second owner that does not control: garbage collection takes a child only when all its owners are gone.
fn owner(anchor: AnchorRef) -> OwnerReference {
    OwnerReference {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: anchor.name,
        uid: anchor.uid,
        block_owner_deletion: None,
        controller: None,
    }
}
