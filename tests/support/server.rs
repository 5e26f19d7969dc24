//! A real redis-server on a free loopback port, gone with its value.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::tested::say_not_tested;

pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    // The server writes its log to it for as long as it lives.
    _log: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts one for a job. `None`, said loudly, where there is no redis-server; in CI that is a failure.
    pub(crate) fn start(job: &str) -> Option<Self> {
        let missing = Command::new("redis-server").arg("--version").output().is_err();
        assert!(
            !(missing && std::env::var_os("CI").is_some()),
            "redis-server is not on PATH, and CI needs it"
        );
        if missing {
            say_not_tested("redis-server is not on PATH; install it and run this again");
            return None;
        }
        // A port may be taken by somebody else between its choice and its use.
        let server = (0..5).find_map(|_| Self::start_at(free_port(), job));
        assert!(server.is_some(), "redis-server starts on none of five free ports");
        server
    }

    /// Starts one at this port, unless it is taken.
    pub(crate) fn start_at(port: u16, job: &str) -> Option<Self> {
        let (mut child, mut log) = spawn(port, job);
        let mut line = String::new();
        while log.read_line(&mut line).is_ok_and(|read| read > 0) {
            if line.contains("Ready to accept connections") {
                return Some(Self { child, port, _log: log });
            }
            line.clear();
        }
        let _ = child.wait();
        None
    }

    /// A connection of our own, to play crawlers and operators.
    pub(crate) fn connect(&self) -> redis::Connection {
        let client = redis::Client::open(("127.0.0.1", self.port)).expect("an address");
        client.get_connection().expect("the server accepts connections")
    }
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("it has an address").port()
}

fn spawn(port: u16, job: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new("redis-server")
        .args([
            "--bind",
            "127.0.0.1",
            "-::1",
            "--port",
            &port.to_string(),
            "--loglevel",
            "notice",
        ])
        .args([
            "--save",
            "",
            "--appendonly",
            "no",
            "--dbfilename",
            &format!("{job}.rdb"),
        ])
        .arg("--dir")
        .arg(std::env::temp_dir())
        .stdout(Stdio::piped())
        .spawn()
        .expect("redis-server can be started");
    let log = BufReader::new(child.stdout.take().expect("its output is piped"));
    (child, log)
}
