//! Takes a crawl in each state and deletes it; gives the same end every time: crawlers are told, Redis goes after them,
//! volumes after the pods, ConfigMaps last, and nothing is made meanwhile or left over (T1 to T4).

use std::time::Duration;

use serde_json::{Value, json};

use super::Stage;
use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, Kind, POD};
use crate::node::now;
use crate::timeline::What;
use crate::wait::until;
use crate::world::{BOUND, World, delete, is_gone};

/// How a state is reached.
struct Case {
    name: &'static str,
    state: &'static str,
    /// What is changed in the spec of a crawl before it is made.
    made: fn(&mut Value),
    /// Wished once it works.
    wish: Option<fn() -> Value>,
    /// What is left of it when it is deleted.
    left: Left,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// A Redis that can be told.
    Store,
    /// Only the register: it is over.
    Register,
    /// ConfigMaps: it never had pods.
    Maps,
}

const CASES: [Case; 10] = [
    case("starting", "starting", stuck),
    case("waiting", "waiting_capacity", stuck),
    case("running", "running", |spec| spec["scale"] = json!(2)),
    Case {
        wish: Some(|| json!({"pausedAt": now()})),
        ..case("pausing", "pausing", |spec| {
            spec["config"]["pageExtraDelay"] = json!(4000)
        })
    },
    Case {
        wish: Some(|| json!({"pausedAt": now()})),
        ..case("paused", "paused", |_| {})
    },
    case("generating", "generate-wacz", |spec| long_step(spec, "generate-wacz")),
    case("uploading", "uploading-wacz", |spec| long_step(spec, "uploading-wacz")),
    Case {
        left: Left::Maps,
        ..case("queued", "waiting_org_limit", |spec| spec["org"] = json!("nobody"))
    },
    Case {
        left: Left::Register,
        ..case("complete", "complete", |spec| spec["config"]["limit"] = json!(3))
    },
    Case {
        left: Left::Register,
        ..case("failed", "failed", |spec| spec["config"]["seeds"] = json!([]))
    },
];

const fn case(name: &'static str, state: &'static str, made: fn(&mut Value)) -> Case {
    Case {
        name,
        state,
        made,
        wish: None,
        left: Left::Store,
    }
}

/// Its crawlers never start: the Secret is not there.
fn stuck(spec: &mut Value) {
    spec["storage"]["secretName"] = json!("not-there");
}

/// Three pages, and then a step that lasts until the pod is to go.
fn long_step(spec: &mut Value, step: &str) {
    spec["config"]["limit"] = json!(3);
    spec["config"]["slowStep"] = json!(step);
}

#[tokio::test]
async fn t1_a_deletion_ends_alike_in_every_state() {
    // The org's only place is taken by a job that is never over.
    let more = json!({"crawl": {"startingSeconds": 12}, "orgs": {"perOrg": {"nobody": 1}}});
    let stage = Stage::configured("cancel", &more).await;
    let mut first = stage.world.manifest("first", 1, 10_000, 1000);
    first["spec"]["org"] = json!("nobody");
    stage.world.make(&first).await;
    stage.world.wait_for_state("first", "running").await;
    futures_util::future::join_all(CASES.iter().map(|case| end(&stage, case))).await;
    stage.world.report("ten crawls deleted");
}

async fn end(stage: &Stage, case: &Case) {
    let (world, name) = (&stage.world, case.name);
    reach(world, case).await;
    let told = match case.left {
        Left::Store => Some(told(world, name).await),
        Left::Register | Left::Maps => None,
    };
    let jobs = world.objects(CRAWL_JOB);
    delete(&jobs, name).await;
    if let Some(told) = told {
        assert!(
            told.await.expect("it looks"),
            "{name}: its crawlers were told before Redis went"
        );
    }
    let gone = tokio::time::timeout(
        BOUND,
        until("the job is gone", BOUND * 2, || async {
            is_gone(&jobs, name).await.then_some(())
        }),
    );
    assert!(gone.await.is_ok(), "{name} does not go\n{}", world.picture(name).await);
    let left = world.children(name).await;
    assert!(left.is_empty(), "{name} is gone and leaves {left:#?}");
    in_order(stage, case);
}

