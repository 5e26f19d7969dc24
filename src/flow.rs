//! The driver: read, observe, decide, act, respond, in this order, for any hook. Takes the bytes of a call, gives the
//! bytes of the answer or an [`Error`]; what happened on the way goes into a [`Report`]. It knows no status codes.

mod report;

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::act::act;
use crate::clock::{Clock, Stopwatch};
use crate::error::Error;
use crate::hooks::Hook;
use crate::outside::Outside;
use crate::request::{CustomizeRequest, SyncRequest};
use crate::respond;

pub use report::{Report, Step};

/// Bodies from this size on are read on a thread of their own, so that small jobs do not wait behind large ones.
const HEAVY_BYTES: usize = 1 << 20;

/// What metacontroller asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// What should exist?
    Sync,
    /// What should still exist, and may the parent go?
    Finalize,
    /// Which other objects should be shown?
    Customize,
}

impl Call {
    /// Every call, for routes and folders.
    pub const ALL: [Self; 3] = [Self::Sync, Self::Finalize, Self::Customize];

    /// The last part of the path.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Finalize => "finalize",
            Self::Customize => "customize",
        }
    }
}

/// What every call may use.
#[derive(Debug, Clone)]
pub struct Shell {
    /// The time.
    pub clock: Clock,
    /// The ports to the outside.
    pub outside: Outside,
}

/// Answers one call of hook `H`.
///
/// # Errors
/// When the body can't be used, the path does not fit it, or the decision can't be written.
pub async fn answer<H: Hook>(
    call: Call,
    body: &[u8],
    policy: &H::Policy,
    shell: &Shell,
    report: &mut Report,
) -> Result<Vec<u8>, Error> {
    match call {
        Call::Sync => sync::<H>(false, body, policy, shell, report).await,
        Call::Finalize => sync::<H>(true, body, policy, shell, report).await,
        Call::Customize => customize::<H>(body, policy, report),
    }
}

async fn sync<H: Hook>(
    finalizing: bool,
    body: &[u8],
    policy: &H::Policy,
    shell: &Shell,
    report: &mut Report,
) -> Result<Vec<u8>, Error> {
    let mut watch = Stopwatch::start();
    let request = apart_if_heavy(body.len(), || SyncRequest::read(body, H::PARENT, H::CHILD_KINDS))?;
    let parent = &request.parent().metadata;
    report.parent(&parent.namespace, &parent.name);
    report.took(Step::Read, watch.lap());
    // The field decides which rules hold (T5); a path that says otherwise is a mistake in the manifest.
    if request.finalizing() != finalizing {
        return Err(Error::RouteDisagrees {
            finalizing: request.finalizing(),
        });
    }

    let outside = shell.outside.begin();
    let observed = H::observe(&request, policy, &outside).await;
    report.took(Step::Observe, watch.lap());

    let desired = H::decide(&observed, shell.clock.now(), policy);
    report.decided(&desired.verdicts, H::tell(&observed, &desired.status));
    report.took(Step::Decide, watch.lap());

    let acted = act::<H>(&observed, desired, policy, &outside).await;
    report.failed_effects = acted.failed_effects();
    report.took(Step::Act, watch.lap());

    let answer = respond::sync(&acted)?;
    report.took(Step::Respond, watch.lap());
    Ok(answer)
}

fn customize<H: Hook>(body: &[u8], policy: &H::Policy, report: &mut Report) -> Result<Vec<u8>, Error> {
    let mut watch = Stopwatch::start();
    let request = CustomizeRequest::read(body, H::PARENT)?;
    let parent = &request.parent().metadata;
    report.parent(&parent.namespace, &parent.name);
    report.took(Step::Read, watch.lap());
    let rules = H::customize(&request, policy);
    report.took(Step::Decide, watch.lap());
    let answer = respond::customize(&rules)?;
    report.took(Step::Respond, watch.lap());
    Ok(answer)
}

/// Runs `work` so that other calls go on meanwhile, where the runtime can do that.
fn apart_if_heavy<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let threads = Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes >= HEAVY_BYTES && threads {
        tokio::task::block_in_place(work)
    } else {
        work()
    }
}

#[cfg(test)]
pub(crate) mod tests;
