//! Reads a request's body within limits: its size, the bytes of all bodies together, and progress.

use axum::body::HttpBody;
use axum::extract::Request;
use http_body_util::BodyExt;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::config::ServerConfig;
use crate::error::Error;

/// A body that was read, and its share of the bytes in flight, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Body<'a> {
    /// The bytes.
    pub(super) bytes: Vec<u8>,
    _share: Option<SemaphorePermit<'a>>,
}

/// Reads the whole body.
pub(super) async fn read<'a>(
    request: Request,
    limits: &ServerConfig,
    in_flight: &'a Semaphore,
) -> Result<Body<'a>, Error> {
    let mut body = request.into_body();
    // The announced length is checked before anything is read or kept; what is not announced is counted as it comes.
    let announced = body.size_hint().exact().unwrap_or(0);
    let mut share = take(announced, announced, limits, in_flight)?;
    let mut bytes = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
    while let Some(frame) = timeout(limits.body_progress, body.frame())
        .await
        .map_err(|_| Error::BodySlow)?
    {
        let Ok(data) = frame.map_err(|_| Error::BodyBroken)?.into_data() else {
            continue;
        };
        let (before, total) = (length(&bytes), length(&bytes).saturating_add(length(&data)));
        if let Some(more) = take(total.saturating_sub(before.max(announced)), total, limits, in_flight)? {
            match &mut share {
                Some(share) => share.merge(more),
                None => share = Some(more),
            }
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Body { bytes, _share: share })
}

/// Takes `more` bytes of those that may be in flight for a body of `total` bytes so far.
fn take<'a>(
    more: u64,
    total: u64,
    limits: &ServerConfig,
    in_flight: &'a Semaphore,
) -> Result<Option<SemaphorePermit<'a>>, Error> {
    let too_large = Error::BodyTooLarge {
        limit: limits.body_limit,
    };
    if total > limits.body_limit {
        return Err(too_large);
    }
    if more == 0 {
        return Ok(None);
    }
    let more = u32::try_from(more).map_err(|_| too_large)?;
    in_flight.try_acquire_many(more).map(Some).map_err(|_| Error::Busy)
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
