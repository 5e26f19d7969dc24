//! Takes a running crawl whose CrawlJob goes missing; gives the crawl carried on by the same objects once it is made again.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Stage;
use super::disturbed::{PAGES, ends_well, in_full_swing};
use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, POD};
use crate::kubelet::text;
use crate::wait::until;
use crate::world::{BOUND, delete, is_gone};

/// UIDs of everything the crawl has.
async fn children(stage: &Stage) -> BTreeSet<String> {
    let mut uids = BTreeSet::new();
    for kind in [POD, CLAIM, CONFIG_MAP] {
        let objects = stage.world.objects(kind).list("rollcall.dev/crawl=news").await;
        uids.extend(objects.iter().map(|object| text(&object["metadata"]["uid"])));
    }
    uids
}

/// Waits until no child names the old parent as its owner any more.
async fn let_go(stage: &Stage) {
    until("the children belong to nobody", BOUND, || async {
        let pods = stage.world.objects(POD).list("rollcall.dev/crawl=news").await;
        let owned = |pod: &Value| pod["metadata"]["ownerReferences"].to_string().contains("CrawlJob");
        (!pods.iter().any(owned)).then_some(())
    })
    .await;
}

async fn made_again(stage: &Stage, before: &BTreeSet<String>, what: &str) {
    assert_eq!(*before, children(stage).await, "everything outlived its CrawlJob");
    stage.world.crawl("news", 2, PAGES, 80).await;
    ends_well(stage, what).await;
    assert_eq!(
        stage.timeline.pods_made(""),
        3,
        "the new CrawlJob took over the same pods"
    );
}

#[tokio::test]
async fn an_orphaned_crawl_is_taken_over_by_a_new_job() {
    let stage = in_full_swing("orphaned").await;
    let before = children(&stage).await;
    let jobs = stage.world.objects(CRAWL_JOB);
    jobs.orphan("news").await.expect("deleted with --cascade=orphan");
    until("the job is gone", BOUND, || async {
        is_gone(&jobs, "news").await.then_some(())
    })
    .await;
    let_go(&stage).await;
    made_again(&stage, &before, "the job deleted with --cascade=orphan and made again").await;
}

#[tokio::test]
async fn a_crawl_outlives_a_job_removed_by_force() {
    let mut stage = in_full_swing("forced").await;
    let before = children(&stage).await;
    let jobs = stage.world.objects(CRAWL_JOB);
    // While nobody can finalize: the deletion mark, then the finalizers by hand.
    stage.hook.kill();
    delete(&jobs, "news").await;
    jobs.merge("news", &json!({"metadata": {"finalizers": null}}))
        .await
        .expect("the finalizers go");
    until("the job is gone", BOUND, || async {
        is_gone(&jobs, "news").await.then_some(())
    })
    .await;
    let_go(&stage).await;
    stage.hook.start_again().await;
    made_again(&stage, &before, "the job removed by force and made again").await;
}
