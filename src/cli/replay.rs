//! `rollcall replay`: sends recorded requests, compares the answers with the recorded ones, shows what differs.
//!
//! Each case runs against a service of its own with the store its file describes, so that no case can lean on another.

pub mod case;
mod difference;
mod target;

use std::io::Write;
use std::path::PathBuf;

use super::{CliError, Outcome, instant, runtime};
use crate::config::Config;
use crate::observed::Timestamp;
use case::{Case, CaseFault};
pub use target::Target;

/// The instant at which every recorded case is decided; `hooks/README.md` says so to people with curl.
pub const FROZEN: &str = "2026-11-30T13:00:00Z";

/// Arguments of `replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders that hold `NN-SITUATION.request.json` files, at any depth, below `HOOK/CALL/`.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Send to this running service, such as <http://127.0.0.1:8080>; by default to one in this process.
    #[arg(long, value_name = "URL")]
    url: Option<axum::http::Uri>,
    /// Write the answers as the new recorded ones; by default nothing is written.
    #[arg(long)]
    update: bool,
    /// Decide as if it were this RFC 3339 instant; the default is the one all recorded cases live at.
    #[arg(long, value_name = "TIME", value_parser = instant, default_value = FROZEN, conflicts_with = "url")]
    now: Timestamp,
    /// A YAML file that states what differs from the built-in configuration, none by default.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    config: Option<PathBuf>,
}

#[cfg(test)]
impl Args {
    /// As the command line gives them for one folder and nothing else.
    pub(crate) fn of(folder: &std::path::Path) -> Self {
        Self {
            folders: vec![folder.to_owned()],
            url: None,
            update: false,
            now: instant(FROZEN).expect("a time"),
            config: None,
        }
    }
}

/// How one case went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// As recorded.
    Same,
    /// Not as recorded: what differs, line by line.
    Different(String),
    /// Its answer was recorded now.
    Updated,
    /// It needs a store, a configuration or an instant that a service elsewhere can't be given.
    Skipped,
}

/// Replays every case below the folders.
///
/// # Errors
/// When there is no case, or one can't be read or sent.
pub fn run(args: Args, out: &mut impl Write) -> Result<Outcome, CliError> {
    let target = if let Some(url) = args.url {
        Target::Url(url)
    } else {
        let config = Config::load(args.config.as_deref()).map_err(|fault| CliError::Usage(fault.to_string()))?;
        Target::InProcess {
            config: Box::new(config),
            now: args.now,
        }
    };
    let cases = case::find(&args.folders).map_err(|fault| CliError::Usage(fault.to_string()))?;
    if cases.is_empty() {
        return Err(CliError::Usage(
            "there is no *.request.json below these folders".to_owned(),
        ));
    }
    let runtime = runtime()?;
    let mut tally = Tally {
        same: 0,
        different: 0,
        updated: 0,
        skipped: 0,
    };
    for case in &cases {
        let verdict = runtime
            .block_on(replay(case, &target, args.update))
            .map_err(CliError::failed)?;
        tally.add(&verdict);
        show(case, &verdict, out).map_err(CliError::failed)?;
    }
    let Tally {
        same,
        different,
        updated,
        skipped,
    } = tally;
    writeln!(
        out,
        "{} cases: {same} as recorded, {different} different, {updated} recorded now, {skipped} skipped",
        cases.len()
    )
    .map_err(CliError::failed)?;
    Ok(if different == 0 { Outcome::Fine } else { Outcome::Found })
}

/// Replays one case.
///
/// # Errors
/// When a file can't be read or written, or the target can't be reached.
pub async fn replay(case: &Case, target: &Target, update: bool) -> Result<Verdict, CaseFault> {
    let store = case.store()?;
    if !target.takes_files() && case.needs_its_own_service()? {
        return Ok(Verdict::Skipped);
    }
    let answer = case.form(target.send(case, store).await?);
    let given = difference::pretty(&answer);
    let recorded = case.recorded()?;
    if recorded.as_ref() == Some(&answer) {
        return Ok(Verdict::Same);
    }
    if update {
        case.record(&given)?;
        return Ok(Verdict::Updated);
    }
    let recorded = recorded.map_or_else(
        || "(nothing is recorded; use --update)\n".to_owned(),
        |it| difference::pretty(&it),
    );
    Ok(Verdict::Different(difference::lines(&recorded, &given)))
}

struct Tally {
    same: usize,
    different: usize,
    updated: usize,
    skipped: usize,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Same => &mut self.same,
            Verdict::Different(_) => &mut self.different,
            Verdict::Updated => &mut self.updated,
            Verdict::Skipped => &mut self.skipped,
        } += 1;
    }
}

fn show(case: &Case, verdict: &Verdict, out: &mut impl Write) -> std::io::Result<()> {
    let name = case.request.display();
    match verdict {
        Verdict::Same => writeln!(out, "same       {name}"),
        Verdict::Updated => writeln!(out, "recorded   {name}"),
        Verdict::Skipped => writeln!(
            out,
            "skipped    {name}: it needs a store, a configuration or an instant of its own"
        ),
        Verdict::Different(lines) => writeln!(out, "DIFFERENT  {name}\n{lines}"),
    }
}

#[cfg(test)]
mod tests;
