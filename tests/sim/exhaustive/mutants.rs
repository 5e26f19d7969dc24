//! Decisions that are wrong on purpose.

use rollcall::hooks::crawljob::decide::Decision;
use rollcall::hooks::crawljob::observed::Observed;

/// One wrong idea.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) sees: fn(Observed) -> Observed,
    pub(super) does: fn(&Observed, Decision) -> Decision,
}

impl Mutant {
    pub(super) fn sees(&self, observed: Observed) -> Observed {
        (self.sees)(observed)
    }

    pub(super) fn does(&self, observed: &Observed, decision: Decision) -> Decision {
        (self.does)(observed, decision)
    }
}
