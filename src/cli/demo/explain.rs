//! Why each child is kept, made or called back: the verdicts of the decision for one request, made once more beside the
//! service from the same bytes, time and stores. It tells nobody anything.

use crate::config::Config;
use crate::desired::Verdict;
use crate::hooks::Hook;
use crate::hooks::crawljob::CrawlJobHook;
use crate::observed::Timestamp;
use crate::outside::Outside;
use crate::request::SyncRequest;

/// The verdicts; none for a body that can't be read, which the service will say.
pub(super) async fn verdicts(body: &[u8], now: Timestamp, config: &Config, outside: &Outside) -> Vec<Verdict> {
    let Ok(request) = SyncRequest::read(body, CrawlJobHook::PARENT, CrawlJobHook::CHILD_KINDS) else {
        return Vec::new();
    };
    let observed = CrawlJobHook::observe(&request, &config.crawl, outside).await;
    CrawlJobHook::decide(&observed, now, &config.crawl).verdicts
}
