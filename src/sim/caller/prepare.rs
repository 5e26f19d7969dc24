//! Everything before a call: finalizer, claims, related objects, body.

use serde_json::Value;

use super::{Call, Caller, Flight, rules_key};
use crate::sim::api_server::{ApiServer, Key};
use crate::sim::metacontroller::claim::{self, Claim};
use crate::sim::metacontroller::selector::Selector;
use crate::sim::metacontroller::{Controller, HookCall, Objects, related, request, terminating, text};
use crate::sim::queue::Parent;

impl Caller {
    /// Finalizer, claims, related objects, body. `None`: not ours to care about. `Err`: to be repeated.
    pub(super) fn prepare(&mut self, queued: &Parent, api: &mut ApiServer) -> Result<Option<Call>, ()> {
        let controller = self.controllers.get(queued.0).ok_or(())?.clone();
        let key = Key::new(&controller.parent.key(), &queued.1, &queued.2);
        let Some(parent) = self.views.get(&key).filter(|parent| controller.cares(parent)).cloned() else {
            return Ok(None);
        };
        let parent = with_finalizer(&controller, &key, parent, api)?;
        let selector = Selector::of_parent(&parent).map_err(|_| ())?;
        let children = self.claimed(&controller, &parent, &selector, api)?;
        let flight = |children| Flight {
            queued: queued.clone(),
            parent: parent.clone(),
            children,
        };
        let call = |hook, body, flight| Call {
            hook,
            controller: text(&controller.object["metadata"], "name").to_owned(),
            body,
            parent: queued.2.clone(),
            flight,
        };
        let related = match self.rules.get(&rules_key(&parent)) {
            None if controller.customizes => {
                let body = request::customize_body(&controller, &parent);
                return Ok(Some(call(HookCall::Customize, body, flight(Objects::new()))));
            }
            None => Objects::new(),
            Some(rules) => {
                related::related(rules, &self.kinds, |kind| self.views.list(&kind.key()).collect()).map_err(|_| ())?
            }
        };
        let body = request::sync_body(&controller, &parent, &children, &related);
        Ok(Some(call(controller.hook(&parent), body, flight(children))))
    }

    /// The children as the caches show them; adopting and releasing is written on the way.
    fn claimed(
        &self,
        controller: &Controller,
        parent: &Value,
        selector: &Selector,
        api: &mut ApiServer,
    ) -> Result<Objects, ()> {
        let namespace = text(&parent["metadata"], "namespace");
        let mut ours = Vec::new();
        for rule in &controller.children {
            for child in self.views.list(&rule.kind.key()) {
                if text(&child["metadata"], "namespace") != namespace {
                    continue;
                }
                match claim::claim(parent, selector, child) {
                    Claim::Ours => ours.push(child),
                    Claim::NotOurs => {}
                    Claim::Release => rewrite(api, child, |current| claim::released(current, parent)),
                    Claim::Adopt => {
                        can_adopt(parent, api)?;
                        rewrite(api, child, |current| claim::adopted(current, parent));
                        ours.push(child);
                    }
                }
            }
        }
        Ok(request::children(controller, ours))
    }
}

fn with_finalizer(controller: &Controller, key: &Key, parent: Value, api: &mut ApiServer) -> Result<Value, ()> {
    let Some(ours) = controller
        .finalizer
        .as_ref()
        .filter(|_| controller.wants_finalizer(&parent))
    else {
        return Ok(parent);
    };
    let same = api
        .get(key)
        .is_some_and(|current| current["metadata"]["uid"] == parent["metadata"]["uid"]);
    if !same {
        return Err(());
    }
    api.edit(key, |current| add_finalizer(current, ours)).map_err(|_| ())?;
    api.get(key).cloned().ok_or(())
}

/// Puts a finalizer on an object.
pub(in crate::sim) fn add_finalizer(object: &mut Value, name: &str) {
    if object["metadata"]["finalizers"].is_null() {
        object["metadata"]["finalizers"] = Value::Array(Vec::new());
    }
    if let Some(list) = object["metadata"]["finalizers"].as_array_mut()
        && !list.iter().any(|finalizer| finalizer == name)
    {
        list.push(Value::from(name));
    }
}

/// Adopting needs a fresh read of the parent that still lives.
fn can_adopt(parent: &Value, api: &ApiServer) -> Result<(), ()> {
    let fresh = api.get(&Key::of(parent)).ok_or(())?;
    if terminating(fresh) || fresh["metadata"]["uid"] != parent["metadata"]["uid"] {
        Err(())
    } else {
        Ok(())
    }
}

/// Read, change, write of a child that still is the one the cache showed.
fn rewrite(api: &mut ApiServer, shown: &Value, change: impl FnOnce(&Value) -> Value) {
    let key = Key::of(shown);
    let same = api
        .get(&key)
        .is_some_and(|current| current["metadata"]["uid"] == shown["metadata"]["uid"]);
    if same {
        // Gone meanwhile is fine: there is nothing left to own.
        let _ = api.edit(&key, |current| *current = change(current));
    }
}
