//! The command line. Takes arguments, gives an exit code: 0 fine, 1 the check found something or the service failed,
//! 2 wrong usage. Only this module and below write to standard output.

pub mod check;
pub mod completions;
pub mod crds;
pub mod demo;
pub mod explain;
pub mod recover;
pub mod replay;
pub mod serve;
mod text;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::observed::Timestamp;

/// Keeps crawls alive through every crash, without a memory of its own: a metacontroller hook.
#[derive(Debug, Parser)]
#[command(name = "rollcall", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers metacontroller's calls until it is told to stop.
    Serve(serve::Args),
    /// Sends recorded requests and compares the answers with the recorded ones.
    Replay(replay::Args),
    /// Explains what one recorded request would be answered, child by child, and changes nothing.
    Explain(explain::Args),
    /// Checks the configuration and files with CrawlJobs, and names every problem at once.
    Check(check::Args),
    /// Prints the CrawlJobs that were lost, from the registers that outlived them, for kubectl apply.
    Recover(recover::Args),
    /// Prints the custom resource definitions as YAML.
    Crds,
    /// Plays the life of a crawl, faults included, against the real service in a simulated cluster.
    Demo(demo::Args),
    /// Prints a completion script for a shell.
    Completions(completions::Args),
}

/// What a command found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Fine,
    /// The check found something.
    Found,
}

/// Why a command did not run.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Wrong usage: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// It ran and failed: exit code 1.
    #[error("{0}")]
    Failed(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl CliError {
    /// It ran and failed.
    pub fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }
}

/// Runs the command that the arguments name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(usage) => {
            // Help and version come this way too, with code 0. There is nobody to tell if this can't be printed.
            let _ = usage.print();
            return exit(usage.exit_code());
        }
    };
    let mut out = std::io::stdout().lock();
    let outcome = match cli.command {
        Command::Serve(args) => serve::run(args),
        Command::Replay(args) => replay::run(args, &mut out),
        Command::Explain(args) => explain::run(&args, &mut out),
        Command::Check(args) => check::run(&args, &mut out),
        Command::Recover(args) => recover::run(&args, &mut out, &mut std::io::stderr().lock()),
        Command::Crds => crds::run(&mut out),
        Command::Demo(args) => demo::run(&args, &mut out),
        Command::Completions(args) => completions::run(&args, &mut out),
    };
    match outcome {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => exit(1),
        Err(CliError::Failed(error)) if nobody_reads(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "rollcall: {error}");
            exit(if matches!(error, CliError::Usage(_)) { 2 } else { 1 })
        }
    }
}

/// The reader of our output, such as `head`, has seen enough.
fn nobody_reads(error: &(dyn std::error::Error + 'static)) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn exit(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// A runtime for a command that does several things at once.
fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::failed)
}

/// Reads an instant.
fn instant(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "write an RFC 3339 time with a zone, such as 2026-11-30T13:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_text_is_a_sentence_and_every_option_says_its_default() {
        for command in Cli::command().get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(
                about.starts_with(char::is_uppercase),
                "{}: {about:?}",
                command.get_name()
            );
            for option in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let help = option.get_help().map(ToString::to_string).unwrap_or_default();
                let sentence = help.starts_with(char::is_uppercase) && help.contains("default");
                assert!(sentence, "{} --{}: {help:?}", command.get_name(), option.get_id());
            }
        }
    }

    #[test]
    fn wrong_usage_is_2_and_help_is_0() {
        let parse = |arguments: &[&str]| Cli::try_parse_from(arguments).map_err(|error| error.exit_code());
        assert_eq!(parse(&["rollcall", "serve", "--nope"]).unwrap_err(), 2);
        assert_eq!(parse(&["rollcall", "serve", "--now", "yesterday"]).unwrap_err(), 2);
        assert_eq!(parse(&["rollcall", "replay"]).unwrap_err(), 2);
        assert_eq!(parse(&["rollcall", "--help"]).unwrap_err(), 0);
    }
}
