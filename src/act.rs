//! Step four: tells the outside what was decided. Takes the decision, gives [`Acted`], the only thing
//! [`crate::respond`] writes an answer from, so that nobody can answer without acting.
//!
//! A failed effect does not take the answer back: every effect is repeated until it is observed, and nothing
//! irreversible rests on one that was not. It only makes the next call come soon.

use crate::desired::{Child, Desired, Finalized, Wake};
use crate::hooks::Hook;
use crate::outside::Outside;

/// Seconds to the next call, at most, when an effect failed.
const RETRY_SECONDS: u32 = 3;

/// A decision that was told to the outside. Only [`act`] makes it.
#[derive(Debug)]
pub struct Acted<S> {
    status: S,
    children: Vec<Child>,
    wake: Wake,
    finalized: Finalized,
    failed_effects: usize,
}

impl<S> Acted<S> {
    /// The full status.
    #[must_use]
    pub fn status(&self) -> &S {
        &self.status
    }

    /// Every child that should exist.
    #[must_use]
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// When the next call is wanted.
    #[must_use]
    pub fn wake(&self) -> Wake {
        self.wake
    }

    /// The finalize verdict.
    #[must_use]
    pub fn finalized(&self) -> Finalized {
        self.finalized
    }

    /// How many effects failed.
    #[must_use]
    pub fn failed_effects(&self) -> usize {
        self.failed_effects
    }
}

/// Runs the effects of a decision.
pub async fn act<H: Hook>(
    observed: &H::Observed,
    desired: Desired<H::Status, H::Effect>,
    policy: &H::Policy,
    outside: &Outside,
) -> Acted<H::Status> {
    let Desired {
        status,
        children,
        wake,
        finalized,
        effects,
        verdicts: _,
    } = desired;
    let failed_effects = if effects.is_empty() {
        0
    } else {
        H::act(observed, &effects, policy, outside).await
    };
    let wake = if failed_effects == 0 { wake } else { sooner(wake) };
    Acted {
        status,
        children,
        wake,
        finalized,
        failed_effects,
    }
}

fn sooner(wake: Wake) -> Wake {
    match wake {
        Wake::OnEvent => Wake::After(RETRY_SECONDS),
        Wake::After(seconds) => Wake::After(seconds.min(RETRY_SECONDS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_effect_brings_the_next_call_within_three_seconds() {
        assert_eq!(sooner(Wake::OnEvent), Wake::After(3));
        assert_eq!(sooner(Wake::After(600)), Wake::After(3));
        assert_eq!(sooner(Wake::After(1)), Wake::After(1));
    }
}
