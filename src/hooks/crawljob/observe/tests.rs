//! Whole calls: what is ours, what is related, and when the store is asked.

mod mutation;

use serde_json::{Value, json};

use super::{customize, gather, observe, store_address};
use crate::hooks::crawljob::observed::{Anchor, Observed};
use crate::hooks::crawljob::register::RegisterSeen;
use crate::hooks::crawljob::sample::policy;
use crate::observed::PodState;
use crate::outside::store::{StoreAddress, StoreReading, Unreachable};
use crate::outside::{Outside, Stores};
use crate::policy::CrawlPolicy;
use crate::request::sample::{KINDS, PARENT, by_name, call};
use crate::request::{CustomizeRequest, RelatedRule, SyncRequest};

fn gathered(body: &Value) -> Observed {
    let text = body.to_string();
    gather(&SyncRequest::read(text.as_bytes(), PARENT, &KINDS).unwrap(), &policy())
}

fn owned(name: &str, uid: &str) -> Value {
    json!({"metadata": {"name": name, "ownerReferences": [{"kind": "CrawlJob", "uid": uid, "controller": true}]}})
}

fn redis_pod() -> Value {
    json!({"metadata": {"name": "redis-news", "annotations": {"rollcall.dev/memory": "209715200"}},
        "status": {"phase": "Running", "podIP": "10.0.0.7", "containerStatuses": [{"name": "redis", "state": {"running": {}}}]}})
}

fn with_redis(change: impl FnOnce(&mut Value)) -> (Observed, Option<StoreAddress>) {
    let mut pod = redis_pod();
    change(&mut pod);
    let mut body = call();
    body["children"]["Pod.v1"] = by_name(&[pod]);
    let observed = gathered(&body);
    let address = store_address(&observed, &policy());
    (observed, address)
}

fn map(name: &str, namespace: &str, labels: &Value, data: &Value) -> Value {
    json!({"metadata": {"name": name, "namespace": namespace, "uid": format!("{name}-uid"), "labels": labels}, "data": data})
}

#[test]
fn t6_ephemeral_is_without_effect_where_crawlers_have_volumes() {
    let ephemeral = |claims: &[Value]| {
        let mut body = call();
        body["parent"]["spec"] = json!({"ephemeral": true, "config": {},
            "selector": {"matchLabels": {"rollcall.dev/crawl": "news"}}});
        body["children"]["PersistentVolumeClaim.v1"] = by_name(claims);
        gathered(&body).spec.unwrap().ephemeral
    };
    assert!(ephemeral(&[]));
    assert!(ephemeral(&[owned("crawl-news-0", "an earlier one")]), "another owner's");
    assert!(!ephemeral(&[owned("crawl-news-0", "news-uid")]));
}

#[test]
fn children_are_known_by_name_and_controller() {
    let mut body = call();
    body["children"]["Pod.v1"] = by_name(&[
        owned("crawl-news-10", "news-uid"),
        owned("crawl-news-2", "an earlier one"),
        json!({"metadata": {"name": "crawl-news-0"}}),
        owned("crawl-news-01", "news-uid"),
        owned("crawl-newspaper-0", "news-uid"),
    ]);
    body["children"]["PersistentVolumeClaim.v1"] = by_name(&[
        owned("crawl-news-0", "news-uid"),
        owned("redis-news", "news-uid"),
        owned("data", "news-uid"),
    ]);
    body["children"]["ConfigMap.v1"] = by_name(&[
        owned("crawl-config-news", "news-uid"),
        owned("crawl-ticket-news", "news-uid"),
        owned("notes", "news-uid"),
        owned("crawl-register-news", "an earlier one"),
    ]);
    let observed = gathered(&body);
    assert_eq!(observed.crawlers.keys().copied().collect::<Vec<_>>(), [0, 10]);
    assert_eq!(observed.volumes.keys().copied().collect::<Vec<_>>(), [0]);
    assert!(observed.redis.is_none() && observed.redis_volume.is_some());
    assert!(observed.config.is_some() && observed.ticket.is_some());
    assert_eq!(
        observed.register,
        RegisterSeen::Missing,
        "one of another parent is none"
    );
    let ignored: Vec<String> = observed
        .ignored
        .iter()
        .map(|(kind, name)| format!("{kind} {name}"))
        .collect();
    assert_eq!(ignored, ["Pod crawl-news-2", "ConfigMap crawl-register-news"]);
    assert_eq!(observed.strangers.pods, ["crawl-news-01", "crawl-newspaper-0"]);
    assert_eq!(observed.strangers.volumes[0].name, "data");
    assert_eq!(observed.strangers.config_maps[0].name, "notes");
}

