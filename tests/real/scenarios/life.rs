//! Takes a crawl that nobody disturbs; gives its course from creation to `Complete`, and what it cost in writes.

use super::Stage;
use crate::api::{CLAIM, CONFIG_MAP, POD};
use crate::oracle;
use crate::timeline::What;
use crate::wait::until;
use crate::world::BOUND;

const PAGES: u32 = 40;

#[tokio::test]
async fn a_crawl_goes_from_creation_to_complete() {
    let stage = Stage::set("life").await;
    let (world, timeline) = (&stage.world, &stage.timeline);
    world.crawl("news", 2, PAGES, 60).await;
    world.wait_for_condition("news", "Complete").await;
    oracle::everything_saved(world, "news", PAGES as usize).await;
    until("the pods and volumes of the finished crawl are gone", BOUND, || async {
        let left = world.objects(POD).list("").await.len() + world.objects(CLAIM).list("").await.len();
        (left == 0).then_some(())
    })
    .await;
    timeline.assert_claims_kept_until_verdict();
    timeline.assert_before((POD, "crawl-news-", What::Gone), (POD, "redis-news", What::Leaving));
    timeline.assert_before((POD, "", What::Gone), (CLAIM, "", What::Leaving));
    assert!(
        world.config_map("crawl-register-news").await.is_some(),
        "the register outlives the pods"
    );
    for index in 0..2 {
        assert_eq!(
            timeline.pods_made(&format!("crawl-news-{index}")),
            1,
            "nobody disturbed this pod"
        );
    }
    let writes = world.report("a crawl of two pods without faults");
    let registers = writes
        .iter()
        .filter(|write| write.resource == "configmaps" && write.name == "crawl-register-news");
    // design/crawljob.md: about seven, and one per batch of uploads.
    let count = registers.count();
    assert!(count <= 12, "{count} writes of the register");
    assert_eq!(timeline.of(CONFIG_MAP, "crawl-register-news", What::Verdict).len(), 1);
}
