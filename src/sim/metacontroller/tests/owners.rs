//! Claiming children and collecting related objects.

use super::*;

fn selector() -> Result<Selector, SelectorFault> {
    Selector::of_parent(&parent())
}

fn owned(uid: &str) -> Value {
    let mut pod = existing("Pod", "a");
    pod["metadata"]["ownerReferences"] =
        json!([{"name": "rollcall-anchor", "uid": "a1"}, {"uid": uid, "controller": true}]);
    pod
}

#[test]
fn a_child_of_another_controller_is_not_shown() -> Fallible {
    assert_eq!(
        claim::claim(&parent(), &selector()?, &owned("other")),
        claim::Claim::NotOurs
    );
    assert_eq!(claim::claim(&parent(), &selector()?, &owned("p1")), claim::Claim::Ours);
    Ok(())
}

#[test]
fn a_matching_orphan_is_adopted_unless_it_or_the_parent_is_leaving() -> Fallible {
    let selector = selector()?;
    let orphan = existing("Pod", "a");
    assert_eq!(claim::claim(&parent(), &selector, &orphan), claim::Claim::Adopt);
    assert_eq!(
        claim::claim(&parent(), &selector, &deleted(orphan.clone())),
        claim::Claim::NotOurs
    );
    assert_eq!(
        claim::claim(&deleted(parent()), &selector, &orphan),
        claim::Claim::NotOurs
    );
    Ok(())
}

#[test]
fn a_child_that_no_longer_matches_is_released_unless_the_parent_is_leaving() -> Fallible {
    let mut drifted = owned("p1");
    drifted["metadata"]["labels"] = json!({});
    assert_eq!(claim::claim(&parent(), &selector()?, &drifted), claim::Claim::Release);
    assert_eq!(
        claim::claim(&deleted(parent()), &selector()?, &drifted),
        claim::Claim::NotOurs
    );
    Ok(())
}

#[test]
fn adopting_keeps_the_anchor_and_releasing_takes_only_us() {
    let adopted = claim::adopted(&existing("Pod", "a"), &parent());
    assert_eq!(claim::controller_of(&adopted), Some("p1"));
    let released = claim::released(&owned("p1"), &parent());
    assert_eq!(
        released["metadata"]["ownerReferences"],
        json!([{"name": "rollcall-anchor", "uid": "a1"}])
    );
}

#[test]
fn related_objects_are_those_the_rules_name_and_each_asked_kind_is_there() -> Fallible {
    let body = br#"{"relatedResources": [
        {"apiVersion": "v1", "resource": "configmaps", "namespace": "crawls", "names": ["rollcall-anchor"]},
        {"apiVersion": "v1", "resource": "pods", "labelSelector": {"matchLabels": {"x": "y"}}}]}"#;
    let (anchor, other) = (existing("ConfigMap", "rollcall-anchor"), existing("ConfigMap", "other"));
    let found = related::related(&related::decode(body)?, &kinds(), |kind| match kind.kind.as_str() {
        "ConfigMap" => vec![&anchor, &other],
        _ => Vec::new(),
    })?;
    assert_eq!(
        found["ConfigMap.v1"].keys().collect::<Vec<_>>(),
        ["crawls/rollcall-anchor"]
    );
    assert!(found["Pod.v1"].is_empty());
    assert!(related::decode(br#"{"relatedResources": [{"names": ["a"], "labelSelector": {}}]}"#).is_err());
    Ok(())
}
