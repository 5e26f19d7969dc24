//! The queue of an org (rules Q): a ticket for each job that is not over, and pods only for those whose ticket runs.
//!
//! Takes the job's ticket and those of the others; keeps the ticket and says whether pods may be made. A job with any pod or
//! volume is never sent back.

use std::collections::BTreeMap;

use super::roll::Roll;
use super::sight::Sight;
use crate::api::v1::crawljob_status::QueueStatus;
use crate::observed::time::whole_seconds;
use crate::policy::CrawlPolicy;

/// Concurrent crawls of the job's org; unset = no limit (Q1).
fn limit(sight: &Sight<'_>) -> Option<u32> {
    org_limit(sight.policy, sight.spec.org.as_deref()?)
}

/// Concurrent crawls of an org; unset = no limit.
pub(in super::super) fn org_limit(policy: &CrawlPolicy, org: &str) -> Option<u32> {
    let limit = policy
        .org_max_concurrent
        .get(org)
        .copied()
        .unwrap_or(policy.max_concurrent);
    (limit > 0).then_some(limit)
}

/// Q1: pods may be made: there is no limit, the ticket was observed running, or the job has something already.
pub(super) fn granted(sight: &Sight<'_>) -> bool {
    limit(sight).is_none() || runs(sight) || sight.observed.has_pods_or_volumes()
}

/// The ticket, while the job is not over (Q1). A job with an unusable spec never comes here, so it takes no place (Q2).
pub(super) fn ticket(sight: &Sight<'_>, roll: &mut Roll<'_>) {
    let (Some(org), Some(limit)) = (sight.spec.org.as_deref(), limit(sight)) else {
        if let Some(map) = &sight.observed.ticket {
            roll.drop_config_map(map, "Q1", "its org has no limit");
        }
        return;
    };
    let observed = sight.observed.ticket.is_some();
    let its_turn = observed && ahead(sight) < limit;
    let running = runs(sight) || sight.observed.has_pods_or_volumes() || its_turn;
    let created = sight.observed.job.created.map(whole_seconds).unwrap_or_default();
    let data = BTreeMap::from([
        ("created".to_owned(), created),
        ("org".to_owned(), org.to_owned()),
        ("running".to_owned(), if running { "yes" } else { "no" }.to_owned()),
    ]);
    roll.ticket(org, data);
}

/// The place in the queue, while waiting.
pub(super) fn place(sight: &Sight<'_>) -> Option<QueueStatus> {
    if granted(sight) {
        return None;
    }
    let waiting = waiting_ahead(sight);
    Some(QueueStatus {
        position: waiting.saturating_add(1),
        ahead: ahead(sight),
    })
}

/// W1: what this answer says in the ticket decides, and is not observed yet.
pub(super) fn awaits_ticket(sight: &Sight<'_>) -> bool {
    let Some(limit) = limit(sight).filter(|_| !granted(sight)) else {
        return false;
    };
    sight.observed.ticket.is_none() || ahead(sight) < limit
}

fn runs(sight: &Sight<'_>) -> bool {
    let ticket = sight.observed.ticket.as_ref();
    ticket
        .and_then(|map| map.data.get("running"))
        .is_some_and(|running| running == "yes")
}

/// Running tickets of others, and waiting ones ahead.
fn ahead(sight: &Sight<'_>) -> u32 {
    let running = sight.observed.tickets.iter().filter(|ticket| ticket.running).count();
    u32::try_from(running)
        .unwrap_or(u32::MAX)
        .saturating_add(waiting_ahead(sight))
}

/// Waiting tickets that are older, then by name.
fn waiting_ahead(sight: &Sight<'_>) -> u32 {
    let own = (sight.observed.job.created, sight.observed.job.name.as_str());
    let waiting = sight.observed.tickets.iter().filter(|ticket| !ticket.running);
    let count = waiting
        .filter(|ticket| (ticket.created, ticket.job.as_str()) < own)
        .count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
