//! Children that exist are answered as they are: claims (D3), ConfigMaps, references and the anchor on all of them (D7).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::hooks::crawljob::build::sample::{GIB, Sample, full, plain};
use crate::hooks::crawljob::build::{
    Role, config_map, crawler_pod, crawler_volume, existing_volume, pod_reference, redis_volume,
};
use crate::hooks::crawljob::observed::Anchor;
use crate::observed::{AnchorRef, ConfigMap, Volume, VolumePhase};

/// What the caller shows once it has made `claim` and the server has chosen a class.
fn once_observed(claim: &Value, class: &str, anchor: Option<AnchorRef>) -> Volume {
    Volume {
        name: claim["metadata"]["name"].as_str().unwrap().to_owned(),
        terminating: false,
        phase: VolumePhase::Pending,
        request: claim["spec"]["resources"]["requests"]["storage"]
            .as_str()
            .map(str::to_owned),
        request_bytes: None,
        capacity_bytes: None,
        class: Some(class.to_owned()),
        access_modes: vec!["ReadWriteOnce".to_owned()],
        volume_mode: Some("Filesystem".to_owned()),
        anchor,
    }
}

#[test]
fn d3_a_claim_is_answered_as_it_was_made_but_for_the_class_that_the_server_chose() {
    let sample = plain();
    let mut made = json!(crawler_volume(sample.recipe(), 3, 25 * GIB));
    let seen = once_observed(&made, "standard", None);
    let answered = json!(existing_volume(sample.identity(), Role::Crawler(3), &seen, None));
    made["spec"]["storageClassName"] = json!("standard");
    assert_eq!(answered, made);

    let mut made = json!(redis_volume(sample.recipe()));
    let seen = once_observed(&made, "standard", None);
    made["spec"]["storageClassName"] = json!("standard");
    assert_eq!(
        json!(existing_volume(sample.identity(), Role::Redis, &seen, None)),
        made
    );
}

#[test]
fn z2_only_growth_changes_the_request_of_a_claim() {
    let sample = full();
    let made = json!(crawler_volume(sample.recipe(), 0, 25 * GIB));
    let mut seen = once_observed(&made, "standard", None);
    seen.request = Some("25000000000".to_owned());
    let request = |grown| {
        let claim = json!(existing_volume(sample.identity(), Role::Crawler(0), &seen, grown));
        claim["spec"]["resources"]["requests"]["storage"].clone()
    };
    assert_eq!(request(None), "25000000000");
    assert_eq!(request(Some(63 * GIB)), "63Gi");
}

#[test]
fn d7_the_anchor_follows_when_seen_and_stays_as_it_is_when_not() {
    let mut sample = full();
    let carried = AnchorRef {
        name: "rollcall-anchor".to_owned(),
        uid: "old".to_owned(),
    };
    let made = json!(crawler_volume(sample.recipe(), 0, GIB));
    assert_eq!(made["metadata"]["ownerReferences"][0]["name"], "rollcall-anchor");
    assert!(made["metadata"]["ownerReferences"][0]["controller"].is_null());
    let seen = once_observed(&made, "standard", Some(carried));
    let uid = |sample: &Sample| {
        json!(existing_volume(sample.identity(), Role::Crawler(0), &seen, None))["metadata"]["ownerReferences"][0]["uid"]
            .clone()
    };
    assert_eq!(uid(&sample), "5d0ef3d4-0a70-4f63-8d6c-000000000001");
    for unseen in [Anchor::Missing, Anchor::Off] {
        sample.anchor = unseen;
        assert_eq!(uid(&sample), "old");
        assert!(json!(crawler_pod(sample.recipe(), 0, GIB))["metadata"]["ownerReferences"].is_null());
    }
}

#[test]
fn config_maps_are_answered_with_all_their_data_and_the_labels_of_their_role() {
    let sample = full();
    let observed = ConfigMap {
        name: "crawl-ticket-news".to_owned(),
        uid: "u".to_owned(),
        terminating: false,
        data: BTreeMap::new(),
        anchor: None,
    };
    let data = BTreeMap::from([("running".to_owned(), "yes".to_owned())]);
    let role = Role::Ticket { org: "acme".to_owned() };
    let map = json!(config_map(
        sample.identity(),
        role,
        observed.name.clone(),
        data,
        Some(&observed)
    ));
    assert_eq!(map["data"], json!({"running": "yes"}));
    assert_eq!(map["metadata"]["labels"]["rollcall.dev/org"], "acme");
    assert_eq!(map["metadata"]["labels"]["rollcall.dev/role"], "ticket");
    assert_eq!(map["metadata"]["labels"]["rollcall.dev/crawl"], "news");
}

#[test]
fn a_reference_names_the_pod_and_satisfies_the_selector() {
    let sample = full();
    let reference = pod_reference(sample.identity(), Role::Crawler(0), "crawl-news-0");
    assert_eq!(reference.name, "crawl-news-0");
    assert!(reference.labels.contains(&("rollcall.dev/crawl", "news".to_owned())));
}
