//! Hand-written cases of the merge.

use super::*;
use serde_json::json;

fn observed_with(last: &Value, rest: &Value) -> Value {
    let mut object = rest.clone();
    object["metadata"]["annotations"][LAST_APPLIED] = Value::String(last.to_string());
    object
}

#[test]
fn a_key_we_set_before_and_no_longer_want_is_removed() {
    let merged = merge(&json!({"a": 1, "b": 2}), &json!({"a": 1, "b": 2}), &json!({"a": 1}));
    assert_eq!(merged, json!({"a": 1}));
}

#[test]
fn a_key_of_somebody_else_is_kept() {
    let merged = merge(&json!({"a": 1, "theirs": {"x": 1}}), &json!({"a": 1}), &json!({"a": 2}));
    assert_eq!(merged, json!({"a": 2, "theirs": {"x": 1}}));
}

#[test]
fn a_value_that_others_changed_is_set_back() {
    assert_eq!(
        merge(&json!({"a": 9}), &json!({"a": 1}), &json!({"a": 1})),
        json!({"a": 1})
    );
}

#[test]
fn lists_of_objects_merge_by_name_and_keep_the_observed_order() {
    let observed =
        json!([{"name": "theirs", "v": 0}, {"name": "gone", "v": 1}, {"name": "a", "v": 1, "defaulted": true}]);
    let last = json!([{"name": "gone", "v": 1}, {"name": "a", "v": 1}]);
    let desired = json!([{"name": "new", "v": 3}, {"name": "a", "v": 2}]);
    assert_eq!(
        merge(&observed, &last, &desired),
        json!([{"name": "theirs", "v": 0}, {"name": "a", "v": 2, "defaulted": true}, {"name": "new", "v": 3}])
    );
}

#[test]
fn the_first_fitting_key_of_the_list_wins() {
    let observed = json!([{"name": "http", "port": 80, "kept": 1}]);
    let desired = json!([{"name": "web", "port": 80}]);
    assert_eq!(
        merge(&observed, &Value::Null, &desired),
        json!([{"name": "web", "port": 80, "kept": 1}])
    );
}

#[test]
fn a_list_whose_items_share_no_key_is_replaced() {
    let merged = merge(
        &json!([{"key": "a"}, {"name": "b"}]),
        &Value::Null,
        &json!([{"name": "c"}]),
    );
    assert_eq!(merged, json!([{"name": "c"}]));
    assert_eq!(merge(&json!(["x"]), &Value::Null, &json!(["y"])), json!(["y"]));
}

#[test]
fn owners_merge_by_name_so_that_two_of_one_name_become_one() {
    let observed = json!([{"name": "news", "uid": "parent"}]);
    let merged = merge(&observed, &Value::Null, &json!([{"name": "news", "uid": "anchor"}]));
    assert_eq!(merged, json!([{"name": "news", "uid": "anchor"}]));
}

#[test]
fn null_replaces_a_scalar_and_empties_what_we_set_of_an_object() {
    assert_eq!(
        merge(&json!({"a": 1}), &json!({}), &json!({"a": null})),
        json!({"a": null})
    );
    let merged = merge(
        &json!({"m": {"ours": 1, "theirs": 2}}),
        &json!({"m": {"ours": 1}}),
        &json!({"m": null}),
    );
    assert_eq!(merged, json!({"m": {"theirs": 2}}));
}

#[test]
fn a_value_of_another_type_counts_as_empty() {
    assert_eq!(
        merge(&json!({"m": {"theirs": 2}}), &Value::Null, &json!({"m": "text"})),
        json!({"m": {"theirs": 2}})
    );
}

#[test]
fn an_equal_answer_writes_nothing() -> Result<(), ApplyFault> {
    let desired = json!({"kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "<v>"}});
    let mut observed = created(&desired)?;
    observed["metadata"]["uid"] = json!("u");
    observed["metadata"]["resourceVersion"] = json!("7");
    assert_eq!(updated(&observed, &desired)?, observed);
    Ok(())
}

#[test]
fn a_bare_reference_wipes_what_we_wrote() -> Result<(), ApplyFault> {
    let full = json!({"kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
    let after = updated(
        &created(&full)?,
        &json!({"kind": "ConfigMap", "metadata": {"name": "a"}}),
    )?;
    assert!(after.get("data").is_none());
    Ok(())
}

#[test]
fn server_fields_and_status_stay_as_observed() -> Result<(), ApplyFault> {
    let observed = json!({"metadata": {"name": "a", "uid": "u", "resourceVersion": "3"}, "status": {"phase": "Bound"}});
    let desired = json!({"metadata": {"name": "a", "uid": "other", "generation": 4}, "status": {"phase": "Lost"}});
    let after = updated(&observed, &desired)?;
    assert_eq!(after["metadata"]["uid"], "u");
    assert!(after["metadata"].get("generation").is_none());
    assert_eq!(after["status"]["phase"], "Bound");
    Ok(())
}

#[test]
fn annotations_over_the_limit_are_refused_and_at_the_limit_are_not() {
    let key = LAST_APPLIED.len();
    let fits = observed_with(
        &json!("x".repeat(MAX_ANNOTATION_BYTES - key - 2)),
        &json!({"metadata": {}}),
    );
    assert_eq!(check_annotations(&fits), Ok(()));
    let long = observed_with(
        &json!("x".repeat(MAX_ANNOTATION_BYTES - key - 1)),
        &json!({"metadata": {}}),
    );
    assert_eq!(
        check_annotations(&long),
        Err(ApplyFault::TooLong {
            bytes: MAX_ANNOTATION_BYTES + 1
        })
    );
    assert!(created(&json!({"metadata": {}, "data": "x".repeat(MAX_ANNOTATION_BYTES)})).is_err());
}

#[test]
fn an_unreadable_annotation_fails_the_write() {
    let broken = json!({"metadata": {"annotations": {LAST_APPLIED: "[1]"}}});
    assert!(matches!(updated(&broken, &json!({})), Err(ApplyFault::LastApplied(_))));
}
