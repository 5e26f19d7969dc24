//! `rollcall completions SHELL`.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, CliError, Outcome};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell to complete in.
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// When it can't be written.
pub fn run(args: &Args, out: &mut impl Write) -> Result<Outcome, CliError> {
    // The generator panics when it can't write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rollcall", &mut script);
    out.write_all(&script).map_err(CliError::failed)?;
    Ok(Outcome::Fine)
}