#[test]
fn pods_carry_what_we_wrote_on_them() {
    let mut body = call();
    body["children"]["Pod.v1"] = by_name(&[
        json!({"metadata": {"name": "crawl-news-0", "annotations": {"rollcall.dev/restart-time": "2026-11-30T13:00:00+01:00",
            "rollcall.dev/workers": "3", "rollcall.dev/memory": "1Gi", "other": {"not": "a string"}}}}),
        json!({"metadata": {"name": "crawl-news-1", "annotations": {"rollcall.dev/workers": "many"}}}),
    ]);
    let observed = gathered(&body);
    let said = |index| {
        (
            observed.crawlers[&index].restart_time,
            observed.crawlers[&index].workers,
            observed.crawlers[&index].memory,
        )
    };
    assert_eq!(
        said(0),
        (Some("2026-11-30T12:00:00Z".parse().unwrap()), Some(3), Some(1 << 30))
    );
    assert_eq!(said(1), (None, None, None));
}

#[test]
fn the_store_is_asked_only_at_a_running_redis_with_an_address() {
    let (observed, address) = with_redis(|_| {});
    let address = address.unwrap();
    assert_eq!(
        (address.namespace.as_str(), address.job.as_str(), address.port),
        ("crawls", "news", 6379)
    );
    assert_eq!(
        (address.ip, observed.redis.unwrap().memory),
        ("10.0.0.7".parse().unwrap(), Some(200 << 20))
    );
    let not_running = |change: fn(&mut Value)| {
        let (observed, address) = with_redis(change);
        address.is_none() && observed.store == StoreReading::Unreachable(Unreachable::NotRunning)
    };
    assert!(not_running(|pod| pod["status"]["podIP"] = Value::Null));
    assert!(not_running(|pod| pod["status"]["phase"] = json!("Unknown")));
    assert!(not_running(|pod| pod["status"]["containerStatuses"] = json!([])));
    assert!(not_running(
        |pod| pod["metadata"]["deletionTimestamp"] = json!("2999-01-01T00:00:00Z")
    ));
    assert_eq!(gathered(&call()).store, StoreReading::Unreachable(Unreachable::NoPod));
}

#[test]
fn a_redis_pod_in_any_ended_phase_is_lost() {
    let (observed, _) = with_redis(|pod| pod["status"]["phase"] = json!("Succeeded"));
    assert_eq!(
        observed.redis.unwrap().pod.state,
        PodState::Lost("Succeeded".to_owned())
    );
}

#[tokio::test]
async fn a_store_that_is_switched_off_is_unreachable() {
    let mut body = call();
    body["children"]["Pod.v1"] = by_name(&[redis_pod()]);
    let text = body.to_string();
    let request = SyncRequest::read(text.as_bytes(), PARENT, &KINDS).unwrap();
    let observed = observe(
        &request,
        &policy(),
        &Outside {
            stores: Stores::Disabled,
        },
    )
    .await;
    assert_eq!(observed.store, StoreReading::Unreachable(Unreachable::Disabled));
}

#[test]
fn the_register_is_read_or_unreadable() {
    let register = |data: Value| {
        let mut body = call();
        body["children"]["ConfigMap.v1"] = by_name(&[map("crawl-register-news", "crawls", &json!({}), &data)]);
        gathered(&body).register
    };
    let state = r#"{"started":true,"files":{"lines":3,"count":3,"bytes":9}}"#;
    let RegisterSeen::Readable(read, map) = register(json!({"state.json": state})) else {
        panic!("unreadable")
    };
    assert_eq!(
        (read.state.started, read.state.files.lines, map.uid.as_str()),
        (true, 3, "crawl-register-news-uid")
    );
    assert!(matches!(register(Value::Null), RegisterSeen::Unreadable(_)));
}

