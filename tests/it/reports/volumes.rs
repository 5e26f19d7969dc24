//! Volumes: always together with their pod, in the words the server stores, and never on a guess.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::seen::Seen;
use super::states::{running, status, unschedulable};

const CLAIM: &str = "PersistentVolumeClaim";

fn claim_of(seen: &Seen, name: &str) -> Value {
    let claim = seen.child(CLAIM, name);
    assert!(claim.is_object(), "{name} is not listed");
    claim
}

/// What the server, the binder and the caller add to a claim.
fn grown_in_the_cluster(mut claim: Value) -> Value {
    let applied = claim.to_string();
    let meta = &mut claim["metadata"];
    meta["uid"] = "5c1".into();
    meta["resourceVersion"] = "77".into();
    meta["creationTimestamp"] = "2026-11-30T12:00:00Z".into();
    meta["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    meta["managedFields"] =
        json!([{"manager": "kube-controller-manager", "operation": "Update", "fieldsV1": {"f:status": {}}}]);
    meta["annotations"] =
        json!({"metacontroller.k8s.io/last-applied-configuration": applied, "pv.kubernetes.io/bind-completed": "yes"});
    meta["ownerReferences"] = json!([{"apiVersion": "rollcall.dev/v1", "kind": "CrawlJob", "name": "news", "uid": super::call::JOB, "controller": true}]);
    claim["spec"]["volumeName"] = "pvc-5c1".into();
    claim["spec"]["storageClassName"] = "standard".into();
    claim["status"] = json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "25Gi"}});
    claim
}

/// Handing back what was observed makes server-filled fields wanted ones.
#[tokio::test]
async fn b07_a_claim_is_answered_as_it_was_made() {
    let call = Call::new()
        .register(json!({"started": false, "marked": false}))
        .spec("scale", 1);
    let made = claim_of(&call.ask().await, "crawl-news-0");
    let observed = grown_in_the_cluster(made.clone());
    // The design adds the class that the server chose (D3): leaving it out would take it away.
    let mut expected = made;
    expected["spec"]["storageClassName"] = "standard".into();
    let child = |call: Call| call.child(CLAIM, observed.clone());
    let hold = json!({"flushed": true});
    let situations = [
        ("sync", child(Call::at_work(1))),
        ("finalize", child(Call::at_work(1)).finalizing()),
        (
            "teardown",
            child(Call::at_work(1)).register(json!({"result": "complete"})),
        ),
        (
            "unusable spec",
            child(Call::at_work(1)).spec("crawlerChannel", "none such"),
        ),
        (
            "no register",
            child(Call::at_work(1)).without("ConfigMap", "crawl-register-news"),
        ),
        (
            "orphan",
            child(Call::at_work(1))
                .finalizing()
                .meta("finalizers", json!(["orphan"])),
        ),
        ("paused", child(Call::at_work(1)).spec("scale", 0).register(hold)),
        ("waiting", child(Call::at_work(1)).crawler(0, unschedulable())),
    ];
    for (what, call) in situations {
        let seen = call.ask().await;
        assert_eq!(claim_of(&seen, "crawl-news-0"), expected, "{what}");
        for name in [
            "resourceVersion",
            "volumeName",
            "managedFields",
            "last-applied",
            "bind-completed",
            "uid-of-news",
        ] {
            assert!(
                !seen.answer["children"].to_string().contains(name),
                "{what}: {name} is wanted"
            );
        }
    }
}

/// A size in another unit than the one the server rounded to looked like a change, or like shrinking.
#[tokio::test]
async fn c20_sizes_are_compared_by_value_and_written_as_they_are() {
    let sized = |request: &str, capacity: &str| {
        let (request, capacity) = (request.to_owned(), capacity.to_owned());
        move |claim: &mut Value| {
            claim["spec"]["resources"]["requests"]["storage"] = request.into();
            claim["status"]["capacity"]["storage"] = capacity.into();
        }
    };
    let storage = |seen: &Seen| claim_of(seen, "crawl-news-0")["spec"]["resources"]["requests"]["storage"].clone();
    for (request, capacity) in [
        ("15675Mi", "16Gi"),
        ("16436428800", "16Gi"),
        ("15.3076171875Gi", "16436428800"),
        ("16051200Ki", "17179869184"),
        ("16Gi", "16Gi"),
    ] {
        // A register that grew it to less, or to the same in another notation (Z2).
        for grown in [Value::Null, json!(16_436_428_800_u64), json!(1_u64 << 30)] {
            for wish in ["15675Mi", "1Gi", "200Gi"] {
                let register = json!({"instances": {"0": {"storage": grown}}});
                let call = Call::at_work(1)
                    .spec("resources", json!({"storage": wish}))
                    .register(register);
                let call = call.edit(CLAIM, "crawl-news-0", sized(request, capacity));
                let seen = call.ask().await;
                assert_eq!(storage(&seen), request, "{capacity} {grown} {wish}");
                assert_eq!(
                    storage(&seen.next().ask().await),
                    request,
                    "{capacity} {grown} {wish}: stable"
                );
            }
        }
    }
    let register = json!({"instances": {"0": {"storage": 50_u64 << 30}}});
    for (request, capacity, answered) in [
        ("25Gi", "25Gi", "50Gi"),
        ("60Gi", "60Gi", "60Gi"),
        ("51200Mi", "50Gi", "51200Mi"),
        ("25Gi", "100Gi", "25Gi"),
    ] {
        let call = Call::at_work(1)
            .register(register.clone())
            .edit(CLAIM, "crawl-news-0", sized(request, capacity));
        assert_eq!(storage(&call.ask().await), answered, "{request} of {capacity}");
    }
}

