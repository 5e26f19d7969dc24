//! Wire in: one metacontroller body as borrowed values.

/// One sync or finalize call.
#[derive(Debug)]
pub struct SyncRequest<'a> {
    _body: &'a [u8],
}
/// One customize call.
#[derive(Debug)]
pub struct CustomizeRequest<'a> {
    _body: &'a [u8],
}
/// One rule of a customize answer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedRule {
    /// `v1`.
    pub api_version: &'static str,
    /// Plural.
    pub resource: &'static str,
    /// Labels to select by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Namespace to look in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Names to look for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}
/// A label selector.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelector {
    /// Exact labels.
    pub match_labels: std::collections::BTreeMap<String, String>,
}
