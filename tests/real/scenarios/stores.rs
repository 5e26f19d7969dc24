//! Takes a crawl whose Redis comes to harm; gives the same end as without it. What Redis holds lies on its volume, what it
//! does not answer is unknown, never nothing.

use std::time::Duration;

use super::disturbed::{ends_well, in_full_swing};
use crate::api::POD;
use crate::kubelet::Order;
use crate::wait::until;
use crate::world::{BOUND, delete};

#[tokio::test]
async fn a_killed_redis_comes_back_with_everything() {
    let stage = in_full_swing("redis-killed").await;
    stage.world.kubelet.order("redis-news", Order::Kill);
    ends_well(&stage, "Redis killed once").await;
    assert_eq!(stage.timeline.pods_made("crawl-news-"), 2, "the crawlers waited for it");
}

#[tokio::test]
async fn a_deleted_redis_pod_is_made_again_on_its_volume() {
    let stage = in_full_swing("redis-deleted").await;
    delete(&stage.world.objects(POD), "redis-news").await;
    ends_well(&stage, "the Redis pod deleted once").await;
    assert_eq!(stage.timeline.pods_made("redis-news"), 2);
    assert_eq!(stage.timeline.pods_made("crawl-news-"), 2, "the crawlers waited for it");
}

#[tokio::test]
async fn a_frozen_redis_concludes_nothing() {
    let stage = in_full_swing("redis-frozen").await;
    let world = &stage.world;
    world.kubelet.order("redis-news", Order::Freeze);
    let unreachable = |status: &serde_json::Value| {
        let is =
            |condition: &serde_json::Value| condition["type"] == "StoreReachable" && condition["status"] == "False";
        status["conditions"]
            .as_array()
            .is_some_and(|conditions| conditions.iter().any(is))
    };
    world
        .wait_for_status("news", "says that the store does not answer", unreachable)
        .await;
    let pods = world.running_pods("").await;
    assert_eq!(pods.len(), 3, "every pod is kept meanwhile: {pods:?}");
    world.kubelet.order("redis-news", Order::Thaw);
    ends_well(&stage, "Redis frozen once").await;
    assert_eq!(stage.timeline.pods_made(""), 3, "no pod was replaced");
}

#[tokio::test]
async fn a_crawler_killed_for_its_memory_goes_on_with_more() {
    let stage = in_full_swing("memory").await;
    let world = &stage.world;
    let request = |pod: &serde_json::Value| pod["spec"]["containers"][0]["resources"]["requests"]["memory"].clone();
    let before = request(&world.objects(POD).get("crawl-news-1").await.expect("it runs"));
    world.kubelet.order("crawl-news-1", Order::OutOfMemory);
    until("its pod asks for more", BOUND + Duration::from_secs(30), || async {
        let pod = world.objects(POD).get("crawl-news-1").await?;
        (request(&pod) != before).then_some(())
    })
    .await;
    ends_well(&stage, "one crawler out of memory").await;
}
