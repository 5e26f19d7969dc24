//! Related objects: which ones to ask for, and what they say. The anchor by name, the org's tickets by label (D7, Q1).

use std::collections::BTreeMap;

use crate::api::v1::crawljob_names::{LABEL_CRAWL, LABEL_ORG, LABEL_ROLE};
use crate::hooks::crawljob::observed::{Anchor, Ticket};
use crate::hooks::crawljob::spec::Spec;
use crate::observed::time;
use crate::policy::CrawlPolicy;
use crate::request::text::value_of;
use crate::request::{CustomizeRequest, LabelSelector, RawConfigMap, RelatedRule, SyncRequest};

/// Value of [`LABEL_ROLE`] on tickets.
const ROLE_TICKET: &str = "ticket";

/// Which other objects a call should show. A function of spec and identity only, because the caller keeps the answer
/// for minutes; an unusable spec has no org.
#[must_use]
pub fn customize(request: &CustomizeRequest<'_>, policy: &CrawlPolicy) -> Vec<RelatedRule> {
    let parent = request.parent();
    let namespace = || Some(parent.metadata.namespace.to_string());
    let raw = parent.spec.map_or("null", serde_json::value::RawValue::get);
    let org = Spec::read(&parent.metadata.name, raw, policy)
        .ok()
        .and_then(|spec| spec.org);
    let anchor = policy.anchor.as_ref().map(|name| RelatedRule {
        api_version: "v1",
        resource: "configmaps",
        label_selector: None,
        namespace: namespace(),
        names: vec![name.clone()],
    });
    let tickets = org.filter(|org| limit(org, policy) > 0).map(|org| RelatedRule {
        api_version: "v1",
        resource: "configmaps",
        label_selector: Some(LabelSelector {
            match_labels: BTreeMap::from([
                (LABEL_ORG.to_owned(), org),
                (LABEL_ROLE.to_owned(), ROLE_TICKET.to_owned()),
            ]),
        }),
        namespace: namespace(),
        names: Vec::new(),
    });
    anchor.into_iter().chain(tickets).collect()
}

/// Concurrent crawls of an org; 0 = no limit.
fn limit(org: &str, policy: &CrawlPolicy) -> u32 {
    policy
        .org_max_concurrent
        .get(org)
        .copied()
        .unwrap_or(policy.max_concurrent)
}

/// Tickets of other jobs of the org, in the order of their jobs' names.
pub(super) fn tickets(request: &SyncRequest<'_>, org: Option<&str>) -> Vec<Ticket> {
    let Some(org) = org else { return Vec::new() };
    let mut tickets: Vec<Ticket> = near(request).filter_map(|map| ticket(map, org)).collect();
    tickets.retain(|ticket| ticket.job != *request.parent().metadata.name);
    tickets.sort_by(|a, b| a.job.cmp(&b.job));
    tickets
}

fn ticket(map: &RawConfigMap<'_>, org: &str) -> Option<Ticket> {
    let labels = &map.metadata.labels;
    if value_of(labels, LABEL_ROLE) != Some(ROLE_TICKET) || value_of(labels, LABEL_ORG) != Some(org) {
        return None;
    }
    Some(Ticket {
        job: value_of(labels, LABEL_CRAWL)?.to_owned(),
        created: value_of(&map.data, "created").and_then(time::read),
        running: value_of(&map.data, "running") == Some("yes"),
    })
}

/// The anchor. One that is leaving is no anchor any more.
pub(super) fn anchor(request: &SyncRequest<'_>, policy: &CrawlPolicy) -> Anchor {
    let Some(name) = policy.anchor.as_deref() else {
        return Anchor::Off;
    };
    let seen = near(request).find(|map| &*map.metadata.name == name && !map.metadata.terminating);
    match seen.and_then(|map| map.metadata.uid.as_deref()) {
        Some(uid) if !uid.is_empty() => Anchor::Seen(uid.to_owned()),
        Some(_) | None => Anchor::Missing,
    }
}

/// Related ConfigMaps of the parent's namespace.
fn near<'r, 'a>(request: &'r SyncRequest<'a>) -> impl Iterator<Item = &'r RawConfigMap<'a>> {
    let namespace: &str = &request.parent().metadata.namespace;
    request
        .related_config_maps()
        .iter()
        .filter(move |map| map.metadata.namespace.as_deref() == Some(namespace))
}
