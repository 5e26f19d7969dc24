//! What a CompositeController must declare for a hook: its parent, its child kinds and how each is updated. Written once a
//! hook, checked against the `controller` object of every request.

/// The resource of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentKind {
    /// `apiVersion`.
    pub api_version: &'static str,
    /// `kind`.
    pub kind: &'static str,
}

/// A child kind and how the manifest must treat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildKind {
    /// Key in `children`: `Kind.version` or `Kind.group/version`.
    pub key: &'static str,
    /// `apiVersion` in the manifest.
    pub api_version: &'static str,
    /// Plural in the manifest.
    pub resource: &'static str,
    /// Required update strategy.
    pub strategy: Strategy,
}

/// Update strategies we accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Existing objects are never changed.
    OnDelete,
    /// Existing objects are patched.
    InPlace,
}

impl Strategy {
    /// The word of the manifest.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnDelete => "OnDelete",
            Self::InPlace => "InPlace",
        }
    }
}
