//! A stream that ends when its other side stalls. What counts as a stall depends on what the connection is doing: the
//! time for a head counts from its first byte, an idle connection may be silent for long, and while a call is being
//! answered the call's own limits hold.
//!
//! It lives in the stream because only there the first byte of a head can be seen.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// What a connection is doing, shared between its stream and its service.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    head: Duration,
    idle: Duration,
    doing: Arc<Mutex<Doing>>,
}

#[derive(Debug, Clone, Copy)]
enum Doing {
    /// Receiving a head since then.
    Head(Instant),
    /// Answering a call, which has limits of its own.
    Busy,
    /// Waiting for the next head since then.
    Idle(Instant),
}

impl Patience {
    /// A new connection owes its first head.
    pub(super) fn new(head: Duration, idle: Duration) -> Self {
        Self {
            head,
            idle,
            doing: Arc::new(Mutex::new(Doing::Head(Instant::now()))),
        }
    }

    /// A head is complete.
    pub(super) fn busy(&self) {
        self.set(Doing::Busy);
    }

    /// An answer is complete.
    pub(super) fn idle(&self) {
        self.set(Doing::Idle(Instant::now()));
    }

    /// Bytes came.
    fn received(&self) {
        if let Doing::Idle(_) = self.get() {
            self.set(Doing::Head(Instant::now()));
        }
    }

    fn read_until(&self) -> Option<Instant> {
        match self.get() {
            Doing::Head(since) => Some(since + self.head),
            Doing::Busy => None,
            Doing::Idle(since) => Some(since + self.idle),
        }
    }

    fn get(&self) -> Doing {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, doing: Doing) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing;
    }
}

/// The stream.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    patience: Patience,
    reading: Timer,
    writing: Timer,
}

impl<S> Patient<S> {
    /// Wraps a stream.
    pub(super) fn new(stream: S, patience: Patience) -> Self {
        Self {
            stream,
            patience,
            reading: Timer(None),
            writing: Timer(None),
        }
    }

    /// A write that could not go on: ends with an error once it has waited for too long.
    fn write_stalled<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let until = self
            .writing
            .deadline()
            .unwrap_or_else(|| Instant::now() + self.patience.head);
        self.writing.poll(until, cx)
    }

    fn wrote<T>(&mut self, outcome: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_pending() {
            return self.write_stalled(cx);
        }
        self.writing = Timer(None);
        outcome
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        if Pin::new(&mut this.stream).poll_read(cx, buffer)?.is_ready() {
            if buffer.filled().len() > before {
                this.patience.received();
            }
            return Poll::Ready(Ok(()));
        }
        match this.patience.read_until() {
            Some(until) => this.reading.poll(until, cx),
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.wrote(outcome, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.wrote(outcome, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(cx);
        this.wrote(outcome, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(cx);
        this.wrote(outcome, cx)
    }
}

/// A deadline that wakes the task.
#[derive(Debug)]
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    fn deadline(&self) -> Option<Instant> {
        self.0.as_ref().map(|sleep| sleep.deadline())
    }

    /// Ready, with an error, from `until` on.
    fn poll<T>(&mut self, until: Instant, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        if sleep.deadline() != until {
            sleep.as_mut().reset(until);
        }
        ready!(sleep.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}