/// A claim that is leaving still says Bound. No pod may start on it; one that runs on it is left alone.
#[tokio::test]
async fn c22_a_leaving_claim_holds_back_a_new_pod_and_leaves_a_running_one_alone() {
    let call = Call::at_work(1).terminating(CLAIM, "crawl-news-0");
    let seen = call.ask().await;
    assert_eq!(
        (seen.leaves_out().as_str(), seen.makes().as_str(), seen.state()),
        ("", "", "running")
    );
    for phase in ["Bound", "Lost", "Pending"] {
        let empty = call
            .clone()
            .without("Pod", "crawl-news-0")
            .edit(CLAIM, "crawl-news-0", |claim| claim["status"]["phase"] = phase.into());
        let seen = empty.ask().await;
        assert_eq!((seen.leaves_out().as_str(), seen.makes().as_str()), ("", ""), "{phase}");
        assert!(seen.wake() > 0 && seen.goes_on(), "{phase}");
        let seen = empty.without(CLAIM, "crawl-news-0").ask().await;
        assert_eq!(
            seen.makes(),
            "PVC/crawl-news-0 Pod/crawl-news-0",
            "{phase}: both, once it is gone"
        );
    }
    let redis = Call::at_work(1).terminating(CLAIM, "redis-news");
    assert_eq!(redis.ask().await.leaves_out(), "");
    let seen = redis.without("Pod", "redis-news").ask().await;
    assert_eq!(
        (seen.makes().as_str(), seen.wake() > 0),
        ("", true),
        "Redis waits as well"
    );
    for claim in ["crawl-news-0", "redis-news"] {
        let seen = Call::new()
            .claim(claim)
            .terminating(CLAIM, claim)
            .finalizing()
            .ask()
            .await;
        assert!(!seen.finalized(), "{claim} is there");
    }
}

/// A claim vanished, and only its pod was made again, which then waited for ever.
#[tokio::test]
async fn c24_a_pod_that_waits_gets_its_volume_again() {
    for pod in [json!({"phase": "Pending"}), unschedulable()] {
        let seen = Call::at_work(1)
            .crawler(0, pod.clone())
            .without(CLAIM, "crawl-news-0")
            .ask()
            .await;
        assert_eq!(
            (seen.makes().as_str(), seen.leaves_out().as_str()),
            ("PVC/crawl-news-0", ""),
            "{pod}"
        );
        let seen = Call::at_work(1)
            .redis_pod(pod.clone())
            .without(CLAIM, "redis-news")
            .ask()
            .await;
        assert_eq!(seen.makes(), "PVC/redis-news", "{pod}");
    }
    let gone = Call::at_work(1)
        .without("Pod", "crawl-news-0")
        .without(CLAIM, "crawl-news-0")
        .ask()
        .await;
    assert_eq!(gone.makes(), "PVC/crawl-news-0 Pod/crawl-news-0");
    let replaced = [
        ("restart", Call::at_work(1).spec("restartTime", "2026-11-30T12:30:00Z")),
        ("lost", Call::at_work(1).crawler(0, json!({"phase": "Failed"}))),
    ];
    for (reason, call) in replaced {
        let seen = call.ask().await;
        assert_eq!(seen.leaves_out(), "Pod/crawl-news-0", "{reason}: its volume stays");
        claim_of(&seen, "crawl-news-0");
    }
    let kept = Kept::marked()
        .pages(9, 3)
        .entry(0, "interrupted")
        .size(0, 0)
        .flag("paused");
    let paused = Call::at_work(1)
        .spec("pausedAt", "2026-11-30T12:45:00Z")
        .kept(kept)
        .crawler(0, status("Succeeded", &json!({})));
    let seen = paused.ask().await;
    assert_eq!(seen.leaves_out(), "Pod/crawl-news-0", "paused");
    claim_of(&seen, "crawl-news-0");
    let ephemeral = Call::at_work(1)
        .spec("ephemeral", true)
        .without(CLAIM, "crawl-news-0")
        .crawler(0, running());
    assert_eq!(ephemeral.ask().await.makes(), "", "a job without volumes gets none");
}
