//! Takes the stand-in hook; gives the verdict on the harness itself: before it judges the product it must carry a crawl.

use crate::api::{CLAIM, CRAWL_JOB, POD};
use crate::kubelet::Order;
use crate::oracle;
use crate::stand_in;
use crate::wait::until;
use crate::world::{BOUND, World, delete, is_gone};

#[tokio::test]
async fn the_harness_carries_a_crawl_through_an_eviction_and_away() {
    let mut world = World::new("harness").await;
    world.drive(&stand_in::serve().await).await;
    world.crawl("demo", 2, 30, 60).await;
    world.wait_for_pages(5).await;
    // The pages may all be the other pod's.
    let before = until("the first pod runs", BOUND, || async {
        Some(world.running_pods("crawl-demo-0").await).filter(|pods| !pods.is_empty())
    })
    .await;
    world.kubelet.order("crawl-demo-0", Order::Evict);
    until("the evicted pod has a successor", BOUND, || async {
        let now = world.running_pods("crawl-demo-0").await;
        (!now.is_empty() && now != before).then_some(())
    })
    .await;
    world.kubelet.order("redis-demo", Order::Kill);
    world.wait_for_condition("demo", "Complete").await;
    oracle::nothing_lost(&world);
    assert_eq!(world.machine.account().visited.len(), 30);
    let jobs = world.objects(CRAWL_JOB);
    delete(&jobs, "demo").await;
    until("the job is gone", BOUND, || async {
        is_gone(&jobs, "demo").await.then_some(())
    })
    .await;
    assert!(world.objects(POD).list("").await.is_empty());
    assert!(world.objects(CLAIM).list("").await.is_empty());
    world.report("harness");
}
