//! What one answer must keep, by number. Takes a drawn call with its answers; each function gives what is wrong.

mod protocol;
mod safety;

use std::collections::BTreeMap;

use rollcall::desired::{Does, Verdict};
use rollcall::hooks::crawljob::decide::Decision;
use rollcall::outside::Stores;
use rollcall::outside::memory::MemoryStores;
use serde_json::{Value, json};

use super::scene::Scene;
use crate::corpus::{Answer, send};
use crate::decided::{app_at, call, path};
use crate::judge::{FINAL, Name, listed, observed, register};

pub(super) use protocol::*;
pub(super) use safety::*;

/// What a check says.
type Held = Result<(), String>;

/// One drawn call, and everything that was asked about it.
pub(super) struct Case {
    scene: Scene,
    body: Value,
    answer: Answer,
    decision: Option<Decision>,
    /// The same call again, with a store of its own.
    again: Answer,
    /// The same call to an instance that answered another one before.
    used: Answer,
    /// The same call without its status.
    amnesic: Answer,
    /// A finalize call that shows no child.
    emptied: Answer,
    before: Value,
    after: Value,
    /// The store once the effects were written a second time.
    repeated: Value,
    shown: BTreeMap<Name, Value>,
    listed: BTreeMap<Name, Value>,
    register: Value,
}

impl Case {
    pub(super) async fn of(scene: &Scene) -> Self {
        let (body, now, stores) = (scene.body(), scene.now(), scene.stores());
        let before = stores.snapshot("crawls", "news");
        let called = call(&body, &stores, now).await;
        let after = stores.snapshot("crawls", "news");
        repeat(called.decision.as_ref(), &stores).await;
        let (mut amnesic, mut emptied) = (body.clone(), body.clone());
        amnesic["parent"].as_object_mut().unwrap().remove("status");
        // Of another job, so that what it writes is in another store.
        emptied["parent"]["metadata"]["name"] = json!("other");
        emptied["finalizing"] = json!(true);
        emptied["children"] = json!({"Pod.v1": {}, "PersistentVolumeClaim.v1": {}, "ConfigMap.v1": {}});
        let router = || app_at(now, Stores::Memory(scene.stores()));
        let ask = async |router, body: &Value| send(router, path(body), &serde_json::to_vec(body).unwrap()).await;
        let (again, amnesic) = (ask(router(), &body).await, ask(router(), &amnesic).await);
        let used = router();
        let (emptied, used) = (ask(used.clone(), &emptied).await, ask(used, &body).await);
        let answered = called.answer.status == 200;
        Self {
            used,
            repeated: stores.snapshot("crawls", "news"),
            shown: observed(&body),
            listed: if answered {
                listed(&called.answer.json())
            } else {
                BTreeMap::new()
            },
            register: register(&body),
            scene: scene.clone(),
            answer: called.answer,
            decision: called.decision,
            again,
            amnesic,
            emptied,
            before,
            after,
            body,
        }
    }

    fn answered(&self) -> bool {
        self.answer.status == 200
    }

    fn finalizing(&self) -> bool {
        self.body["finalizing"] == true
    }

    /// The register is there, can be read, and holds a final result.
    fn over(&self) -> bool {
        let because_of_status = FINAL
            .iter()
            .any(|state| self.body["parent"]["status"]["state"] == *state);
        because_of_status || FINAL.iter().any(|state| self.register["result"] == *state)
    }

    /// The children that are left out, each with its verdict.
    fn left_out(&self) -> impl Iterator<Item = &Verdict> {
        let verdicts = self.decision.iter().flat_map(|decision| &decision.verdicts);
        verdicts.filter(|verdict| verdict.does == Does::CallBack)
    }

    /// Observed pods of ours by name, crawlers only when asked so.
    fn pods(&self, crawlers_only: bool) -> impl Iterator<Item = (&str, &Value)> {
        let pods = self.shown.iter().filter(move |((kind, name), child)| {
            kind == "Pod" && !is_foreign(child) && (!crawlers_only || name.starts_with("crawl-"))
        });
        pods.map(|((_, name), pod)| (name.as_str(), pod))
    }

    fn index(name: &str) -> u64 {
        name.rsplit('-')
            .next()
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(u64::MAX)
    }
}

/// Its controller is another object.
fn is_foreign(child: &Value) -> bool {
    let owners = child["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    owners.into_iter().any(|owner| owner["uid"] == "other")
}

/// Present, whatever its value; null is as good as absent.
fn is_leaving(child: &Value) -> bool {
    !child["metadata"]["deletionTimestamp"].is_null()
}

async fn repeat(decision: Option<&Decision>, stores: &MemoryStores) {
    let Some(decision) = decision else { return };
    let address = rollcall::outside::store::StoreAddress {
        namespace: "crawls".to_owned(),
        job: "news".to_owned(),
        ip: std::net::Ipv4Addr::LOCALHOST.into(),
        port: 6379,
    };
    // A store that can't be told is told nothing, the second time too.
    let _ = Stores::Memory(stores.clone()).write(&address, &decision.effects).await;
}

/// Nothing is wrong, or this.
fn holds(is_so: bool, otherwise: impl FnOnce() -> String) -> Held {
    if is_so { Ok(()) } else { Err(otherwise()) }
}
