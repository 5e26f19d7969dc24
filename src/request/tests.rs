//! Bodies that are read, and bodies that are refused.

use proptest::prelude::{any, proptest};
use serde_json::{Value, json};

use super::declared::Strategy;
use super::sample::{KINDS, PARENT, by_name, call};
use super::{CustomizeRequest, RequestFault, SyncRequest};

fn read(body: &str) -> Result<SyncRequest<'_>, RequestFault> {
    SyncRequest::read(body.as_bytes(), PARENT, &KINDS)
}

/// The fault of a call after one change.
fn fault(change: impl FnOnce(&mut Value)) -> Option<RequestFault> {
    let mut body = call();
    change(&mut body);
    read(&body.to_string()).err()
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "compared with the fault of a call, if it has one"
)]
fn wrong(path: &str) -> Option<RequestFault> {
    Some(RequestFault::WrongShape { path: path.to_owned() })
}

#[test]
fn a_call_without_children_is_read() {
    let body = call().to_string();
    let request = read(&body).unwrap();
    assert_eq!(&*request.parent().metadata.uid, "news-uid");
    assert!(request.pods().is_empty() && request.related_config_maps().is_empty() && !request.finalizing());
}

#[test]
fn old_and_new_keys_give_the_same_children() {
    let pod = json!({"metadata": {"name": "crawl-news-0"}});
    for key in ["crawl-news-0", "crawls/crawl-news-0", "", "something else"] {
        let mut body = call();
        body["children"]["Pod.v1"] = json!({key: pod});
        let body = body.to_string();
        assert_eq!(&*read(&body).unwrap().pods()[0].metadata.name, "crawl-news-0");
    }
}

#[test]
fn escaped_text_is_read() {
    let body = call().to_string().replace("news-uid", "n\\u0065ws-uid");
    assert_eq!(&*read(&body).unwrap().parent().metadata.uid, "news-uid");
}

#[test]
fn what_is_no_json_is_refused_with_a_position() {
    for body in ["", "{", "nonsense", "\u{feff}{}", "{\"parent\": \"\\ud800\"}"] {
        assert!(
            matches!(read(body), Err(RequestFault::NotJson { line: 0 | 1, .. })),
            "{body}"
        );
    }
    assert!(SyncRequest::read(b"{\"a\": \"\xff\"}", PARENT, &KINDS).is_err());
}

#[test]
fn a_wrong_shape_is_refused_with_its_path_and_without_its_content() {
    assert_eq!(read("[]").err(), wrong("the body"));
    assert_eq!(read("null").err(), wrong("the body"));
    assert_eq!(fault(|body| body["children"] = json!(["secret"])), wrong("children"));
    assert_eq!(fault(|body| body["children"] = Value::Null), wrong("children"));
    assert_eq!(
        fault(|body| body["parent"]["metadata"]["uid"] = Value::Null),
        wrong("parent.metadata.uid")
    );
    assert_eq!(fault(|body| body["finalizing"] = json!("secret")), wrong("finalizing"));
    let missing = fault(|body| drop(body["parent"]["metadata"].as_object_mut().unwrap().remove("namespace")));
    assert_eq!(missing, wrong("parent.metadata.namespace"));
    assert_eq!(
        fault(|body| drop(body.as_object_mut().unwrap().remove("controller"))),
        wrong("controller")
    );
    let nameless = fault(|body| body["children"]["Pod.v1"] = json!({"crawls/a b": {"metadata": {}}}));
    assert_eq!(nameless, wrong("children.Pod.v1.crawls/a?b.metadata.name"));
    let deep =
        fault(|body| body["children"]["Pod.v1"] = json!({"x": {"metadata": {"name": "x"}, "status": {"phase": 1}}}));
    assert_eq!(deep, wrong("children.Pod.v1.x.status.phase"));
}

#[test]
fn every_declared_kind_must_be_shown() {
    for (kind, resource) in KINDS.map(|kind| (kind.key, kind.resource)) {
        let missing = Some(RequestFault::MissingChildKind { kind, resource });
        assert_eq!(
            fault(|body| drop(body["children"].as_object_mut().unwrap().remove(kind))),
            missing
        );
        assert_eq!(fault(|body| body["children"][kind] = Value::Null), missing);
    }
    assert_eq!(fault(|body| body["children"]["Secret.v1"] = json!("whatever")), None);
}

