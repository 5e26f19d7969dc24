//! Takes a running crawl whose owner changes his mind; gives what was wished, and still loses nothing.

use serde_json::{Value, json};

use super::Stage;
use super::disturbed::{PAGES, ends_well, in_full_swing};
use crate::api::{CLAIM, POD};
use crate::kubelet::text;
use crate::node::now;
use crate::oracle;
use crate::timeline::What;
use crate::wait::until;
use crate::world::{BOUND, World};

#[tokio::test]
async fn a_paused_crawl_frees_its_pods_and_goes_on_later() {
    let stage = in_full_swing("paused").await;
    let world = &stage.world;
    world.wish("news", json!({"pausedAt": now()})).await;
    world.wait_for_state("news", "paused").await;
    until("no crawler pod is left", BOUND, || async {
        world.running_pods("crawl-").await.is_empty().then_some(())
    })
    .await;
    assert_eq!(world.objects(CLAIM).list("").await.len(), 3, "the volumes stay");
    oracle::nothing_lost(world);
    world.wish("news", json!({"pausedAt": null})).await;
    ends_well(&stage, "paused and resumed").await;
}

/// Waits until there are exactly so many crawler pods, and all of them run.
async fn crawlers(world: &World, count: usize) {
    until(&format!("{count} crawlers are there and run"), BOUND, || async {
        let pods = world.objects(POD).list("rollcall.dev/role=crawler").await;
        (pods.len() == count && world.running_pods("crawl-").await.len() == count).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_crawl_is_scaled_from_one_to_five_to_two() {
    let stage = Stage::set("scaled").await;
    let world = &stage.world;
    world.crawl("news", 1, 300, 80).await;
    world.wait_for_pages(3).await;
    let first = world.running_pods("crawl-").await;
    world.wish("news", json!({"scale": 5})).await;
    crawlers(world, 5).await;
    world.wish("news", json!({"scale": 2})).await;
    crawlers(world, 2).await;
    until("the volumes went from the top too", BOUND, || async {
        let claims = world.objects(CLAIM).list("rollcall.dev/role=crawler").await;
        let names: Vec<&Value> = claims.iter().map(|claim| &claim["metadata"]["name"]).collect();
        (names == ["crawl-news-0", "crawl-news-1"]).then_some(())
    })
    .await;
    oracle::nothing_lost(world);
    world.wait_for_condition("news", "Complete").await;
    oracle::everything_saved(world, "news", 300).await;
    stage.timeline.assert_before(
        (POD, "crawl-news-4", What::Gone),
        (CLAIM, "crawl-news-4", What::Leaving),
    );
    assert_eq!(
        stage.timeline.pods_made("crawl-news-"),
        5,
        "nobody was replaced: {first:?}"
    );
    world.report("scaled from 1 to 5 to 2");
}

#[tokio::test]
async fn a_crawl_at_scale_zero_rests_and_goes_on() {
    let stage = in_full_swing("zero").await;
    let world = &stage.world;
    world.wish("news", json!({"scale": 0})).await;
    world.wait_for_state("news", "paused").await;
    crawlers(world, 0).await;
    assert_eq!(world.objects(CLAIM).list("").await.len(), 3, "the volumes stay");
    oracle::nothing_lost(world);
    let visited = world.machine.account().visited.len();
    assert!(visited < PAGES as usize, "it rests in the middle");
    world.wish("news", json!({"scale": 2})).await;
    crawlers(world, 2).await;
    ends_well(&stage, "scaled from 2 to 0 to 2").await;
}

#[tokio::test]
async fn a_stopped_crawl_uploads_what_it_has() {
    let stage = in_full_swing("stopped").await;
    let world = &stage.world;
    world.wish("news", json!({"stopping": true})).await;
    world.wait_for_state("news", "stopped_by_user").await;
    let visited = world.machine.account().visited.len();
    assert!(visited < PAGES as usize, "it stopped early");
    oracle::everything_saved(world, "news", visited).await;
    world.report("stopped by its user");
}

#[tokio::test]
async fn a_restart_replaces_each_crawler_once() {
    let stage = in_full_swing("restarted").await;
    // Times have whole seconds: who was made in this one was not made before it.
    until("every pod was made before this second", BOUND, || async {
        let pods = stage.world.objects(POD).list("").await;
        let older = |pod: &Value| text(&pod["metadata"]["creationTimestamp"]) < now();
        pods.iter().all(older).then_some(())
    })
    .await;
    stage.world.wish("news", json!({"restartTime": now()})).await;
    ends_well(&stage, "restarted once").await;
    for index in 0..2 {
        assert_eq!(stage.timeline.pods_made(&format!("crawl-news-{index}")), 2);
    }
    assert_eq!(stage.timeline.pods_made("redis-news"), 1, "Redis is not restarted");
}
