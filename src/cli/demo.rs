//! `rollcall demo`: a simulated cluster drives the real service over loopback HTTP through the life of a crawl, faults
//! included. It needs no cluster, no Redis and no network, and ends with an account of what was saved.
//!
//! It decides nothing: the world is [`crate::sim`]'s, the answers are the service's, the reasons are read from the same
//! decision that the service makes for the same request.

mod account;
mod explain;
mod record;
mod screen;
mod script;
mod service;
mod stage;
mod view;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use super::{CliError, Outcome, runtime};
use crate::sim::clock::Millis;
use account::Account;
use record::Recorder;
use screen::Screen;
use script::Script;
use stage::Stage;

/// Virtual seconds in one second at speed 1.
const PACE: f64 = 5.0;
/// Between two pictures on a terminal.
const PICTURE: Duration = Duration::from_millis(80);
/// A story that takes longer, in virtual time, has failed.
const LONGEST: Millis = 30 * 60 * 1000;

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many times faster than about half a minute, 1 by default.
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed, hide_default_value = true)]
    speed: f64,
    /// Draws everything that is left to chance, 1 by default.
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    seed: u64,
    /// Write every request, answer and store into this folder, nowhere by default.
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Print lines instead of the live table, off by default; always so when the output is no terminal.
    #[arg(long)]
    plain: bool,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if speed.is_finite() && speed > 0.0 => Ok(speed),
        _ => Err("write a number above 0, such as 4 or 0.5".to_owned()),
    }
}

/// Plays the story.
///
/// # Errors
/// When the service can't listen on loopback, a file can't be written, or the terminal can't be used.
pub fn run(args: &Args, out: &mut impl Write) -> Result<Outcome, CliError> {
    let live =
        !args.plain && std::io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let recorder = args
        .record
        .as_deref()
        .map(|folder| {
            Recorder::new(folder).map_err(|error| CliError::failed(format!("making {}: {error}", folder.display())))
        })
        .transpose()?;
    let account = runtime()?.block_on(play(args, live, recorder, out))?;
    let Some(account) = account else {
        writeln!(out, "Stopped.").map_err(CliError::failed)?;
        return Ok(Outcome::Found);
    };
    account.write(out).map_err(CliError::failed)?;
    Ok(if account.nothing_lost() {
        Outcome::Fine
    } else {
        Outcome::Found
    })
}

/// The account, or nothing when it was interrupted.
async fn play(
    args: &Args,
    live: bool,
    recorder: Option<Recorder>,
    out: &mut impl Write,
) -> Result<Option<Account>, CliError> {
    let mut stage = Stage::new(args.seed, recorder).await?;
    let mut script = Script::new();
    let mut stop = Interrupts::listen().map_err(CliError::failed)?;
    let mut screen = if live {
        Screen::live().map_err(CliError::failed)?
    } else {
        Screen::plain(out)
    };
    let (begun, first) = (Instant::now(), stage.world().now());
    let end = first + LONGEST;
    while stage.world().now() < end {
        script.play(&mut stage).await?;
        let (event, scene) = (stage.world().next_time(), script.due());
        let Some(next) = event.into_iter().chain(scene).min().filter(|_| !script.is_over()) else {
            break;
        };
        if wait(&mut screen, &mut stop, &stage, begun + wall(next - first, args.speed)).await? {
            return Ok(None);
        }
        if event.is_some_and(|event| event <= next) {
            stage.step().await?;
        } else {
            stage.wait_until(next);
        }
    }
    screen.show(&stage).map_err(CliError::failed)?;
    screen.close();
    Ok(Some(Account::of(&stage, script.is_over())))
}

fn wall(span: Millis, speed: f64) -> Duration {
    Duration::from_millis(u64::try_from(span).unwrap_or(0)).div_f64(PACE * speed)
}

/// Ctrl-C and SIGTERM, listened to from the start to the end: one that comes during a step is seen after it.
struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    fn listen() -> io::Result<Self> {
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Waits until `due`, drawing meanwhile; whether the user had enough.
async fn wait(screen: &mut Screen<'_>, stop: &mut Interrupts, stage: &Stage, due: Instant) -> Result<bool, CliError> {
    loop {
        let now = Instant::now();
        if screen.wants_picture(now) {
            screen.show(stage).map_err(CliError::failed)?;
        }
        if screen.stop_asked().map_err(CliError::failed)? {
            return Ok(true);
        }
        if now >= due {
            return Ok(false);
        }
        tokio::select! {
            () = sleep_until(due.min(now + PICTURE)) => {}
            () = stop.asked() => return Ok(true),
        }
    }
}

#[cfg(test)]
mod tests;
