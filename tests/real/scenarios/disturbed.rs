//! Takes a crawl in full swing and one misfortune; gives the same end as without it: `Complete`, nothing lost.

use serde_json::json;

use super::Stage;
use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB};
use crate::kubelet::Order;
use crate::oracle;
use crate::wait::until;
use crate::world::{BOUND, delete};

pub(super) const PAGES: u32 = 120;

pub(super) async fn in_full_swing(name: &str) -> Stage {
    let stage = Stage::set(name).await;
    into_full_swing(&stage, 2).await;
    stage
}

pub(super) async fn into_full_swing(stage: &Stage, scale: usize) {
    let world = &stage.world;
    world.crawl("news", u32::try_from(scale).expect("few"), PAGES, 80).await;
    world.wait_for_pages(8).await;
    // The second crawler is made once there is more than one page.
    until("the crawlers and Redis run", BOUND, || async {
        (world.running_pods("").await.len() == scale + 1).then_some(())
    })
    .await;
}

pub(super) async fn ends_well(stage: &Stage, what: &str) {
    stage.world.wait_for_condition("news", "Complete").await;
    oracle::everything_saved(&stage.world, "news", PAGES as usize).await;
    stage.timeline.assert_claims_kept_until_verdict();
    stage.world.report(what);
}

#[tokio::test]
async fn an_evicted_crawler_is_replaced_on_its_own_volume() {
    let stage = in_full_swing("evicted").await;
    let world = &stage.world;
    let claim = world.objects(CLAIM).get("crawl-news-0").await.expect("it is in use")["metadata"]["uid"].clone();
    let before = world.running_pods("crawl-news-0").await;
    world.kubelet.order("crawl-news-0", Order::Evict);
    until("a new pod of that name runs", BOUND, || async {
        let now = world.running_pods("crawl-news-0").await;
        (!now.is_empty() && now != before).then_some(())
    })
    .await;
    let now = world.objects(CLAIM).get("crawl-news-0").await.expect("it stayed")["metadata"]["uid"].clone();
    assert_eq!(claim, now, "the successor crawls on where the evicted one stopped");
    ends_well(&stage, "one eviction").await;
    assert_eq!(
        stage.timeline.pods_made("crawl-news-1"),
        1,
        "its neighbour was left alone"
    );
}

#[tokio::test]
async fn a_killed_hook_goes_on_where_it_was() {
    let mut stage = in_full_swing("killed").await;
    let pods = stage.world.running_pods("").await;
    stage.hook.kill();
    let visited = stage.world.machine.account().visited.len();
    stage.world.wait_for_pages(visited + 5).await;
    stage.hook.start_again().await;
    assert_eq!(pods, stage.world.running_pods("").await, "no pod noticed");
    ends_well(&stage, "the hook killed once").await;
    for (name, _) in pods {
        assert_eq!(stage.timeline.pods_made(&name), 1, "{name} was never replaced");
    }
}

#[tokio::test]
async fn a_killed_caller_goes_on_where_it_was() {
    let mut stage = in_full_swing("caller").await;
    let pods = stage.world.running_pods("").await;
    let url = stage.hook.url.clone();
    stage.world.stop_caller();
    let visited = stage.world.machine.account().visited.len();
    stage.world.wait_for_pages(visited + 5).await;
    stage.world.restart_caller(&url).await;
    assert_eq!(pods, stage.world.running_pods("").await, "no pod noticed");
    ends_well(&stage, "the caller killed once").await;
}

#[tokio::test]
async fn a_wiped_status_comes_back_from_what_is_observed() {
    let stage = in_full_swing("wiped").await;
    let world = &stage.world;
    let pods = world.running_pods("").await;
    until("the job shows pages", BOUND, || async {
        let job = world.job("news").await?;
        (job["status"]["pagesDone"].as_u64()? > 0).then_some(())
    })
    .await;
    let jobs = world.objects(CRAWL_JOB);
    jobs.merge_status("news", &json!({"status": null}))
        .await
        .expect("the status is wiped");
    until("the status is there again", BOUND, || async {
        let job = world.job("news").await?;
        (job["status"]["pagesDone"].as_u64()? > 0).then_some(())
    })
    .await;
    assert_eq!(pods, world.running_pods("").await, "the same pods crawl on");
    ends_well(&stage, "the status wiped once").await;
}

#[tokio::test]
async fn everything_at_once_is_no_worse_than_one_after_the_other() {
    let mut stage = in_full_swing("at-once").await;
    let claims = stage.world.objects(CLAIM).list("").await;
    let uids = |claims: &[serde_json::Value]| -> Vec<_> {
        claims.iter().map(|claim| claim["metadata"]["uid"].clone()).collect()
    };
    let before = uids(&claims);
    let url = stage.hook.url.clone();
    stage.hook.kill();
    stage.world.stop_caller();
    stage.world.kubelet.order("redis-news", Order::Kill);
    stage.world.kubelet.order("crawl-news-0", Order::Evict);
    stage.world.kubelet.order("crawl-news-1", Order::OutOfMemory);
    delete(&stage.world.objects(CONFIG_MAP), "crawl-register-news").await;
    let wiped = stage
        .world
        .objects(CRAWL_JOB)
        .merge_status("news", &json!({"status": null}))
        .await;
    wiped.expect("the status is wiped");
    stage.hook.start_again().await;
    stage.world.restart_caller(&url).await;
    until("the evicted crawler has a successor", BOUND, || async {
        (stage.timeline.pods_made("crawl-news-0") == 2).then_some(())
    })
    .await;
    assert_eq!(
        before,
        uids(&stage.world.objects(CLAIM).list("").await),
        "on the same volumes"
    );
    ends_well(
        &stage,
        "hook, caller, Redis, both crawlers, register and status lost at once",
    )
    .await;
}
