//! Takes definitions of kinds; gives them served by the API server that all tests share. Every test needs the CrawlJob kind
//! and holds a share of it while its world lives; the one that takes the kind away holds it alone.

use kube::Client;
use serde_json::Value;
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::api::{CRD, Objects, is_conflict};
use crate::kubelet::text;
use crate::wait::until;
use crate::world::BOUND;

static CRAWL_JOBS: RwLock<()> = RwLock::const_new(());

/// The right to use the kind, and with nobody else there, to remove it.
pub(crate) enum Share {
    One { _held: RwLockReadGuard<'static, ()> },
    All { _held: RwLockWriteGuard<'static, ()> },
}

impl Share {
    pub(crate) async fn one() -> Self {
        let held = CRAWL_JOBS.read().await;
        Self::One { _held: held }
    }

    pub(crate) async fn all() -> Self {
        let held = CRAWL_JOBS.write().await;
        Self::All { _held: held }
    }
}

/// Our kinds as they are shipped: what `rollcall crds` prints.
pub(crate) async fn serve_ours(client: &Client) {
    for definition in rollcall::api::crds() {
        serve(client, &serde_json::to_value(definition).expect("a CRD is JSON")).await;
    }
}

/// Makes the definition unless it is there and waits until the kind is served: for a moment it answers 404 or 429.
pub(crate) async fn serve(client: &Client, definition: &Value) {
    if let Err(error) = Objects::new(client, CRD, "").create(definition).await {
        assert!(is_conflict(&error), "the definition is refused: {error}");
    }
    let spec = &definition["spec"];
    let version = text(&spec["versions"][0]["name"]);
    let path = format!(
        "/apis/{}/{version}/{}",
        text(&spec["group"]),
        text(&spec["names"]["plural"])
    );
    until(&format!("{path} is served"), BOUND, || async {
        let request = axum::http::Request::get(&path).body(Vec::new()).expect("a request");
        client.request::<Value>(request).await.ok().map(|_| ())
    })
    .await;
}
