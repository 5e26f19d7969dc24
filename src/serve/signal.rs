//! When to stop: SIGTERM or SIGINT starts a grace period in which calls are still answered, then the drain. A second
//! signal skips the rest of the grace period.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing::info;

/// How far the stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// As always.
    Serving,
    /// Not ready for more; what comes is answered.
    Closing,
    /// Nothing more is accepted.
    Draining,
}

/// Tells connections how far the stop has come.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<Phase>);

impl Stop {
    /// A stop, and what drives it.
    #[must_use]
    pub fn new() -> (watch::Sender<Phase>, Self) {
        let (sender, receiver) = watch::channel(Phase::Serving);
        (sender, Self(receiver))
    }

    /// Now.
    #[must_use]
    pub fn phase(&self) -> Phase {
        *self.0.borrow()
    }

    /// Waits for a phase, or a later one. A driver that is gone can say nothing more: that is the end as well.
    pub async fn reached(&mut self, phase: Phase) {
        let _ = self.0.wait_for(|now| *now >= phase).await;
    }
}

/// Waits for a signal, then drives `stop` to its end. `not_ready` is called at the first signal.
///
/// # Errors
/// When the process can't be told of signals.
pub async fn on_signal(
    stop: watch::Sender<Phase>,
    grace: Duration,
    not_ready: impl FnOnce(),
) -> Result<(), std::io::Error> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut either = async || {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    either().await;
    info!(
        grace_seconds = grace.as_secs(),
        "stopping: not ready for more, still answering"
    );
    not_ready();
    stop.send_replace(Phase::Closing);
    tokio::select! {
        () = tokio::time::sleep(grace) => {}
        () = either() => {}
    }
    info!("stopping: draining");
    stop.send_replace(Phase::Draining);
    Ok(())
}
