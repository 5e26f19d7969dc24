//! Takes a running crawl whose owner changes his mind; gives what was wished, and still loses nothing.

use serde_json::{Value, json};

use super::Stage;
use super::disturbed::{PAGES, ends_well, in_full_swing};
use crate::api::{CLAIM, CRAWL_JOB, POD};
use crate::oracle;
use crate::wait::until;
use crate::world::BOUND;

impl Stage {
    async fn wish(&self, spec: Value) {
        let jobs = self.world.objects(CRAWL_JOB);
        jobs.merge("news", &json!({"spec": spec}))
            .await
            .expect("the wish is accepted");
    }
}

#[tokio::test]
async fn a_paused_crawl_frees_its_pods_and_goes_on_later() {
    let stage = in_full_swing("paused").await;
    let world = &stage.world;
    stage.wish(json!({"pausedAt": crate::node::now()})).await;
    world.wait_for_state("news", "paused").await;
    until("no crawler pod is left", BOUND, || async {
        world.running_pods("crawl-").await.is_empty().then_some(())
    })
    .await;
    assert_eq!(world.objects(CLAIM).list("").await.len(), 3, "the volumes stay");
    oracle::nothing_lost(world);
    stage.wish(json!({"pausedAt": null})).await;
    ends_well(&stage, "paused and resumed").await;
}

#[tokio::test]
async fn a_crawl_is_scaled_up_and_down() {
    let stage = in_full_swing("scaled").await;
    let world = &stage.world;
    stage.wish(json!({"scale": 4})).await;
    until("four crawlers run", BOUND, || async {
        (world.running_pods("crawl-").await.len() == 4).then_some(())
    })
    .await;
    stage.wish(json!({"scale": 1})).await;
    until("one crawler is left", BOUND, || async {
        let pods = world.objects(POD).list("rollcall.dev/crawl=news").await;
        let crawlers = pods.iter().filter(|pod| {
            pod["metadata"]["name"]
                .as_str()
                .is_some_and(|name| name.starts_with("crawl-"))
        });
        (crawlers.count() == 1).then_some(())
    })
    .await;
    oracle::nothing_lost(world);
    world.wait_for_condition("news", "Complete").await;
    oracle::everything_saved(world, "news", PAGES as usize).await;
    world.report("scaled from 2 to 4 to 1");
}

#[tokio::test]
async fn a_stopped_crawl_uploads_what_it_has() {
    let stage = in_full_swing("stopped").await;
    let world = &stage.world;
    stage.wish(json!({"stopping": true})).await;
    world.wait_for_state("news", "stopped_by_user").await;
    let visited = world.machine.account().visited.len();
    assert!(visited < PAGES as usize, "it stopped early");
    oracle::everything_saved(world, "news", visited).await;
    world.report("stopped by its user");
}

#[tokio::test]
async fn a_restart_replaces_each_crawler_once() {
    let stage = in_full_swing("restarted").await;
    stage.wish(json!({"restartTime": crate::node::now()})).await;
    ends_well(&stage, "restarted once").await;
    for index in 0..2 {
        assert_eq!(stage.timeline.pods_made(&format!("crawl-news-{index}")), 2);
    }
    assert_eq!(stage.timeline.pods_made("redis-news"), 1, "Redis is not restarted");
}
