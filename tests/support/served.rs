//! The binary as a process on loopback, and a plain HTTP/1.1 connection to it. Every wait has a bound.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

use crate::answer::{Answer, NOW};

/// The longest a test waits for anything that should come at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// `rollcall serve` at the frozen instant; ended with the value.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) process: Child,
    address: SocketAddr,
}

impl Served {
    /// Starts it without stores on ports that the system chooses, with more environment variables.
    pub(crate) fn start(variables: &[(&str, &str)]) -> Self {
        Self::start_with_store("none", variables)
    }

    /// Starts it with these stores, a word of `--store`.
    pub(crate) fn start_with_store(store: &str, variables: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_rollcall"))
            .args(["serve", "--store", store, "--now", NOW, "--log", "json"])
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let log = process.stderr.take().expect("standard error is piped");
        let address = listening(log);
        Self { process, address }
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.address)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The address that the log names. The log is read to its end, so that the service never waits for a reader.
fn listening(log: impl Read + Send + 'static) -> SocketAddr {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            let line: Value = serde_json::from_str(&line).unwrap_or_default();
            let listen = line["listen"].as_str().or_else(|| line["fields"]["listen"].as_str());
            if let Some(address) = listen.and_then(|text| text.parse().ok()) {
                // Nobody listens any more once the first one was told.
                let _ = tell.send(address);
            }
        }
    });
    told.recv_timeout(PATIENCE).expect("the service says where it listens")
}

/// One kept connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the service accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        stream.set_nodelay(true).expect("nodelay can be set");
        Self {
            stream: BufReader::new(stream),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// One exchange; the connection stays open.
    pub(crate) fn post(&mut self, path: &str, body: &[u8]) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: rollcall\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.write(head.as_bytes()).expect("the head can be sent");
        self.write(body).expect("the body can be sent");
        self.answer()
    }

    /// Reads one answer with a length.
    pub(crate) fn answer(&mut self) -> Answer {
        let status = self.line();
        let status = status.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
        let mut headers = HeaderMap::new();
        loop {
            let line = self.line();
            let Some((key, value)) = line.split_once(": ") else {
                break;
            };
            let key = HeaderName::from_bytes(key.as_bytes()).expect("a header name");
            headers.insert(key, HeaderValue::from_str(value).expect("a header value"));
        }
        let length = headers.get("content-length").and_then(|value| value.to_str().ok());
        let length: usize = length
            .and_then(|text| text.parse().ok())
            .expect("an answer says its length");
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).expect("the answer arrives");
        Answer {
            status: StatusCode::from_u16(status.expect("a status line")).expect("a status"),
            headers,
            bytes,
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line arrives");
        line.trim_end().to_owned()
    }

    /// What comes until the other side closes; nothing when it does not within `bound`.
    pub(crate) fn until_closed(&mut self, bound: Duration) -> Option<Vec<u8>> {
        let stream = self.stream.get_mut();
        stream.set_read_timeout(Some(bound)).expect("a timeout can be set");
        let mut bytes = Vec::new();
        match self.stream.read_to_end(&mut bytes) {
            Ok(_) => Some(bytes),
            Err(fault) if fault.kind() == std::io::ErrorKind::ConnectionReset => Some(bytes),
            Err(_) => None,
        }
    }
}
