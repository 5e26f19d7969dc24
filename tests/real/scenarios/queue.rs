//! Takes jobs of one org with a limit; gives as many at work as the limit says, the others waiting in order without pods.

use serde_json::{Value, json};

use super::Stage;
use crate::api::{CLAIM, CONFIG_MAP, POD};
use crate::oracle;
use crate::timeline::What;
use crate::wait::until;
use crate::world::{BOUND, World};

fn limit(jobs: u32) -> Value {
    json!({"orgs": {"perOrg": {"acme": jobs}}})
}

async fn crawl_of_acme(world: &World, name: &str, pages: u32) {
    let mut job = world.manifest(name, 2, pages, 60);
    job["spec"]["org"] = json!("acme");
    world.make(&job).await;
}

/// Waits until the job stands at this place and says so, and has nothing that works.
async fn stands(world: &World, name: &str, position: u32, ahead: u32) {
    let place = json!({"position": position, "ahead": ahead});
    world
        .wait_for_status(name, &format!("stands at {place}"), |status| {
            status["state"] == "waiting_org_limit" && status["queue"] == place
        })
        .await;
    for kind in [POD, CLAIM] {
        let has = world.objects(kind).list(&format!("rollcall.dev/crawl={name}")).await;
        assert!(has.is_empty(), "{name} waits and has {has:?}");
    }
}

/// Jobs of one second stand in the order of their names.
#[tokio::test]
async fn q1_one_of_three_works_and_the_others_wait_their_turn() {
    let stage = Stage::configured("queue", &limit(1)).await;
    let (world, timeline) = (&stage.world, &stage.timeline);
    crawl_of_acme(world, "first", 250).await;
    world.wait_for_state("first", "running").await;
    crawl_of_acme(world, "second", 20).await;
    stands(world, "second", 1, 1).await;
    crawl_of_acme(world, "third", 20).await;
    stands(world, "third", 2, 2).await;
    for (name, pages) in [("first", 250), ("second", 20), ("third", 20)] {
        world.wait_for_condition(name, "Complete").await;
        oracle::everything_saved(world, name, pages).await;
    }
    for (before, after) in [("first", "second"), ("second", "third")] {
        let over = (CONFIG_MAP, format!("crawl-register-{before}"), What::Verdict);
        let begun = (POD, format!("crawl-{after}-"), What::Here);
        timeline.assert_before((over.0, &over.1, over.2), (begun.0, &begun.1, begun.2));
    }
    let tickets = world.objects(CONFIG_MAP).list("rollcall.dev/role=ticket").await;
    assert!(tickets.is_empty(), "who is over has no ticket: {tickets:?}");
    world.report("three jobs of an org with a limit of one");
}

#[tokio::test]
async fn q1_who_has_pods_is_never_sent_back() {
    let mut stage = Stage::configured("sent-back", &limit(2)).await;
    let world = &stage.world;
    for (name, pages) in [("one", 300), ("two", 300)] {
        crawl_of_acme(world, name, pages).await;
        world.wait_for_state(name, "running").await;
    }
    crawl_of_acme(world, "three", 10).await;
    stands(world, "three", 1, 2).await;
    let at_work = |pods: &[(String, String)]| ["one", "two"].map(|name| pods.iter().any(|(pod, _)| pod.contains(name)));
    until("both have crawlers", BOUND, || async {
        (at_work(&world.running_pods("crawl-").await) == [true; 2]).then_some(())
    })
    .await;
    // Less room than is taken: nobody goes, nobody comes.
    stage.hook.kill();
    stage.hook.configure(&limit(1));
    stage.hook.start_again().await;
    let world = &stage.world;
    for (name, pages) in [("one", 300), ("two", 300), ("three", 10)] {
        world.wait_for_condition(name, "Complete").await;
        oracle::everything_saved(world, name, pages).await;
    }
    for name in ["one", "two"] {
        for index in 0..2 {
            assert_eq!(
                stage.timeline.pods_made(&format!("crawl-{name}-{index}")),
                1,
                "{name} was left alone"
            );
        }
        let register = format!("crawl-register-{name}");
        let over = (CONFIG_MAP, register.as_str(), What::Verdict);
        stage.timeline.assert_before(over, (POD, "crawl-three-", What::Here));
    }
}
