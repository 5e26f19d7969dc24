//! Strings into types: a YAML file over the built-in values, environment variables over both, checked once at start.
//!
//! Takes text and variables, gives a [`Config`] or every problem that was found, each with its path and a remedy. Only
//! this module and `cli` read the environment.

mod amount;
mod anchor;
mod checks;
mod crawl;
mod environment;
mod file;
mod orgs;
mod problems;
mod shape;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::policy::CrawlPolicy;
use file::File;
pub(crate) use shape::unknown;

/// Every field with its built-in value.
pub const BUILT_IN: &str = include_str!("config/built_in.yaml");

/// The whole configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Addresses and limits.
    pub server: ServerConfig,
    /// What is logged, and how.
    pub log: LogConfig,
    /// What CrawlJob decisions depend on.
    pub crawl: CrawlPolicy,
}

/// Addresses and limits of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// The webhook's address.
    pub listen: SocketAddr,
    /// The admin surface's address.
    pub admin_listen: SocketAddr,
    /// The webhook may listen beyond loopback.
    pub allow_unauthenticated: bool,
    /// Largest body in bytes.
    pub body_limit: u64,
    /// Bytes of all bodies together.
    pub bytes_in_flight: u64,
    /// One whole call.
    pub deadline: Duration,
    /// All that one call asks and tells a store.
    pub store_deadline: Duration,
    /// From the first byte to the end of the headers.
    pub head: Duration,
    /// Without a byte of the body.
    pub body_progress: Duration,
    /// Between requests of a connection.
    pub idle: Duration,
    /// Open connections per address.
    pub connections: usize,
    /// Keep answering after the signal to stop.
    pub grace: Duration,
    /// Then let calls in progress end.
    pub drain: Duration,
}

/// The log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// Its form.
    pub format: LogFormat,
    /// What passes, in the form of `RUST_LOG`.
    pub filter: String,
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    Pretty,
}

/// One thing that is wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: `crawl.maxScale`, or the variable.
    pub path: String,
    /// What is wrong and what to do.
    pub problem: String,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// The file can't be read.
    #[error("reading the configuration file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not YAML.
    #[error("the configuration file is not YAML: {0}")]
    NotYaml(String),
    /// Fields are wrong.
    #[error("the configuration can't be used:{}", listed(.0))]
    Problems(Vec<Problem>),
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |list, Problem { path, problem }| {
        list + "\n  " + path + ": " + problem
    })
}

impl Config {
    /// The built-in values alone.
    ///
    /// # Panics
    /// Never: the values are part of the program, and a test reads them.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the values are compiled in and a test reads them")]
    pub fn built_in() -> Self {
        Self::from_parts("", []).expect("the built-in configuration is valid")
    }

    /// Reads `file`, if there is one, and the variables of this process.
    ///
    /// # Errors
    /// When the file can't be read or anything in it or in the variables is wrong.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigFault> {
        let text = match file {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path).map_err(|source| ConfigFault::Unreadable {
                path: path.to_owned(),
                source,
            })?,
        };
        Self::from_parts(&text, environment::of_this_process())
    }

    /// The same from given parts: the text of a file, possibly empty, and variables.
    ///
    /// # Errors
    /// When anything is wrong, with everything that is.
    pub fn from_parts(text: &str, variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, ConfigFault> {
        let mut values: Value = yaml(BUILT_IN).map_err(ConfigFault::NotYaml)?;
        let known = values.clone();
        let given = if text.trim().is_empty() {
            Value::Null
        } else {
            yaml(text).map_err(ConfigFault::NotYaml)?
        };
        let mut problems = Vec::new();
        shape::lay(&mut values, &known, given, "", &mut problems);
        for (variable, value) in environment::values(variables, &known, &mut problems) {
            let from = problems.len();
            shape::lay(&mut values, &known, value, "", &mut problems);
            for problem in problems.iter_mut().skip(from) {
                problem.path = format!("{} (from {variable})", problem.path);
            }
        }
        let Some(file) = typed(values, &known, &mut problems) else {
            return Err(ConfigFault::Problems(problems));
        };
        match file.checked() {
            Ok(config) if problems.is_empty() => Ok(config),
            Ok(_) => Err(ConfigFault::Problems(problems)),
            Err(more) => Err(ConfigFault::Problems(problems.into_iter().chain(more).collect())),
        }
    }
}

/// Values into types. What does not fit is noted and put back to its built-in value, so that the rest can be judged too.
fn typed(mut values: Value, known: &Value, problems: &mut Vec<Problem>) -> Option<File> {
    for _ in 0..MOST_MISFITS {
        let error = match serde_path_to_error::deserialize::<_, File>(values.clone()) {
            Ok(file) => return Some(file),
            Err(error) => error,
        };
        let path = error.path().to_string();
        problems.push(Problem {
            path: path.clone(),
            problem: error.into_inner().to_string(),
        });
        if !shape::put_back(&mut values, known, &path) {
            return None;
        }
    }
    None
}

/// More than anybody gets wrong in one file.
const MOST_MISFITS: usize = 64;

fn yaml(text: &str) -> Result<Value, String> {
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
