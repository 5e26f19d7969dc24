//! Takes a condition and a bound; gives the condition's value once it holds. A test never sleeps until something is
//! probably true: it waits here.

use std::future::Future;
use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(25);

/// Asks `condition` until it gives a value; panics naming `what` after `bound`.
pub(crate) async fn until<T, F, W>(what: &str, bound: Duration, mut condition: F) -> T
where
    F: FnMut() -> W,
    W: Future<Output = Option<T>>,
{
    let start = Instant::now();
    loop {
        let asked = tokio::time::timeout(bound, condition()).await;
        if let Ok(Some(value)) = asked {
            return value;
        }
        assert!(start.elapsed() < bound, "waited {bound:?} in vain until {what}");
        tokio::time::sleep(STEP).await;
    }
}

/// The same for a question that needs no waiting of its own.
pub(crate) async fn until_some<T>(what: &str, bound: Duration, mut condition: impl FnMut() -> Option<T>) -> T {
    until(what, bound, || std::future::ready(condition())).await
}
