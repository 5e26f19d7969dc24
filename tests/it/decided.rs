//! One call at any instant, in both its forms: the answer through the real router, and the decision behind it with the
//! verdicts that no answer holds. Judges nothing.

use rollcall::app::{State, app};
use rollcall::clock::Clock;
use rollcall::desired::{Does, Verdict};
use rollcall::flow::Shell;
use rollcall::hooks::Hook;
use rollcall::hooks::crawljob::CrawlJobHook;
use rollcall::hooks::crawljob::decide::{Decision, decide};
use rollcall::observed::Timestamp;
use rollcall::outside::memory::MemoryStores;
use rollcall::outside::{Outside, Stores};
use rollcall::request::SyncRequest;
use serde_json::Value;

use crate::corpus::{Answer, built_in, send};

/// What one call came to.
pub(crate) struct Called {
    pub(crate) answer: Answer,
    /// None when the body is refused.
    pub(crate) decision: Option<Decision>,
}

/// Sends `body` where its `finalizing` says. The decision is made first: it only reads the store, the answer writes it.
pub(crate) async fn call(body: &Value, stores: &MemoryStores, now: Timestamp) -> Called {
    let bytes = serde_json::to_vec(body).expect("a body can be written");
    let stores = Stores::Memory(stores.clone());
    let decision = decision(&bytes, stores.clone(), now).await;
    Called {
        answer: send(app_at(now, stores), path(body), &bytes).await,
        decision,
    }
}

/// Where the caller sends this body.
pub(crate) fn path(body: &Value) -> &'static str {
    if body["finalizing"] == true {
        "/crawljob/finalize"
    } else {
        "/crawljob/sync"
    }
}

/// The product at this instant, as configured by default.
pub(crate) fn app_at(now: Timestamp, stores: Stores) -> axum::Router {
    let shell = Shell {
        clock: Clock::Frozen(now),
        outside: Outside { stores },
    };
    app(State::new(built_in().clone(), shell))
}

async fn decision(bytes: &[u8], stores: Stores, now: Timestamp) -> Option<Decision> {
    let request = SyncRequest::read(bytes, CrawlJobHook::PARENT, CrawlJobHook::CHILD_KINDS).ok()?;
    let policy = &built_in().crawl;
    let observed = CrawlJobHook::observe(&request, policy, &Outside { stores }).await;
    Some(decide(&observed, now, policy))
}

/// The verdicts that leave a child out.
pub(crate) fn called_back(decision: &Decision) -> impl Iterator<Item = &Verdict> {
    let verdicts = decision.verdicts.iter();
    verdicts.filter(|verdict| matches!(verdict.does, Does::CallBack | Does::Ignore))
}
