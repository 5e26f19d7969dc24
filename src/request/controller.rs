//! The `controller` object of a call: only the update strategies, which must be those the answers are made for. A
//! reference answered for an InPlace child would wipe it, so a wrong manifest is refused before anything is decided.

use serde::Deserialize;

use super::RequestFault;
use super::declared::{ChildKind, Strategy};
use super::text::{Text, or_default};

/// The CompositeController.
#[derive(Debug, Deserialize)]
pub(super) struct Controller<'a> {
    #[serde(borrow)]
    spec: ControllerSpec<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ControllerSpec<'a> {
    #[serde(borrow)]
    child_resources: Vec<ChildResource<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChildResource<'a> {
    #[serde(borrow)]
    api_version: Text<'a>,
    #[serde(borrow)]
    resource: Text<'a>,
    #[serde(borrow, default, deserialize_with = "or_default")]
    update_strategy: UpdateStrategy<'a>,
}

#[derive(Debug, Default, Deserialize)]
struct UpdateStrategy<'a> {
    #[serde(borrow)]
    method: Option<Text<'a>>,
}

impl Controller<'_> {
    /// Every kind of the hook must be declared with the strategy it needs.
    pub(super) fn must_declare(&self, kinds: &[ChildKind]) -> Result<(), RequestFault> {
        for kind in kinds {
            let found = self.strategy_of(kind);
            if found != kind.strategy.name() {
                return Err(RequestFault::UpdateStrategy {
                    resource: kind.resource,
                    found,
                    needed: kind.strategy,
                });
            }
        }
        Ok(())
    }

    /// The declared method, in words of ours, because the fault is published.
    fn strategy_of(&self, kind: &ChildKind) -> &'static str {
        let declared = self
            .spec
            .child_resources
            .iter()
            .find(|child| &*child.resource == kind.resource && &*child.api_version == kind.api_version);
        let Some(declared) = declared else { return "nothing" };
        match declared.update_strategy.method.as_deref() {
            // metacontroller's default
            None | Some("" | "OnDelete") => Strategy::OnDelete.name(),
            Some("InPlace") => Strategy::InPlace.name(),
            Some("Recreate") => "Recreate",
            Some("RollingRecreate") => "RollingRecreate",
            Some("RollingInPlace") => "RollingInPlace",
            Some(_) => "an unknown method",
        }
    }
}
