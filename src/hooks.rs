//! The hooks, and the one form they all have.
//!
//! A hook is three plain functions without `self`: `observe` reads, `decide` thinks, `act` tells. [`crate::flow`] runs
//! them in order; their types make a step impossible to skip.

use std::future::Future;

use serde::Serialize;

use crate::desired::Desired;
use crate::observed::Timestamp;
use crate::outside::Outside;
use crate::outside::store::Unreachable;
use crate::request::{ChildKind, CustomizeRequest, ParentKind, RelatedRule, SyncRequest};

pub mod crawljob;

/// One hook.
pub trait Hook {
    /// Folder in `hooks/`, module here, route, manifest name and chart entry.
    const NAME: &'static str;
    /// The resource it is called for; a request about another one is refused.
    const PARENT: ParentKind;
    /// The child kinds its manifest declares; a request without one of them is refused.
    const CHILD_KINDS: &'static [ChildKind];
    /// What it decides on. Owned, and complete: no reader goes back to the request.
    type Observed: Send + Sync;
    /// What the configuration says about it.
    type Policy: Sync;
    /// Its status.
    type Status: Serialize + Send + Sync;
    /// What it tells the outside.
    type Effect: Send + Sync;

    /// Reads the request and the outside. Never fails: a failed outside read is an observation.
    fn observe(
        request: &SyncRequest<'_>,
        policy: &Self::Policy,
        outside: &Outside,
    ) -> impl Future<Output = Self::Observed> + Send;

    /// Decides. Pure and infallible: no clock, log, lock, environment, randomness or I/O.
    fn decide(observed: &Self::Observed, now: Timestamp, policy: &Self::Policy) -> Desired<Self::Status, Self::Effect>;

    /// Tells the outside what was decided; gives the number of effects that failed. They are repeated in the next call.
    fn act(
        observed: &Self::Observed,
        effects: &[Self::Effect],
        policy: &Self::Policy,
        outside: &Outside,
    ) -> impl Future<Output = usize> + Send;

    /// Which other objects a call should show. A function of spec and identity only: the caller keeps the answer.
    fn customize(request: &CustomizeRequest<'_>, policy: &Self::Policy) -> Vec<RelatedRule>;

    /// What the log line of a call says besides counts. Nothing is decided by it.
    fn tell(observed: &Self::Observed, status: &Self::Status) -> Told;
}

/// What a hook adds to the log line of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// `status.state`: a word of a closed list, so that it can be a label.
    pub state: Option<&'static str>,
    /// Whether the store answered, or why it did not, if the hook has one.
    pub store: Option<Result<(), Unreachable>>,
}