/// Makes it and waits for its state.
async fn reach(world: &World, case: &Case) {
    let name = case.name;
    let mut job = world.manifest(name, 1, 400, 80);
    (case.made)(&mut job["spec"]);
    world.make(&job).await;
    if let Some(wish) = case.wish {
        world
            .wait_for_status(name, "works", |status| status["pagesDone"].as_u64() > Some(0))
            .await;
        world.wish(name, wish()).await;
    }
    world.wait_for_state(name, case.state).await;
    if case.left == Left::Store {
        // No pod is on its way any more: what an answer before the deletion asked for may still come after it.
        let crawlers = if case.state == "paused" {
            Some(0)
        } else {
            job["spec"]["scale"].as_u64()
        };
        until(&format!("{name} has its pods"), BOUND, || async {
            let selector = format!("rollcall.dev/crawl={name},rollcall.dev/role=crawler");
            let pods = world.objects(POD).list(&selector).await;
            let redis = world.running_pods(&format!("redis-{name}")).await;
            (u64::try_from(pods.len()).ok() == crawlers && redis.len() == 1).then_some(())
        })
        .await;
    }
    if case.left == Left::Register {
        until(&format!("only the register of {name} is left"), BOUND, || async {
            (world.children(name).await.len() == 1).then_some(())
        })
        .await;
    }
}

/// Starts to look at the crawl's Redis until it goes; gives whether the crawlers could read there that it is canceled.
async fn told(world: &World, name: &str) -> tokio::task::JoinHandle<bool> {
    let mut connection = world.redis(name).await;
    let key = format!("{name}:canceled");
    let look = async move {
        loop {
            match redis::cmd("GET")
                .arg(&key)
                .query_async::<Option<String>>(&mut connection)
                .await
            {
                Ok(Some(value)) if value == "1" => return true,
                Ok(_) => tokio::time::sleep(Duration::from_millis(2)).await,
                Err(_) => return false,
            }
        }
    };
    tokio::spawn(async { tokio::time::timeout(BOUND, look).await.unwrap_or(false) })
}

/// T1 and T2, as the API server saw it.
fn in_order(stage: &Stage, case: &Case) {
    let (timeline, name) = (&stage.timeline, case.name);
    let (crawlers, redis) = (format!("crawl-{name}-"), format!("redis-{name}"));
    let register = format!("crawl-register-{name}");
    let before = |first: (Kind, &str, What), then: (Kind, &str, What)| timeline.assert_before(first, then);
    if case.left == Left::Store {
        before((POD, &crawlers, What::Gone), (POD, &redis, What::Leaving));
        for claim in [&crawlers, &redis] {
            before((POD, &redis, What::Gone), (CLAIM, claim, What::Leaving));
            before((CLAIM, claim, What::Leaving), (CONFIG_MAP, &register, What::Leaving));
        }
    }
    before((CONFIG_MAP, &register, What::Leaving), (CRAWL_JOB, name, What::Gone));
    let marked = timeline.of(CRAWL_JOB, name, What::Leaving);
    assert_eq!(marked.len(), 1, "{name} was deleted once");
    for (kind, prefix) in [
        (POD, &crawlers),
        (POD, &redis),
        (CLAIM, &crawlers),
        (CLAIM, &redis),
        (CONFIG_MAP, &register),
    ] {
        let late = timeline
            .of(kind, prefix, What::Here)
            .into_iter()
            .find(|made| *made > marked[0]);
        assert_eq!(
            late, None,
            "{name}: {} {prefix} was made during the deletion",
            kind.kind
        );
    }
}
