//! The log: one subscriber for the process, on standard error, as JSON or for people. Bodies are never logged; names
//! and reasons come as fields, which JSON escapes.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryFault {
    /// The filter can't be read.
    #[error("log.filter: {0}; write it as RUST_LOG, such as info or rollcall=debug,info")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// A log was started before.
    #[error("starting the log: {0}")]
    Started(Box<dyn std::error::Error + Send + Sync>),
}

/// Starts the log, and makes panics a part of it.
///
/// # Errors
/// When the filter can't be read, or a log was started before.
pub fn start(config: &LogConfig) -> Result<(), TelemetryFault> {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_new(&config.filter)?)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match config.format {
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(false).try_init(),
        LogFormat::Pretty => builder.compact().try_init(),
    }
    .map_err(TelemetryFault::Started)?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // The message could hold a part of a request; the place is what finds the bug.
        tracing::error!(place, "panic");
    }));
    Ok(())
}
