//! The binary as a process on loopback, and a plain HTTP/1.1 connection to it. Every wait has a bound.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::corpus::{Answer, NOW};

/// The longest a test waits for anything that should come at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// `rollcall serve` at the frozen instant, without stores; ended with the value.
#[derive(Debug)]
pub(crate) struct Served {
    process: Child,
    address: SocketAddr,
}

impl Served {
    /// Starts it on free ports, with more environment variables.
    pub(crate) fn start(variables: &[(&str, &str)]) -> Self {
        let (address, admin) = (free_address(), free_address());
        let process = Command::new(env!("CARGO_BIN_EXE_rollcall"))
            .args(["serve", "--store", "none", "--now", NOW])
            .args(["--listen", &address.to_string(), "--admin-listen", &admin.to_string()])
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut served = Self { process, address };
        served.wait_until_it_listens();
        served
    }

    fn wait_until_it_listens(&mut self) {
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(self.address).is_err() {
            let ended = self.process.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "the service ended: {ended:?}");
            assert!(Instant::now() < until, "nobody listens on {}", self.address);
            std::thread::yield_now();
        }
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

/// An address that was free a moment ago.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound listener has an address")
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
            let Some((key, value)) = line.split_once(": ") else { break };
            let key = HeaderName::from_bytes(key.as_bytes()).expect("a header name");
            headers.insert(key, HeaderValue::from_str(value).expect("a header value"));
        }
        let length = headers.get("content-length").and_then(|value| value.to_str().ok());
        let length: usize = length.and_then(|text| text.parse().ok()).expect("an answer says its length");
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
