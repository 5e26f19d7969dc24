//! The form of the YAML file, field by field, and the checks of everything that is not the crawl policy. The built-in
//! values fill every field, so nothing is optional here but what can be unset.

use std::time::Duration;

use serde::Deserialize;

use super::amount::Amount;
use super::anchor::Anchor;
use super::crawl::Crawl;
use super::orgs::Orgs;
use super::problems::Problems;
use super::{Config, LogConfig, LogFormat, Problem, ServerConfig};

/// metacontroller gives up after 10 seconds.
const CALLER_GIVES_UP: u64 = 10;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct File {
    server: Server,
    log: Log,
    crawl: Crawl,
    orgs: Orgs,
    anchor: Anchor,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Server {
    listen: String,
    admin_listen: String,
    allow_unauthenticated: bool,
    body_limit: Amount,
    bytes_in_flight: Amount,
    deadline_seconds: u64,
    store_deadline_seconds: u64,
    head_seconds: u64,
    body_progress_seconds: u64,
    idle_seconds: u64,
    connections: usize,
    grace_seconds: u64,
    drain_seconds: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Log {
    format: LogFormat,
    filter: String,
}

impl File {
    /// Checks everything; gives types or all problems.
    pub(super) fn checked(self) -> Result<Config, Vec<Problem>> {
        let mut problems = Problems(Vec::new());
        let server = self.server.checked(&mut problems);
        let crawl = self.crawl.checked(self.orgs, self.anchor, &mut problems);
        let log = LogConfig {
            format: self.log.format,
            filter: self.log.filter,
        };
        match (server, crawl) {
            (Some(server), Some(crawl)) if problems.0.is_empty() => Ok(Config { server, log, crawl }),
            _ => Err(problems.0),
        }
    }
}

impl Server {
    fn checked(self, problems: &mut Problems) -> Option<ServerConfig> {
        let listen = problems.address("server.listen", &self.listen);
        let admin_listen = problems.address("server.adminListen", &self.admin_listen);
        let body_limit = self.body_limit.bytes("server.bodyLimit", problems);
        let bytes_in_flight = self.bytes_in_flight.bytes("server.bytesInFlight", problems);
        for (path, seconds) in [
            ("server.deadlineSeconds", self.deadline_seconds),
            ("server.storeDeadlineSeconds", self.store_deadline_seconds),
            ("server.headSeconds", self.head_seconds),
            ("server.bodyProgressSeconds", self.body_progress_seconds),
            (
                "server.connections",
                u64::try_from(self.connections).unwrap_or(u64::MAX),
            ),
        ] {
            problems.require(seconds > 0, path, || "must be at least 1".to_owned());
        }
        self.check_order(body_limit, bytes_in_flight, problems);
        Some(ServerConfig {
            listen: listen?,
            admin_listen: admin_listen?,
            allow_unauthenticated: self.allow_unauthenticated,
            body_limit: body_limit?,
            bytes_in_flight: bytes_in_flight?,
            deadline: Duration::from_secs(self.deadline_seconds),
            store_deadline: Duration::from_secs(self.store_deadline_seconds),
            head: Duration::from_secs(self.head_seconds),
            body_progress: Duration::from_secs(self.body_progress_seconds),
            idle: Duration::from_secs(self.idle_seconds),
            connections: self.connections,
            grace: Duration::from_secs(self.grace_seconds),
            drain: Duration::from_secs(self.drain_seconds),
        })
    }

    fn check_order(&self, body_limit: Option<u64>, bytes_in_flight: Option<u64>, problems: &mut Problems) {
        let (deadline, store) = (self.deadline_seconds, self.store_deadline_seconds);
        problems.require(deadline < CALLER_GIVES_UP, "server.deadlineSeconds", || {
            format!("{deadline} is not below the {CALLER_GIVES_UP} seconds after which metacontroller gives up")
        });
        problems.require(store < deadline, "server.storeDeadlineSeconds", || {
            format!("{store} for the store does not fit into server.deadlineSeconds {deadline}")
        });
        problems.require(self.idle_seconds > 90, "server.idleSeconds", || {
            format!(
                "{} is not above the 90 seconds for which the caller keeps a connection",
                self.idle_seconds
            )
        });
        if let (Some(limit), Some(all)) = (body_limit, bytes_in_flight) {
            problems.require(
                limit <= all && all < u64::from(u32::MAX),
                "server.bytesInFlight",
                || format!("{all} must be at least server.bodyLimit {limit} and below 4Gi"),
            );
        }
    }
}
