//! One recorded case: `NN-<situation>.request.json`, its `.response.json`, perhaps its `.store.json`, the `.config.yaml` of the
//! service it was sent to, and in `.now.txt` when that was. The path says where it goes: `<hook>/<call>/`, or `<hook>/reject/` for bodies that must not get 200.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::config::{Config, ConfigFault};
use crate::flow::Call;
use crate::observed::Timestamp;

const REQUEST: &str = ".request.json";

/// Why a case can't be replayed.
#[derive(Debug, thiserror::Error)]
pub enum CaseFault {
    /// A file or folder can't be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not JSON.
    #[error("{} is not JSON: {source}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The folders do not say where to send it.
    #[error("{} must lie in <hook>/sync, finalize, customize or reject", path.display())]
    NoRoute {
        /// The file.
        path: PathBuf,
    },
    /// The store file is not of the form.
    #[error("{}: {problem}", path.display())]
    Store {
        /// The request.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The configuration file can't be used.
    #[error(transparent)]
    Config(ConfigFault),
    /// The file holds no time.
    #[error("{}: {text:?} is no RFC 3339 time, such as 2026-11-30T13:00:00Z", path.display())]
    NoTime {
        /// The file.
        path: PathBuf,
        /// What it holds.
        text: String,
    },
    /// The target did not answer.
    #[error("sending {}: {problem}", path.display())]
    Send {
        /// The request.
        path: PathBuf,
        /// Why.
        problem: String,
    },
}

/// What kind of answer is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// A decision, recorded whole.
    Decision(Call),
    /// A refusal, recorded as `{"status": …, "code": …}`.
    Refusal,
}

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its request file.
    pub request: PathBuf,
    /// The hook's folder.
    pub hook: String,
    /// What is expected.
    pub expect: Expect,
}

/// An answer as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body, or null if it is not JSON.
    pub body: Value,
}

/// Every case below the folders, by path.
///
/// # Errors
/// When a folder can't be read, or a request lies where no path of ours is.
pub fn find(folders: &[PathBuf]) -> Result<Vec<Case>, CaseFault> {
    let mut files = Vec::new();
    for folder in folders {
        // A lone file may be named too.
        if is_request(folder) {
            files.push(folder.clone());
        } else {
            walk(folder, &mut files)?;
        }
    }
    files.sort_unstable();
    files.dedup();
    files.into_iter().map(Case::at).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CaseFault> {
    let fault = |source| CaseFault::File {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let path = entry.path();
        if entry.file_type().map_err(fault)?.is_dir() {
            walk(&path, files)?;
        } else if is_request(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_request(path: &Path) -> bool {
    path.file_name()
        .and_then(OsStr::to_str)
        .is_some_and(|name| name.ends_with(REQUEST))
}

impl Case {
    fn at(request: PathBuf) -> Result<Self, CaseFault> {
        let absolute = std::path::absolute(&request).unwrap_or_else(|_| request.clone());
        let mut folders = absolute.iter().rev().skip(1).filter_map(OsStr::to_str);
        let (call, hook) = (
            folders.next().unwrap_or_default(),
            folders.next().unwrap_or_default().to_owned(),
        );
        let expect = match Call::ALL.into_iter().find(|known| known.name() == call) {
            Some(call) => Expect::Decision(call),
            None if call == "reject" => Expect::Refusal,
            None => return Err(CaseFault::NoRoute { path: request }),
        };
        Ok(Self { request, hook, expect })
    }

    /// The path to send `body` to.
    #[must_use]
    pub fn route(&self, body: &[u8]) -> String {
        let call = match self.expect {
            Expect::Decision(call) => call,
            Expect::Refusal if is_finalize(body) => Call::Finalize,
            Expect::Refusal => Call::Sync,
        };
        format!("/{}/{}", self.hook, call.name())
    }

    /// The request as it was recorded.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn body(&self) -> Result<Vec<u8>, CaseFault> {
        read(&self.request)
    }

    /// The store, if the case has one.
    ///
    /// # Errors
    /// When its file can't be read or is not JSON.
    pub fn store(&self) -> Result<Option<Value>, CaseFault> {
        json_if_there(&self.twin(".store.json"))
    }

    /// The recorded answer, if there is one.
    ///
    /// # Errors
    /// When its file can't be read or is not JSON.
    pub fn recorded(&self) -> Result<Option<Value>, CaseFault> {
        json_if_there(&self.twin(".response.json"))
    }

    /// The configuration that the case needs, if it is not the built-in one.
    ///
    /// # Errors
    /// When its file can't be used.
    pub fn config(&self) -> Result<Option<Config>, CaseFault> {
        let path = self.twin(".config.yaml");
        if !path.exists() {
            return Ok(None);
        }
        Config::load(Some(&path)).map(Some).map_err(CaseFault::Config)
    }

    /// When the case was recorded, if not at the instant that all others live at.
    ///
    /// # Errors
    /// When its file can't be read or holds no RFC 3339 time.
    pub fn now(&self) -> Result<Option<Timestamp>, CaseFault> {
        let path = self.twin(".now.txt");
        if !path.exists() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&read(&path)?).trim().to_owned();
        let now = text.parse().map_err(|_| CaseFault::NoTime { path, text })?;
        Ok(Some(now))
    }

    /// The case can only be answered by a service that is made for it.
    ///
    /// # Errors
    /// When one of its files can't be used.
    pub fn needs_its_own_service(&self) -> Result<bool, CaseFault> {
        Ok(self.store()?.is_some() || self.config()?.is_some() || self.now()?.is_some())
    }

    /// Records an answer.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn record(&self, text: &str) -> Result<(), CaseFault> {
        let path = self.twin(".response.json");
        fs::write(&path, text).map_err(|source| CaseFault::File { path, source })
    }

    /// An answer in the form that is recorded. What was to be a decision and is none, or the other way round, shows
    /// its status, so that it differs.
    #[must_use]
    pub fn form(&self, answer: Answer) -> Value {
        match self.expect {
            Expect::Decision(_) if answer.status == 200 => answer.body,
            Expect::Decision(_) | Expect::Refusal => {
                json!({"status": answer.status, "code": answer.body.get("code").unwrap_or(&Value::Null)})
            }
        }
    }

    fn twin(&self, ending: &str) -> PathBuf {
        let name = self.request.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let stem = name.strip_suffix(REQUEST).unwrap_or(name);
        self.request.with_file_name(format!("{stem}{ending}"))
    }
}

fn is_finalize(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body["finalizing"] == true)
}

fn read(path: &Path) -> Result<Vec<u8>, CaseFault> {
    fs::read(path).map_err(|source| CaseFault::File {
        path: path.to_owned(),
        source,
    })
}

fn json_if_there(path: &Path) -> Result<Option<Value>, CaseFault> {
    if !path.exists() {
        return Ok(None);
    }
    let value = serde_json::from_slice(&read(path)?);
    value.map(Some).map_err(|source| CaseFault::NotJson {
        path: path.to_owned(),
        source,
    })
}
