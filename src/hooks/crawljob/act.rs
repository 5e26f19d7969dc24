//! Tells the store what was decided: one write, in order, each part safe to repeat.
//!
//! Takes the observation and the effects; gives how many failed. It never changes an answer: what failed is decided again in
//! the next call, until its effect is observed.

use super::observe::store_address;
use super::observed::Observed;
use crate::outside::Outside;
use crate::outside::store::StoreWrite;
use crate::policy::CrawlPolicy;

/// Sends the writes; all of them count as failed when the store did not answer.
pub async fn act(observed: &Observed, effects: &[StoreWrite], policy: &CrawlPolicy, outside: &Outside) -> usize {
    if effects.is_empty() {
        return 0;
    }
    let Some(address) = store_address(observed, policy) else {
        return effects.len();
    };
    match outside.stores.write(&address, effects).await {
        Ok(()) => 0,
        Err(_) => effects.len(),
    }
}