#[test]
fn the_anchor_is_seen_by_name_in_the_parents_namespace() {
    let anchor = |name: &str, namespace: &str| {
        let mut body = call();
        body["related"]["ConfigMap.v1"] = by_name(&[map(name, namespace, &json!(null), &json!(null))]);
        gathered(&body).anchor
    };
    assert_eq!(
        anchor("rollcall-anchor", "crawls"),
        Anchor::Seen("rollcall-anchor-uid".to_owned())
    );
    assert_eq!(anchor("rollcall-anchor", "other"), Anchor::Missing);
    assert_eq!(anchor("another", "crawls"), Anchor::Missing);
}

#[test]
fn tickets_are_those_of_other_jobs_of_the_org() {
    let ticket = |job: &str, org: &str, role: &str, running: &str| {
        let labels = json!({"rollcall.dev/crawl": job, "rollcall.dev/org": org, "rollcall.dev/role": role});
        map(
            &format!("t-{job}-{org}-{role}"),
            "crawls",
            &labels,
            &json!({"created": "2026-11-30T12:00:00Z", "running": running}),
        )
    };
    let mut body = call();
    body["parent"]["spec"]["org"] = json!("acme");
    body["related"] = json!({"ConfigMap.v1": by_name(&[ticket("zoo", "acme", "ticket", "yes"), ticket("blog", "acme", "ticket", "no"),
        ticket("news", "acme", "ticket", "yes"), ticket("a", "other", "ticket", "yes"), ticket("b", "acme", "register", "yes")])});
    let tickets = gathered(&body).tickets;
    let seen: Vec<(&str, bool)> = tickets
        .iter()
        .map(|ticket| (ticket.job.as_str(), ticket.running))
        .collect();
    assert_eq!(seen, [("blog", false), ("zoo", true)]);
    assert!(tickets[0].created.is_some());
}

fn rules(change: impl FnOnce(&mut Value), policy: &CrawlPolicy) -> Vec<RelatedRule> {
    let mut body = call();
    change(&mut body);
    let text = body.to_string();
    customize(&CustomizeRequest::read(text.as_bytes(), PARENT).unwrap(), policy)
}

#[test]
fn customize_asks_for_the_anchor_and_only_limited_orgs_tickets() {
    let anchor = rules(|_| {}, &policy());
    let expected =
        json!([{"apiVersion": "v1", "resource": "configmaps", "namespace": "crawls", "names": ["rollcall-anchor"]}]);
    assert_eq!(serde_json::to_value(&anchor).unwrap(), expected);
    let acme = rules(|body| body["parent"]["spec"]["org"] = json!("acme"), &policy());
    let expected = json!({"apiVersion": "v1", "resource": "configmaps", "namespace": "crawls",
        "labelSelector": {"matchLabels": {"rollcall.dev/org": "acme", "rollcall.dev/role": "ticket"}}});
    assert_eq!(serde_json::to_value(&acme[1]).unwrap(), expected);
    assert_eq!(
        rules(|body| body["parent"]["spec"]["org"] = json!("free"), &policy()),
        anchor
    );
    let no_anchor = CrawlPolicy {
        anchor: None,
        ..policy()
    };
    assert_eq!(rules(|_| {}, &no_anchor), []);
}

#[test]
fn customize_depends_on_spec_and_identity_only() {
    let plain = rules(|body| body["parent"]["spec"]["org"] = json!("acme"), &policy());
    let later = rules(
        |body| {
            body["parent"]["spec"]["org"] = json!("acme");
            body["parent"]["status"] = json!({"state": "complete"});
            body["parent"]["metadata"]["labels"] = json!({"a": "b"});
            body["parent"]["metadata"]["deletionTimestamp"] = json!("2026-11-30T12:00:00Z");
        },
        &policy(),
    );
    assert_eq!(plain, later);
}
