//! `rollcall explain`: reads one sync or finalize body, decides as the service would, and says why. It never acts; a
//! store is only read, and only when one is named.

mod account;
mod source;

use std::io::Write;
use std::path::PathBuf;

use super::{CliError, Outcome, instant, runtime, text};
use crate::clock::Clock;
use crate::config::Config;
use crate::error::Error;
use crate::hooks::Hook;
use crate::hooks::crawljob::observe::{gather, store_address};
use crate::hooks::crawljob::{CrawlJobHook, decide};
use crate::observed::Timestamp;
use crate::request::SyncRequest;
use crate::respond;
use account::Account;
use source::{Source, Url};

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The body of one sync or finalize call; standard input when it is - or left out.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Read the crawl's Redis here, such as <redis://127.0.0.1:6379> behind kubectl port-forward; by default no store is
    /// asked.
    #[arg(long, value_name = "URL", conflicts_with = "store_file")]
    store: Option<Url>,
    /// Take the store from this file, in the form of hooks/README.md; by default no store is asked.
    #[arg(long, value_name = "FILE")]
    store_file: Option<PathBuf>,
    /// Decide as if it were this RFC 3339 instant; the default is the time of the system's clock.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    now: Option<Timestamp>,
    /// A YAML file that states what differs from the built-in configuration, none by default.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON instead of tables, off by default.
    #[arg(long)]
    json: bool,
}

/// Explains one body.
///
/// # Errors
/// When a file can't be read, the configuration is wrong, or nothing can be written.
pub fn run(args: &Args, out: &mut impl Write) -> Result<Outcome, CliError> {
    let config = Config::load(args.config.as_deref()).map_err(|fault| CliError::Usage(fault.to_string()))?;
    let body = text::input(args.file.as_deref())?;
    let source = Source::of(args)?;
    let now = args.now.unwrap_or_else(|| Clock::System.now());
    let request = match read(&body, config.server.body_limit) {
        Ok(request) => request,
        Err(refusal) => {
            refuse(&refusal, args.json, out)?;
            return Ok(Outcome::Found);
        }
    };
    let policy = &config.crawl;
    let mut observed = gather(&request, policy);
    if let Some(address) = store_address(&observed, policy) {
        let reading = source.read(address, &observed.register, config.server.store_deadline);
        observed.store = runtime()?.block_on(reading)?;
    }
    let decision = decide::decide(&observed, now, policy);
    let account = Account::of(&observed, &decision, now);
    if args.json {
        account.write_json(out)?;
    } else {
        account.write_text(out).map_err(CliError::failed)?;
    }
    Ok(Outcome::Fine)
}

/// The body as the service would read it, or the service's refusal.
fn read(body: &[u8], limit: u64) -> Result<SyncRequest<'_>, Error> {
    if u64::try_from(body.len()).unwrap_or(u64::MAX) > limit {
        return Err(Error::BodyTooLarge { limit });
    }
    Ok(SyncRequest::read(
        body,
        CrawlJobHook::PARENT,
        CrawlJobHook::CHILD_KINDS,
    )?)
}

/// As JSON it is the problem document that the service would send.
fn refuse(refusal: &Error, json: bool, out: &mut impl Write) -> Result<(), CliError> {
    let (status, code, sentence) = (refusal.status(), refusal.code(), refusal.to_string());
    let written = if json {
        let title = status.canonical_reason().unwrap_or("Error");
        let mut problem = respond::problem(status.as_u16(), title, code, &sentence);
        problem.push(b'\n');
        out.write_all(&problem)
    } else {
        writeln!(
            out,
            "refused with {} {code}: {}",
            status.as_u16(),
            text::plain(&sentence)
        )
    };
    written.map_err(CliError::failed)
}

#[cfg(test)]
mod tests;
