//! Which change wakes which parents: owners, matching orphans, related objects, the parent itself.

use serde_json::Value;

use super::Caller;
use crate::sim::api_server::{Change, Key};
use crate::sim::clock::Millis;
use crate::sim::metacontroller::claim::{controller_of, owners};
use crate::sim::metacontroller::selector::Selector;
use crate::sim::metacontroller::{Controller, terminating, text};
use crate::sim::queue::Parent;

impl Caller {
    /// One cache hears of one change; parents that it concerns are queued.
    pub fn deliver(&mut self, now: Millis, kind: &str) {
        let Some(change) = self.views.deliver(kind) else { return };
        let mut woken: Vec<Parent> = Vec::new();
        for (index, controller) in self.controllers.iter().enumerate() {
            let parents = self.concerned(controller, &change);
            woken.extend(parents.into_iter().map(|key| (index, key.namespace, key.name)));
        }
        for parent in woken {
            self.queue.add(now, parent);
        }
    }

    /// Parents that are called at the period of their controller, whatever happens.
    pub fn resync(&mut self, now: Millis, controller: usize) {
        let Some(kind) = self.controllers.get(controller).map(|found| found.parent.key()) else {
            return;
        };
        let keys: Vec<Key> = self.views.list(&kind).map(Key::of).collect();
        for key in keys {
            self.queue.add(now, (controller, key.namespace, key.name));
        }
    }

    fn concerned(&self, controller: &Controller, change: &Change) -> Vec<Key> {
        let mut keys = Vec::new();
        if change.key.kind == controller.parent.key() && parent_wakes(controller, change) {
            keys.push(change.key.clone());
        }
        if controller
            .children
            .iter()
            .any(|rule| rule.kind.key() == change.key.kind)
        {
            keys.extend(self.parents_of(controller, change));
        }
        keys.extend(self.parents_interested(controller, change));
        keys
    }

    fn parents_of(&self, controller: &Controller, change: &Change) -> Vec<Key> {
        let Some(child) = change.new.as_ref().or(change.old.as_ref()) else {
            return Vec::new();
        };
        let kind = controller.parent.key();
        if controller_of(child).is_some() {
            let owner = owners(child).find(|owner| owner["controller"] == Value::Bool(true));
            let of_kind = owner.filter(|owner| text(owner, "kind") == controller.parent.kind);
            let key = of_kind.map(|owner| Key::new(&kind, &change.key.namespace, text(owner, "name")));
            let known = key.filter(|key| {
                self.views
                    .get(key)
                    .is_some_and(|parent| Some(text(&parent["metadata"], "uid")) == controller_of(child))
            });
            return known.into_iter().collect();
        }
        if change.new.is_none() || terminating(child) {
            return Vec::new();
        }
        let parents = self.views.list(&kind).filter(|parent| {
            text(&parent["metadata"], "namespace") == change.key.namespace
                && Selector::of_parent(parent).is_ok_and(|selector| selector.matches(child))
        });
        parents.map(Key::of).collect()
    }

    /// Parents whose kept customize answer names the object, as it was or as it is.
    fn parents_interested(&self, controller: &Controller, change: &Change) -> Vec<Key> {
        let Some(kind) = self.kinds.iter().find(|kind| kind.key() == change.key.kind) else {
            return Vec::new();
        };
        let versions: Vec<&Value> = change.old.iter().chain(&change.new).collect();
        let parent_kind = controller.parent.key();
        let parents = self.views.list(&parent_kind).filter(|parent| {
            let rules = self.rules.get(&super::rules_key(parent)).map_or(&[][..], Vec::as_slice);
            rules
                .iter()
                .any(|rule| versions.iter().any(|object| rule.matches(kind, object)))
        });
        parents.map(Key::of).collect()
    }
}

fn parent_wakes(controller: &Controller, change: &Change) -> bool {
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => controller.wakes_on(old, new),
        (None, Some(_) | None) | (Some(_), None) => true,
    }
}
