//! `rollcall recover`: registers in, the CrawlJobs that were lost out, as YAML for `kubectl apply -f -`. A job made
//! again adopts the children that outlived it. It talks to no cluster.

mod job;
mod list;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;

use super::{CliError, Outcome, text};
use list::Register;

/// Arguments of `recover`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What `kubectl get cm -A -l rollcall.dev/role=register -o json` printed; standard input when it is - or left out.
    #[arg(value_name = "FILE")]
    registers: Option<PathBuf>,
    /// What `kubectl get crawljobs -A -o json` printed: these still exist and are left out; by default the owner
    /// references of the registers tell.
    #[arg(long, value_name = "FILE")]
    jobs: Option<PathBuf>,
    /// Print the jobs that still exist too, off by default.
    #[arg(long)]
    all: bool,
    /// Print the jobs that are over too, off by default: made again they only show their result.
    #[arg(long)]
    finished: bool,
}

/// What becomes of one register.
#[derive(Debug, PartialEq)]
enum Fate {
    /// Its job is printed.
    Recovered(Value),
    /// Its job still exists.
    Exists,
    /// Its job is over.
    Over,
    /// It can't be used: what is wrong and what to do.
    Unusable(String),
}

/// How many registers came to what.
#[derive(Debug, Default)]
struct Tally {
    recovered: usize,
    exist: usize,
    over: usize,
    unusable: usize,
}

/// Prints the lost jobs to `out` and everything said about them to `err`.
///
/// # Errors
/// When the input is not what kubectl prints, or nothing can be written.
pub fn run(args: &Args, out: &mut impl Write, err: &mut impl Write) -> Result<Outcome, CliError> {
    let registers = list::registers(&text::input(args.registers.as_deref())?).map_err(CliError::Usage)?;
    let existing = match &args.jobs {
        None => None,
        Some(path) => Some(list::jobs(&text::input(Some(path))?).map_err(CliError::Usage)?),
    };
    let mut tally = Tally::default();
    for register in &registers {
        match fate(register, existing.as_ref(), args) {
            Fate::Recovered(job) => {
                tally.recovered += 1;
                let yaml = job::yaml(&job).map_err(CliError::failed)?;
                write!(out, "---\n{yaml}").map_err(CliError::failed)?;
            }
            Fate::Exists => tally.exist += 1,
            Fate::Over => tally.over += 1,
            Fate::Unusable(problem) => {
                tally.unusable += 1;
                let line = format!("{}: {problem}", register.place());
                writeln!(err, "rollcall: {}", text::plain(&line)).map_err(CliError::failed)?;
            }
        }
    }
    tally.tell(args, err).map_err(CliError::failed)?;
    Ok(if tally.unusable == 0 {
        Outcome::Fine
    } else {
        Outcome::Found
    })
}

fn fate(register: &Register, existing: Option<&BTreeSet<list::Key>>, args: &Args) -> Fate {
    let exists = match existing {
        Some(existing) => existing.contains(&register.job_key()),
        None => register.owned,
    };
    if exists && !args.all {
        return Fate::Exists;
    }
    if !args.finished {
        match register.is_over() {
            Some(false) => {}
            Some(true) => return Fate::Over,
            None => {
                let problem = "state.json can't be read, so nobody knows whether the crawl is over; repair it, or print \
                    the job all the same with --finished";
                return Fate::Unusable(problem.to_owned());
            }
        }
    }
    job::recovered(register).map_or_else(Fate::Unusable, Fate::Recovered)
}

impl Tally {
    /// What was left out, and how to have it all the same.
    fn tell(&self, args: &Args, err: &mut impl Write) -> std::io::Result<()> {
        let Self {
            recovered,
            exist,
            over,
            unusable,
        } = self;
        writeln!(
            err,
            "rollcall: {recovered} recovered, {exist} still exist, {over} over, {unusable} unusable"
        )?;
        if *exist > 0 && args.jobs.is_none() {
            writeln!(
                err,
                "rollcall: registers that still name a CrawlJob as their owner: {exist}; the reference to a lost one goes \
                 when the garbage collector comes by; say what exists with --jobs, or use --all"
            )?;
        }
        if *over > 0 {
            writeln!(err, "rollcall: the jobs that are over are printed with --finished")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
