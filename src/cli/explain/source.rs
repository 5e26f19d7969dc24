//! Where the store is read from: a Redis that was named, a file, or nowhere. It only reads.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use axum::http::Uri;
use serde_json::Value;

use super::Args;
use crate::cli::CliError;
use crate::hooks::crawljob::observe::ask;
use crate::hooks::crawljob::register::RegisterSeen;
use crate::outside::memory::MemoryStores;
use crate::outside::redis::RedisStores;
use crate::outside::store::{StoreAddress, StoreReading};
use crate::outside::{Outside, Stores};

/// `redis://host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    host: String,
    port: u16,
}

impl FromStr for Url {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = "write redis://host:port, such as redis://127.0.0.1:6379";
        let uri: Uri = text.parse().map_err(|_| form)?;
        let authority = uri
            .authority()
            .filter(|_| uri.scheme_str() == Some("redis"))
            .ok_or(form)?;
        // Neither a password nor a database number: the stores of the crawls have none.
        if authority.as_str().contains('@') || !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(form);
        }
        Ok(Self {
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(6379),
        })
    }
}

/// Where the store is read from.
#[derive(Debug)]
pub(super) enum Source {
    /// Nobody is asked.
    Nowhere,
    /// A Redis, instead of the observed address.
    Redis(Url),
    /// What a file says of the job's store.
    File(Box<Value>),
}

impl Source {
    pub(super) fn of(args: &Args) -> Result<Self, CliError> {
        match (&args.store, &args.store_file) {
            (Some(url), _) => Ok(Self::Redis(url.clone())),
            (None, Some(path)) => Ok(Self::File(Box::new(json(path)?))),
            (None, None) => Ok(Self::Nowhere),
        }
    }

    /// Reads the store of the job at `address` once.
    pub(super) async fn read(
        self,
        mut address: StoreAddress,
        register: &RegisterSeen,
        deadline: Duration,
    ) -> Result<StoreReading, CliError> {
        let stores = match self {
            Self::Nowhere => Stores::Disabled,
            Self::File(json) => {
                let stores = MemoryStores::new();
                stores
                    .load(&address.namespace, &address.job, &json)
                    .map_err(|fault| CliError::Usage(fault.to_string()))?;
                Stores::Memory(stores)
            }
            Self::Redis(url) => {
                let unknown = |why: String| CliError::Usage(format!("finding the host {} of --store: {why}", url.host));
                let found = tokio::net::lookup_host((url.host.as_str(), url.port)).await;
                let socket = found.map_err(|error| unknown(error.to_string()))?.next();
                let socket = socket.ok_or_else(|| unknown("it has no address".to_owned()))?;
                (address.ip, address.port) = (socket.ip(), socket.port());
                Stores::Redis(RedisStores::new(deadline))
            }
        };
        Ok(ask(&address, register, &Outside { stores }).await)
    }
}

fn json(path: &Path) -> Result<Value, CliError> {
    let usage = |problem: String| CliError::Usage(format!("reading {}: {problem}", path.display()));
    let text = fs::read(path).map_err(|error| usage(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| usage(error.to_string()))
}