#[test]
fn related_may_be_missing_or_null() {
    assert_eq!(fault(|body| body["related"] = Value::Null), None);
    assert_eq!(
        fault(|body| drop(body.as_object_mut().unwrap().remove("related"))),
        None
    );
}

#[test]
fn a_name_or_kind_that_comes_twice_is_refused() {
    let pod = json!({"metadata": {"name": "crawl-news-0"}});
    let twice = fault(|body| body["children"]["Pod.v1"] = json!({"a": pod, "b": pod}));
    assert_eq!(twice, wrong("children.Pod.v1"));
    let body = call().to_string().replace(
        "\"Pod.v1\":{}",
        "\"Pod.v1\":{\"a\":{\"metadata\":{\"name\":\"a\"}}},\"Pod.v1\":{}",
    );
    assert_eq!(read(&body).err(), wrong("children"));
    let body = call()
        .to_string()
        .replace("\"finalizing\":false", "\"finalizing\":false,\"finalizing\":true");
    assert_eq!(read(&body).err(), wrong("the body"));
}

#[test]
fn the_strategies_must_be_those_the_answers_are_made_for() {
    let wrong = |resource, found, needed| {
        Some(RequestFault::UpdateStrategy {
            resource,
            found,
            needed,
        })
    };
    let with = |at: usize, method: Value| {
        fault(|body| body["controller"]["spec"]["childResources"][at]["updateStrategy"]["method"] = method)
    };
    assert_eq!(with(0, json!("InPlace")), wrong("pods", "InPlace", Strategy::OnDelete));
    assert_eq!(
        with(1, json!("Recreate")),
        wrong("persistentvolumeclaims", "Recreate", Strategy::InPlace)
    );
    assert_eq!(
        with(2, json!("secret")),
        wrong("configmaps", "an unknown method", Strategy::InPlace)
    );
    assert_eq!(with(0, Value::Null), None, "metacontroller's default is OnDelete");
    assert_eq!(with(2, Value::Null), wrong("configmaps", "OnDelete", Strategy::InPlace));
    let gone = fault(|body| {
        body["controller"]["spec"]["childResources"]
            .as_array_mut()
            .unwrap()
            .remove(0);
    });
    assert_eq!(gone, wrong("pods", "nothing", Strategy::OnDelete));
}

#[test]
fn another_resource_is_refused() {
    let wrong = Some(RequestFault::WrongParent { needed: PARENT });
    assert_eq!(fault(|body| body["parent"]["kind"] = json!("Simulator")), wrong);
    assert_eq!(
        fault(|body| body["parent"]["apiVersion"] = json!("rollcall.dev/v2")),
        wrong
    );
    let body =
        json!({"parent": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b", "uid": "c"}}});
    assert_eq!(CustomizeRequest::read(body.to_string().as_bytes(), PARENT).err(), wrong);
}

#[test]
fn server_side_apply_is_refused_in_sync_and_not_in_finalize() {
    let applied = |manager: &str, operation: &str, finalizing: bool| {
        let fields = json!([{"manager": "kubelet", "operation": "Update", "fieldsV1": {}}, {"manager": manager, "operation": operation}]);
        fault(|body| {
            body["children"]["ConfigMap.v1"] = by_name(&[json!({"metadata": {"name": "m", "managedFields": fields}})]);
            body["finalizing"] = json!(finalizing);
        })
    };
    assert_eq!(
        applied("metacontroller", "Apply", false),
        Some(RequestFault::ServerSideApply)
    );
    assert_eq!(applied("metacontroller", "Apply", true), None);
    assert_eq!(applied("metacontroller", "Update", false), None);
    assert_eq!(applied("kubectl", "Apply", false), None);
}

#[test]
fn deep_and_wide_bodies_end_neither_the_stack_nor_in_a_panic() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(matches!(read(&deep), Err(RequestFault::WrongShape { .. })));
    let body = call()
        .to_string()
        .replace("\"related\":{}", &format!("\"extra\":{deep},\"related\":{{}}"));
    assert!(read(&body).is_ok(), "what no rule reads is skipped at any depth");
    let body = call().to_string().replace(
        "\"spec\":{\"config\"",
        &format!("\"status\":{deep},\"spec\":{{\"config\""),
    );
    assert!(read(&body).unwrap().parent().status.is_some());
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>()) {
        let _ = SyncRequest::read(&bytes, PARENT, &KINDS);
        let _ = CustomizeRequest::read(&bytes, PARENT);
    }
}
