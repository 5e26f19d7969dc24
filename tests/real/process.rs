//! Takes a program and its arguments; gives a child process that ends with its owner, and the tail of its log for the
//! message of a failure. May end only processes that it started.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Values in statics are not dropped when a test binary ends, and a killed one drops nothing. So a shell holds the list of
/// our processes; when the pipe to it closes, it ends those still on the list and removes the working folder.
struct Undertaker {
    orders: ChildStdin,
}

const UNDERTAKER: &str = r#"trap '' INT TERM HUP
pids=
while read -r order pid; do
  case $order in
    +) pids="$pids $pid" ;;
    -) rest=; for p in $pids; do [ "$p" = "$pid" ] || rest="$rest $p"; done; pids=$rest ;;
  esac
done
for p in $pids; do kill -9 "$p" 2>/dev/null; done
rm -rf -- "$1""#;

static STARTED: OnceLock<(PathBuf, Mutex<Undertaker>)> = OnceLock::new();

#[expect(clippy::zombie_processes, reason = "it outlives this process")]
fn started() -> &'static (PathBuf, Mutex<Undertaker>) {
    STARTED.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("rollcall-real-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the processes' files");
        let mut shell = Command::new("sh")
            .args(["-c", UNDERTAKER, "undertaker"])
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let orders = shell.stdin.take().expect("its stdin is piped");
        (folder, Mutex::new(Undertaker { orders }))
    })
}

fn order(word: &str, pid: u32) {
    let mut undertaker = started().1.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(undertaker.orders, "{word} {pid}").expect("the undertaker reads");
}

/// The folder of everything this test binary writes; removed when the binary ends.
pub(crate) fn folder() -> &'static Path {
    &started().0
}

pub(crate) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
    ended: Option<ExitStatus>,
}

impl Process {
    /// Starts `program`, its output going to the end of the log file `<name>.log`.
    pub(crate) fn start<S: AsRef<std::ffi::OsStr>>(name: &str, program: impl AsRef<Path>, arguments: &[S]) -> Self {
        let log = folder().join(format!("{name}.log"));
        let output: File = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .expect("a log file");
        let child = Command::new(program.as_ref())
            .args(arguments)
            .current_dir(folder())
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a second handle"))
            .stderr(output)
            .spawn()
            .unwrap_or_else(|error| panic!("{name}: cannot start {}: {error}", program.as_ref().display()));
        order("+", child.id());
        Self {
            name: name.to_owned(),
            child,
            log,
            ended: None,
        }
    }

    /// The exit status once the process has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().expect("a child can be waited for");
            if self.ended.is_some() {
                order("-", self.child.id());
            }
        }
        self.ended
    }

    /// Sends a signal by name (`TERM`, `KILL`, `STOP`, `CONT`) unless the process has ended.
    pub(crate) fn signal(&mut self, signal: &str) {
        if self.ended().is_none() {
            let kill = Command::new("kill")
                .arg(format!("-{signal}"))
                .arg(self.child.id().to_string())
                .status();
            assert!(
                kill.is_ok_and(|status| status.success()) || self.ended().is_some(),
                "kill -{signal} {}",
                self.name
            );
        }
    }

    /// Kills the process as a crash would and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        if self.ended().is_none() {
            let _ = self.child.kill();
            self.ended = Some(self.child.wait().expect("a killed child ends"));
            order("-", self.child.id());
        }
    }

    /// The last lines of the log, for the message of a failure.
    pub(crate) fn tail(&self) -> String {
        let text = String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let from = lines.len().saturating_sub(40);
        format!("--- the end of {}'s log ---\n{}", self.name, lines[from..].join("\n"))
    }

    /// Panics with the log's tail when the process has ended.
    pub(crate) fn assert_alive(&mut self) {
        if let Some(status) = self.ended() {
            panic!("{} ended with {status}\n{}", self.name, self.tail());
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
