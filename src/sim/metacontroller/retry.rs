//! What an answer other than 200 means: nothing changes, and when to come again.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::fmt::rfc2822;

/// Longest back-off.
const LONGEST: Duration = Duration::from_secs(1000);

/// What to do with an HTTP answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// 200: decode it.
    Decode,
    /// 429: come again after this long; the count of failures stays. Nothing readable means at once.
    After(Duration),
    /// Anything else: come again after [`backoff`], one failure more.
    BackOff,
}

/// Reads status and `Retry-After` (whole seconds or an HTTP date).
#[must_use]
pub fn classify(status: u16, retry_after: Option<&str>, now: Timestamp) -> Verdict {
    match status {
        200 => Verdict::Decode,
        429 => Verdict::After(retry_after.map_or(Duration::ZERO, |text| wait(text, now))),
        _ => Verdict::BackOff,
    }
}

fn wait(text: &str, now: Timestamp) -> Duration {
    if let Ok(zoned) = rfc2822::parse(text) {
        let millis = zoned.timestamp().as_millisecond().saturating_sub(now.as_millisecond());
        return Duration::from_secs(u64::try_from(millis).unwrap_or(0).div_ceil(1000));
    }
    Duration::from_secs(text.parse().unwrap_or(0))
}

/// Wait before the next try after `failures` failed ones before this: 5 ms x 2^n, at most 1000 s. (The caller also
/// keeps to about 10 retries a second over all parents.)
#[must_use]
pub fn backoff(failures: u32) -> Duration {
    Duration::from_millis(5)
        .saturating_mul(2_u32.saturating_pow(failures))
        .min(LONGEST)
}
