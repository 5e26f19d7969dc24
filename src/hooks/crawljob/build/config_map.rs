//! ConfigMap children: crawler configuration, register, ticket. Always in full: metacontroller patches an existing one
//! to the answer, and a bare reference would wipe its data (D6).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;

use super::{Identity, Role, meta};
use crate::observed::ConfigMap as Observed;

/// A ConfigMap with `data`; `observed` gives the anchor reference it carries already (D7).
#[must_use]
pub fn config_map(
    identity: Identity<'_>,
    role: Role,
    name: String,
    data: BTreeMap<String, String>,
    observed: Option<&Observed>,
) -> ConfigMap {
    let carried = observed.and_then(|observed| observed.anchor.as_ref());
    ConfigMap {
        metadata: meta::metadata(identity, role, name, carried),
        data: Some(data),
        binary_data: None,
        immutable: None,
    }
}
