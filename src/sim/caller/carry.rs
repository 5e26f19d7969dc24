//! Carries out a plan against the simulated API server, swallowing what the caller swallows.

use serde_json::Value;

use crate::sim::api_server::{ApiServer, Key, WriteFault};
use crate::sim::clock::Millis;
use crate::sim::metacontroller::plan::{Plan, Step, drop_finalizer};
use crate::sim::metacontroller::text;

/// What one answer led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Writes that changed something.
    pub writes: Vec<Write>,
    /// What failed; any means the call is repeated.
    pub faults: Vec<String>,
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// A child was made.
    Create(Key),
    /// A child was patched.
    Update(Key),
    /// A child was deleted.
    Delete(Key),
    /// The status was replaced.
    Status,
    /// The finalizer was taken off.
    Finalizer,
}

pub(super) fn carry_out(
    now: Millis,
    api: &mut ApiServer,
    parent: &(Key, &Value),
    plan: &Plan,
    mut requeue: impl FnMut(Millis),
) -> Done {
    let mut done = Done {
        writes: Vec::new(),
        faults: plan.faults.clone(),
    };
    for step in &plan.steps {
        match step {
            Step::RequeueAfter(seconds) => requeue(now + span(*seconds)),
            Step::RemoveFinalizer(name) => {
                if on_same(api, parent, |current| drop_finalizer(current, name)) {
                    done.writes.push(Write::Finalizer);
                }
            }
            Step::WriteStatus(status) => {
                if on_same(api, parent, |current| {
                    current["status"] = Value::Object(status.clone());
                }) {
                    done.writes.push(Write::Status);
                }
            }
            Step::Delete { object } => {
                let key = Key::of(object);
                let outcome = api.delete(now, &key, Some(text(&object["metadata"], "uid")));
                note(&mut done, outcome, &[WriteFault::NotFound], Write::Delete(key));
            }
            Step::Create { object } => {
                let outcome = api.create(now, object).map(|_| true);
                note(
                    &mut done,
                    outcome,
                    &[WriteFault::AlreadyExists],
                    Write::Create(Key::of(object)),
                );
            }
            Step::Update { object } => {
                let outcome = api.replace(object).map(|()| true);
                let swallowed = [WriteFault::NotFound, WriteFault::Conflict];
                note(&mut done, outcome, &swallowed, Write::Update(Key::of(object)));
            }
        }
    }
    done
}

fn note(done: &mut Done, outcome: Result<bool, WriteFault>, swallowed: &[WriteFault], write: Write) {
    match outcome {
        Ok(true) => done.writes.push(write),
        Ok(false) => {}
        Err(fault) if swallowed.contains(&fault) => {}
        Err(fault) => done.faults.push(fault.to_string()),
    }
}

/// Changes the parent unless it is gone or another one of that name; whether anything changed.
fn on_same(api: &mut ApiServer, parent: &(Key, &Value), change: impl FnOnce(&mut Value)) -> bool {
    let (key, shown) = parent;
    let before = api.get(key).cloned();
    let same = before
        .as_ref()
        .is_some_and(|current| current["metadata"]["uid"] == shown["metadata"]["uid"]);
    same && api.edit(key, change).is_ok() && api.get(key) != before.as_ref()
}

fn span(seconds: f64) -> Millis {
    Millis::try_from(
        std::time::Duration::try_from_secs_f64(seconds)
            .unwrap_or_default()
            .as_millis(),
    )
    .unwrap_or(0)
}
