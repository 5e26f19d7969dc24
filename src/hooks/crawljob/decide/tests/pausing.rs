//! Rules P1 to P4 and C5: a pause saves everything before anything goes.

use super::scene::{Scene, ago};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::Does;
use crate::observed::PodState;
use crate::outside::store::{Entry, StoreWrite, Unreachable};

fn pausing(scale: u32) -> Scene {
    Scene::running(scale).spec(|spec| spec.paused_at = Some(ago(60)))
}

fn flagged(scale: u32) -> Scene {
    pausing(scale).store(|view| view.flags.paused = true)
}

#[test]
fn p1_the_flag_is_set_and_running_pods_stay() {
    let scene = pausing(2);
    assert!(scene.decide().effects.contains(&StoreWrite::SetPaused));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    assert_eq!(scene.shown(), CrawlState::Pausing);
}

#[test]
fn p1_the_pod_of_a_flushed_instance_goes() {
    let rested = |bytes| {
        flagged(2)
            .crawler(1, PodState::Succeeded)
            .entry(1, Entry::Interrupted)
            .store(|view| {
                view.sizes.insert(1, bytes);
            })
    };
    assert_eq!(rested(4096).pod_verdict("crawl-news-1"), Some((Does::CallBack, "P1")));
    assert_eq!(
        rested(4097).pod_verdict("crawl-news-1"),
        Some((Does::CallBack, "I1")),
        "it must work again"
    );
}

#[test]
fn p1_without_the_store_pods_stay() {
    let scene = pausing(1)
        .crawler(0, PodState::Succeeded)
        .unreachable(Unreachable::Refused);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn p2_an_unflushed_instance_without_a_pod_is_made_again_with_the_flag_set() {
    let scene = flagged(1)
        .entry(0, Entry::Interrupted)
        .seen(|seen| seen.crawlers.clear())
        .store(|view| {
            view.sizes.insert(0, 100_000);
        });
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Make);
    assert!(!scene.next().flushed);
}

#[test]
fn p2_flushed_is_written_first_and_redis_goes_only_after_its_idle_time() {
    let all_flushed = flagged(1)
        .entry(0, Entry::Interrupted)
        .seen(|seen| seen.crawlers.clear())
        .store(|view| {
            view.sizes.insert(0, 4096);
        });
    assert!(all_flushed.next().flushed);
    assert_eq!(all_flushed.shown(), CrawlState::Pausing);
    let written = all_flushed.next();
    let observed = all_flushed.state(|state| *state = written);
    assert_eq!(observed.shown(), CrawlState::Paused);
    assert_eq!(observed.pod_verdict("redis-news").unwrap().0, Does::Keep);
    let long = observed.store(|view| view.idle_since = Some(ago(60)));
    assert_eq!(long.pod_verdict("redis-news"), Some((Does::CallBack, "D4")));
    let gone = long.seen(|seen| seen.redis = None).unreachable(Unreachable::NoPod);
    assert_eq!(gone.pod_verdict("redis-news"), None, "not made again while paused");
    assert_eq!(
        gone.verdict("PersistentVolumeClaim", "crawl-news-0").unwrap().0,
        Does::Keep
    );
}

#[test]
fn p3_resuming_deletes_the_flag_then_clears_flushed_then_makes_pods() {
    let resumed = Scene::running(1)
        .seen(|seen| seen.crawlers.clear())
        .state(|state| state.flushed = true);
    let with_flag = resumed.clone().store(|view| view.flags.paused = true);
    assert!(with_flag.decide().effects.contains(&StoreWrite::DeletePaused));
    assert!(with_flag.next().flushed);
    assert_eq!(with_flag.pod_verdict("crawl-news-0"), None);
    assert!(!resumed.next().flushed, "the flag was read as gone");
    assert_eq!(resumed.pod_verdict("crawl-news-0"), None);
    let cleared = resumed.state(|state| state.flushed = false);
    assert_eq!(cleared.pod_verdict("crawl-news-0").unwrap().0, Does::Make);
}

#[test]
fn p1_failed_without_a_page_under_the_flag_judges_nothing() {
    let scene = flagged(1)
        .crawler(0, PodState::Succeeded)
        .entry(0, Entry::Failed)
        .store(|view| view.done = 0);
    assert_eq!(scene.next().result, None);
    let resumed = scene.spec(|spec| spec.paused_at = None);
    assert_eq!(resumed.next().result, None);
    assert!(resumed.decide().effects.contains(&StoreWrite::DeleteEntry(0)));
}

