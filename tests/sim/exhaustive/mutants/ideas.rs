//! The wrong ideas themselves. Each takes what is seen, or the answer to it, and spoils it.

use std::sync::atomic::{AtomicBool, Ordering};

use rollcall::desired::{Child, Finalized};
use rollcall::hooks::crawljob::decide::Decision;
use rollcall::hooks::crawljob::observed::Observed;
use rollcall::hooks::crawljob::register::{Register, RegisterSeen};
use rollcall::hooks::crawljob::spec::Storage;
use rollcall::outside::store::{Entry, StoreReading, StoreView};

use super::super::call::{Target, target};

pub(super) fn other_order(_: &Observed, decision: &mut Decision) {
    static ODD: AtomicBool = AtomicBool::new(false);
    if ODD.fetch_xor(true, Ordering::Relaxed) {
        decision.children.reverse();
    }
}

pub(super) fn saved_is_done(observed: &mut Observed) {
    if let Ok(spec) = &mut observed.spec {
        spec.storage.get_or_insert(Storage {
            secret: "storage-default".to_owned(),
            path: None,
            filename: None,
        });
    }
}

/// Leaves out the children of this kind; no verdict says so.
fn leave_out(decision: &mut Decision, out: impl Fn(Target) -> bool) {
    decision.children.retain(|child| !out(target(child)));
}

pub(super) fn no_redis_volume(observed: &Observed, decision: &mut Decision) {
    let done = store(observed).is_some_and(|view| view.files.total > 0);
    if done {
        leave_out(decision, |one| one == Target::RedisVolume);
    }
}

pub(super) fn all_at_once(observed: &Observed, decision: &mut Decision) {
    let scale = observed.spec.as_ref().map_or(0, |spec| spec.scale as usize);
    if decision.verdicts.iter().any(|verdict| verdict.rule == "C2") {
        leave_out(decision, |one| match one {
            Target::Crawler(index) | Target::CrawlerVolume(index) => index >= scale,
            Target::Redis | Target::RedisVolume | Target::Config | Target::Register => false,
        });
        for verdict in &mut decision.verdicts {
            if verdict.kind == "PersistentVolumeClaim" {
                verdict.rule = "C3";
                verdict.does = rollcall::desired::Does::CallBack;
            }
        }
    }
}

pub(super) fn kill_to_stop(observed: &Observed, decision: &mut Decision) {
    if observed.spec.as_ref().is_ok_and(|spec| spec.stopping) {
        leave_out(decision, |one| matches!(one, Target::Crawler(_)));
    }
}

pub(super) fn nothing_leaves(observed: &mut Observed) {
    for volume in observed.volumes.values_mut().chain(&mut observed.redis_volume) {
        volume.terminating = false;
    }
}

/// Changes the register that is answered.
fn rewrite(decision: &mut Decision, change: impl Fn(&mut Register)) {
    for child in &mut decision.children {
        if target(child) != Target::Register {
            continue;
        }
        if let Child::ConfigMap(map) = child {
            let mut register = super::super::call::read(map);
            change(&mut register);
            map.data = Some(rollcall::hooks::crawljob::register::encode(&register, "{}"));
        }
    }
}

pub(super) fn forget_renewed(observed: &Observed, decision: &mut Decision) {
    let known = readable(observed).is_some_and(|register| register.state.renewed);
    rewrite(decision, |register| register.state.renewed &= !known);
}

pub(super) fn trust_the_status(observed: &Observed, decision: &mut Decision) {
    if observed.previous.state.is_none() && readable(observed).is_some() {
        decision.children.retain(|child| !matches!(child, Child::Pod(_)));
    }
}

pub(super) fn skip_lines(observed: &mut Observed) {
    let total = store(observed).map_or(0, |view| view.files.total);
    let hash = store(observed).and_then(|view| view.files.first_hash.clone());
    if let RegisterSeen::Readable(register, _) = &mut observed.register {
        register.state.files.lines = total;
        register.state.files.first_hash = hash;
    }
    if let StoreReading::Reachable(view) = &mut observed.store {
        view.files.from = total;
        view.files.lines.clear();
    }
}

pub(super) fn finalized_early(observed: &Observed, decision: &mut Decision) {
    if observed.finalizing && observed.crawlers.is_empty() && observed.redis.is_none() {
        decision.finalized = Finalized::Yes;
    }
}

pub(super) fn no_order(observed: &Observed, decision: &mut Decision) {
    if observed.finalizing {
        decision.children.clear();
    }
}

pub(super) fn silence_is_empty(observed: &mut Observed) {
    let StoreReading::Unreachable(_) = observed.store else {
        return;
    };
    let started = readable(observed).is_some_and(|register| register.state.started);
    if started {
        observed.store = StoreReading::Reachable(Box::new(super::super::show::empty_store()));
    }
}

pub(super) fn missing_is_done(observed: &mut Observed) {
    let present: Vec<u32> = observed.crawlers.keys().copied().collect();
    if let StoreReading::Reachable(view) = &mut observed.store {
        for (index, entry) in &mut view.entries {
            if !present.contains(index) {
                *entry = Entry::Done;
            }
        }
    }
}

pub(super) fn interrupted_is_failed(observed: &mut Observed) {
    if let StoreReading::Reachable(view) = &mut observed.store {
        for entry in view.entries.values_mut() {
            if *entry == Entry::Interrupted {
                *entry = Entry::Failed;
            }
        }
    }
}

pub(super) fn no_register(observed: &Observed, decision: &mut Decision) {
    if observed.crawlers.is_empty() && readable(observed).is_some_and(|register| register.state.result.is_some()) {
        leave_out(decision, |one| one == Target::Register);
    }
}

pub(super) fn never_again(observed: &Observed, decision: &mut Decision) {
    if observed.volumes.values().next().is_some() {
        decision
            .children
            .retain(|child| !matches!(child, Child::Pod(_)) || target(child) == Target::Redis);
    }
}

fn store(observed: &Observed) -> Option<&StoreView> {
    match &observed.store {
        StoreReading::Reachable(view) => Some(view),
        StoreReading::Unreachable(_) => None,
    }
}

fn readable(observed: &Observed) -> Option<&Register> {
    match &observed.register {
        RegisterSeen::Readable(register, _) => Some(register),
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => None,
    }
}
