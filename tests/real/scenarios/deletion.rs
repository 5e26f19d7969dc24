//! Takes a running crawl that is deleted; gives the order in which its parts go: crawlers, Redis, volumes, ConfigMaps, job.

use serde_json::json;

use super::Stage;
use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, NAMESPACE, Objects, POD};
use crate::timeline::What;
use crate::wait::until;
use crate::world::{BOUND, delete, is_gone};

#[tokio::test]
async fn a_deleted_crawl_goes_in_order() {
    let stage = Stage::set("deletion").await;
    let (world, timeline) = (&stage.world, &stage.timeline);
    world.crawl("news", 2, 500, 80).await;
    world.wait_for_pages(8).await;
    let jobs = world.objects(CRAWL_JOB);
    delete(&jobs, "news").await;
    until("the job is gone", BOUND, || async {
        is_gone(&jobs, "news").await.then_some(())
    })
    .await;
    until("everything of it is gone", BOUND, || async {
        let selector = "rollcall.dev/crawl=news";
        let kinds = [POD, CLAIM, CONFIG_MAP];
        let mut left = 0;
        for kind in kinds {
            left += world.objects(kind).list(selector).await.len();
        }
        (left == 0).then_some(())
    })
    .await;
    timeline.assert_before((CRAWL_JOB, "news", What::Leaving), (POD, "", What::Leaving));
    timeline.assert_before((POD, "crawl-news-", What::Gone), (POD, "redis-news", What::Leaving));
    timeline.assert_before((POD, "redis-news", What::Gone), (CLAIM, "", What::Leaving));
    timeline.assert_before((CLAIM, "", What::Leaving), (CONFIG_MAP, "crawl-", What::Leaving));
    timeline.assert_before(
        (CONFIG_MAP, "crawl-register-news", What::Leaving),
        (CRAWL_JOB, "news", What::Gone),
    );
    let codes: Vec<i32> = world.machine.account().exits.iter().map(|(_, code)| *code).collect();
    assert!(!codes.contains(&137), "nobody had to be killed: {codes:?}");
    world.report("a running crawl deleted");
}

#[tokio::test]
async fn t2_a_namespace_with_a_running_crawl_goes() {
    // Redis may go first here, and then a crawler ends only when its grace is over: seen of the real one too.
    let more = json!({"crawl": {"terminationGraceSeconds": 5}});
    let stage = Stage::configured("namespace", &more).await;
    let world = &stage.world;
    world.crawl("news", 2, 500, 80).await;
    world.wait_for_pages(8).await;
    let namespaces = Objects::new(&world.client, NAMESPACE, "");
    delete(&namespaces, &world.namespace).await;
    let gone = tokio::time::timeout(
        BOUND,
        until("the namespace is gone", BOUND * 2, || async {
            is_gone(&namespaces, &world.namespace).await.then_some(())
        }),
    );
    assert!(
        gone.await.is_ok(),
        "the namespace stays\n{}",
        world.picture("news").await
    );
    let marked = stage.timeline.of(CRAWL_JOB, "news", What::Leaving);
    let pods = stage.timeline.of(POD, "", What::Here);
    assert!(
        pods.iter().all(|made| *made < marked[0]),
        "no pod was made once the job was to go"
    );
}