#[test]
fn p4_the_pause_expires_only_once_flushed_is_observed() {
    let old = |flushed| {
        let scene = flagged(1)
            .entry(0, Entry::Interrupted)
            .seen(|seen| seen.crawlers.clear());
        let scene = scene.spec(|spec| spec.paused_at = Some(ago(8 * 24 * 3600)));
        scene.state(|state| state.flushed = flushed)
    };
    assert_eq!(old(false).next().result, None);
    assert_eq!(old(true).next().result, Some(CrawlState::StoppedPauseExpired));
}

#[test]
fn p1_a_pause_beside_a_stop_ends_the_crawl_that_did_nothing() {
    let failed = || flagged(1).crawler(0, PodState::Succeeded).exit(0, 0);
    let failed = || failed().entry(0, Entry::Failed).store(|view| view.done = 0);
    assert_eq!(failed().next().result, None);
    let stopped = failed().spec(|spec| spec.stopping = true);
    assert_eq!(stopped.next().result, Some(CrawlState::Canceled));
}

#[test]
fn p1_what_failed_under_the_flag_rests_whatever_it_holds() {
    let failed = || flagged(1).entry(0, Entry::Failed).store(|view| view.done = 0);
    let ended = failed().crawler(0, PodState::Succeeded).exit(0, 0);
    assert_eq!(ended.pod_verdict("crawl-news-0"), Some((Does::CallBack, "P1")));
    let gone = failed().seen(|seen| seen.crawlers.clear());
    assert_eq!(gone.pod_verdict("crawl-news-0"), None, "not made again to fail again");
    assert!(gone.next().flushed);
    let held = gone.state(|state| state.flushed = true);
    let expired = held.spec(|spec| spec.paused_at = Some(ago(8 * 24 * 3600)));
    assert_eq!(expired.next().result, Some(CrawlState::StoppedPauseExpired));
}

#[test]
fn p4_stopping_while_paused_is_stopped_by_the_user() {
    let scene = flagged(1)
        .seen(|seen| seen.crawlers.clear())
        .state(|state| state.flushed = true);
    let scene = scene.entry(0, Entry::Interrupted).spec(|spec| spec.stopping = true);
    assert_eq!(scene.next().result, Some(CrawlState::StoppedByUser));
}

#[test]
fn c5_scale_0_holds_like_a_pause_without_stopone() {
    let scene = Scene::running(2).spec(|spec| spec.scale = 0);
    let effects = scene.decide().effects;
    assert!(effects.contains(&StoreWrite::SetPaused));
    assert!(!effects.iter().any(|write| matches!(write, StoreWrite::SetStopOne(_))));
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
}

#[test]
fn z1_a_pausing_instance_that_runs_out_of_memory_still_gets_more() {
    let scene = flagged(1).line(0, |line| line.memory = Some(2 << 30));
    assert_eq!(scene.pod_verdict("crawl-news-0"), Some((Does::CallBack, "Z1")));
}

#[test]
fn r2_a_restart_has_no_effect_on_a_paused_job() {
    let scene = flagged(1).spec(|spec| spec.restart_time = Some(ago(60)));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn p1_an_unplaced_pod_of_a_job_that_never_started_goes_at_once() {
    let scene = Scene::new(1)
        .crawler(0, PodState::Unplaced(None))
        .spec(|spec| spec.paused_at = Some(ago(60)));
    assert_eq!(scene.pod_verdict("crawl-news-0"), Some((Does::CallBack, "P1")));
}

#[test]
fn p1_the_entry_that_the_flag_made_is_deleted_before_the_flag() {
    let scene = flagged(1)
        .crawler(0, PodState::Succeeded)
        .entry(0, Entry::Failed)
        .store(|view| view.done = 0);
    let effects = scene.spec(|spec| spec.paused_at = None).decide().effects;
    let at = |wanted: &StoreWrite| effects.iter().position(|write| write == wanted).unwrap();
    assert!(at(&StoreWrite::DeleteEntry(0)) < at(&StoreWrite::DeletePaused));
}

#[test]
fn w1_an_expired_pause_that_is_not_flushed_wakes_at_the_ordinary_pace() {
    let scene = flagged(1).spec(|spec| spec.paused_at = Some(ago(8 * 24 * 3600)));
    assert_eq!(scene.decide().wake, crate::desired::Wake::After(10));
}
