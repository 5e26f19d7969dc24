//! `rollcall check`: the configuration and CrawlJobs in files, checked without a cluster. Every problem at once, one a
//! line, each with its path and a remedy; notes on what is right and perhaps not meant beside them.

mod documents;
mod job;
mod notes;
mod schema;

use std::io::{self, Write};
use std::path::PathBuf;

use super::{CliError, Outcome, text};
use crate::config::{Config, ConfigFault, Problem};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// YAML or JSON files with CrawlJobs, several documents and lists too; - is standard input. Other kinds are skipped.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A YAML file that states what differs from the built-in configuration, none by default. It is checked together with
    /// the ROLLCALL_ variables, and the jobs are checked against it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Checks everything.
///
/// # Errors
/// When a file can't be read or nothing can be written.
pub fn run(args: &Args, out: &mut impl Write) -> Result<Outcome, CliError> {
    // Everything is read first: a file that is not there is wrong usage, and no half of a report is printed.
    let config = Config::load(args.config.as_deref());
    if let Err(fault @ ConfigFault::Unreadable { .. }) = &config {
        return Err(CliError::Usage(fault.to_string()));
    }
    let texts = args.files.iter().map(|file| text::input(Some(file)));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let mut report = Report {
        out,
        problems: 0,
        jobs: 0,
    };
    let config = report.config(args, config).map_err(CliError::failed)?;
    for (file, text) in args.files.iter().zip(&texts) {
        report
            .file(&file.display().to_string(), text, &config)
            .map_err(CliError::failed)?;
    }
    report.sum(texts.len()).map_err(CliError::failed)?;
    Ok(if report.problems == 0 {
        Outcome::Fine
    } else {
        Outcome::Found
    })
}

struct Report<'w, W> {
    out: &'w mut W,
    problems: usize,
    jobs: usize,
}

impl<W: Write> Report<'_, W> {
    /// The configuration to check jobs against: the built-in one when the given one is wrong.
    fn config(&mut self, args: &Args, config: Result<Config, ConfigFault>) -> io::Result<Config> {
        let place = match &args.config {
            Some(path) => path.display().to_string(),
            None => "the configuration".to_owned(),
        };
        match config {
            Ok(config) => return Ok(config),
            Err(ConfigFault::Problems(problems)) => self.problems(&place, &problems)?,
            Err(fault @ (ConfigFault::NotYaml(_) | ConfigFault::Unreadable { .. })) => {
                self.line(&place, &fault.to_string())?;
            }
        }
        Ok(Config::built_in())
    }

    fn file(&mut self, name: &str, text: &[u8], config: &Config) -> io::Result<()> {
        let documents = match documents::of(text) {
            Ok(documents) => documents,
            Err(problem) => return self.line(name, &problem),
        };
        let several = documents.len() > 1;
        let before = self.jobs;
        for (position, document) in documents.iter().enumerate() {
            let place = if several {
                format!("{name}, document {}", position + 1)
            } else {
                name.to_owned()
            };
            match documents::kind(document) {
                documents::Kind::CrawlJob => {
                    self.jobs += 1;
                    self.problems(&place, &job::problems(document, &config.crawl))?;
                    self.notes(&place, &notes::of(document, &config.crawl))?;
                }
                documents::Kind::Wrong(problem) => {
                    self.jobs += 1;
                    self.problems(&place, &[problem])?;
                }
                documents::Kind::Other => {}
            }
        }
        if self.jobs == before {
            self.line(
                name,
                "there is no CrawlJob in it; write apiVersion: rollcall.dev/v1 and kind: CrawlJob",
            )?;
        }
        Ok(())
    }

    fn problems(&mut self, place: &str, problems: &[Problem]) -> io::Result<()> {
        for Problem { path, problem } in problems {
            self.line(place, &format!("{path}: {problem}"))?;
        }
        Ok(())
    }

    fn notes(&mut self, place: &str, notes: &[Problem]) -> io::Result<()> {
        for Problem { path, problem } in notes {
            let note = format!("note: {path}: {problem}");
            writeln!(self.out, "{}: {}", text::plain(place), text::plain(&note))?;
        }
        Ok(())
    }

    fn line(&mut self, place: &str, problem: &str) -> io::Result<()> {
        self.problems += 1;
        writeln!(self.out, "{}: {}", text::plain(place), text::plain(problem))
    }

    fn sum(&mut self, files: usize) -> io::Result<()> {
        let Self { out, problems, jobs } = self;
        let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let checked = if files == 0 {
            String::new()
        } else {
            format!(" and {} in {}", count(*jobs, "CrawlJob"), count(files, "file"))
        };
        writeln!(
            out,
            "checked the configuration{checked}: {}",
            count(*problems, "problem")
        )
    }
}

#[cfg(test)]
mod tests;
