//! One connection to a Redis server: opened without any greeting, asked one pipeline at a time, bounded in what it
//! takes in (S6), gone with its driver when dropped.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, Pipeline, RedisConnectionInfo, RedisError, Value};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::outside::store::Unreachable;

/// Bytes of one answer. A full read of 500 long lines and thousands of instances stays below a third of it; in memory
/// an answer of tiny elements takes up to twenty times as much.
const MAX_ANSWER: usize = 8 * 1024 * 1024;

/// A connection of its own.
#[derive(Debug)]
pub(super) struct Connection {
    sender: MultiplexedConnection,
    driver: Driver,
    meter: Arc<Meter>,
}

/// The task that moves the bytes; it ends with the connection.
#[derive(Debug)]
struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Result<Self, Unreachable> {
        let stream = TcpStream::connect(address).await.map_err(|error| broken(&error))?;
        stream.set_nodelay(true).map_err(|error| broken(&error))?;
        let meter = Arc::new(Meter::default());
        let stream = Metered {
            stream,
            meter: Arc::clone(&meter),
        };
        // No password, database 0, the older protocol and no name: nothing is said before the first question.
        let greeting = RedisConnectionInfo::default().set_skip_set_lib_name();
        // The deadline is the caller's, for all of it.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let (sender, driver) = MultiplexedConnection::new_with_config(&greeting, stream, config)
            .await
            .map_err(|error| meter.reason(&error))?;
        Ok(Self {
            sender,
            driver: Driver(tokio::spawn(driver)),
            meter,
        })
    }

    /// The other side has not closed it.
    pub(super) fn is_open(&self) -> bool {
        !self.driver.0.is_finished()
    }

    /// Sends a pipeline, gives every answer of it.
    pub(super) async fn ask(&mut self, pipeline: &Pipeline) -> Result<Vec<Value>, Unreachable> {
        self.meter.received.store(0, Ordering::Relaxed);
        pipeline
            .query_async(&mut self.sender)
            .await
            .map_err(|error| self.meter.reason(&error))
    }
}

fn broken(error: &io::Error) -> Unreachable {
    match error.kind() {
        io::ErrorKind::TimedOut => Unreachable::Timeout,
        _ => Unreachable::Refused,
    }
}

/// What went through a stream. The library says "closed" for everything that ends a connection; this tells why.
#[derive(Debug, Default)]
struct Meter {
    received: AtomicUsize,
    closed: AtomicBool,
}

impl Meter {
    fn reason(&self, error: &RedisError) -> Unreachable {
        match error.kind() {
            ErrorKind::Server(_) | ErrorKind::Extension | ErrorKind::AuthenticationFailed => Unreachable::ErrorAnswer,
            _ if self.closed.load(Ordering::Relaxed) => Unreachable::Refused,
            // We gave up on it: not the protocol, or too much.
            _ => Unreachable::Garbage,
        }
    }
}

#[derive(Debug)]
struct Metered {
    stream: TcpStream,
    meter: Arc<Meter>,
}

impl AsyncRead for Metered {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let read = buffer.filled().len() - before;
        match polled {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(())) if read > 0 => {}
            Poll::Ready(ended) => {
                self.meter.closed.store(true, Ordering::Relaxed);
                return Poll::Ready(ended);
            }
        }
        if self.meter.received.fetch_add(read, Ordering::Relaxed) + read > MAX_ANSWER {
            return Poll::Ready(Err(io::Error::other("the answer is larger than a store's may be")));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Err(_)) = polled {
            self.meter.closed.store(true, Ordering::Relaxed);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
