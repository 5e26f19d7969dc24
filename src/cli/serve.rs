//! `rollcall serve`: puts configuration, clock, stores and sockets together and runs until a signal.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::ValueEnum;
use tracing::{info, warn};

use super::{CliError, Outcome, instant, runtime};
use crate::app::{State, admin, app};
use crate::clock::Clock;
use crate::config::{Config, LogFormat};
use crate::flow::Shell;
use crate::observed::Timestamp;
use crate::outside::redis::RedisStores;
use crate::outside::{Outside, Stores};
use crate::serve::{Limits, Stop, bind, check_exposure, on_signal, serve};
use crate::telemetry;

/// Arguments of `serve`. Each overrides the file and the environment.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The webhook's address, 127.0.0.1:8080 by default (server.listen).
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The address of /healthz, /readyz and /metrics, 127.0.0.1:8081 by default (server.adminListen).
    #[arg(long, value_name = "ADDRESS")]
    admin_listen: Option<SocketAddr>,
    /// Listen beyond loopback although there is neither TLS nor a check of credentials yet, not allowed by default.
    #[arg(long)]
    allow_unauthenticated: bool,
    /// A YAML file that states what differs from the built-in configuration, none by default.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Decide as if it were always this RFC 3339 instant, for replay; the system's clock by default.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    now: Option<Timestamp>,
    /// Which stores are asked; the observed ones by default.
    #[arg(long, value_enum, default_value_t = Store::Observed)]
    store: Store,
    /// The form of the log on standard error, json by default (log.format).
    #[arg(long, value_enum, value_name = "FORMAT")]
    log: Option<LogFormat>,
}

/// Which stores are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Store {
    /// The Redis pod of each crawl, at its observed address.
    Observed,
    /// Every store is unreachable: for replay by hand.
    None,
}

/// Serves until a signal.
///
/// # Errors
/// When the configuration is wrong, an address can't be had, or the process can't be told of signals.
pub fn run(args: Args) -> Result<Outcome, CliError> {
    let config = configured(&args)?;
    telemetry::start(&config.log).map_err(|fault| CliError::Usage(fault.to_string()))?;
    runtime()?.block_on(until_stopped(args, config))?;
    Ok(Outcome::Fine)
}

/// The configuration with the flags laid over it.
fn configured(args: &Args) -> Result<Config, CliError> {
    let mut config = Config::load(args.config.as_deref()).map_err(|fault| CliError::Usage(fault.to_string()))?;
    let server = &mut config.server;
    server.listen = args.listen.unwrap_or(server.listen);
    server.admin_listen = args.admin_listen.unwrap_or(server.admin_listen);
    server.allow_unauthenticated |= args.allow_unauthenticated;
    config.log.format = args.log.unwrap_or(config.log.format);
    check_exposure(server.listen, server.allow_unauthenticated).map_err(|fault| CliError::Usage(fault.to_string()))?;
    Ok(config)
}

async fn until_stopped(args: Args, config: Config) -> Result<(), CliError> {
    let (server, limits) = (config.server.clone(), Limits::from(&config.server));
    let shell = Shell {
        clock: clock(args.now),
        outside: Outside {
            stores: stores(args.store, &config),
        },
    };
    let (hooks, health) = (
        bind(server.listen).await.map_err(CliError::failed)?,
        bind(server.admin_listen).await.map_err(CliError::failed)?,
    );
    // Port 0 lets the system choose, so the log says what it chose.
    let port = |listener: &tokio::net::TcpListener, asked| listener.local_addr().unwrap_or(asked).to_string();
    info!(
        listen = port(&hooks, server.listen),
        admin = port(&health, server.admin_listen),
        version = env!("CARGO_PKG_VERSION"),
        "serving"
    );
    let state = State::new(config, shell);
    let (driver, stop) = Stop::new();
    let for_signal = state.clone();
    let signals = on_signal(driver, server.grace, move || for_signal.set_ready(false));
    let (signalled, (), ()) = tokio::join!(
        signals,
        serve(hooks, app(state.clone()), limits, stop.clone()),
        serve(health, admin(state), limits, stop),
    );
    signalled.map_err(CliError::failed)?;
    info!("stopped");
    Ok(())
}

fn clock(now: Option<Timestamp>) -> Clock {
    match now {
        None => Clock::System,
        Some(instant) => {
            warn!(%instant, "the clock stands still: for replay only, no crawl would ever time out");
            Clock::Frozen(instant)
        }
    }
}

fn stores(store: Store, config: &Config) -> Stores {
    match store {
        Store::Observed => Stores::Redis(RedisStores::new(config.server.store_deadline)),
        Store::None => {
            warn!("no store is asked: for replay only, no crawl would ever finish");
            Stores::Disabled
        }
    }
}
