//! Rule C4: down and up again. Whoever was scaled away and is wanted again goes on, and its end is no end of the crawl.

use super::scene::{Scene, ago};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::Does;
use crate::hooks::crawljob::register::FinalEntry;
use crate::observed::PodState;
use crate::outside::store::{Entry, StoreWrite, Unreachable};

/// Scale 2, and instance 1 was told to stop when the scale was 1.
fn told() -> Scene {
    Scene::running(2).store(|view| {
        view.flags.stop_one.insert(1);
    })
}

/// It has ended so.
fn ended() -> Scene {
    told().crawler(1, PodState::Succeeded).entry(1, Entry::Done)
}

fn without_pod(scene: Scene) -> Scene {
    scene.seen(|seen| drop(seen.crawlers.remove(&1)))
}

fn takes_the_flag_back(scene: &Scene) -> bool {
    scene.decide().effects.contains(&StoreWrite::DeleteStopOne(1))
}

#[test]
fn c4_a_crawler_that_may_have_read_the_flag_keeps_it() {
    assert!(!takes_the_flag_back(&told()));
    assert_eq!(told().pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
    assert!(!takes_the_flag_back(&told().crawler(1, PodState::Starting)));
    assert!(!takes_the_flag_back(&told().crawler(1, PodState::BackingOff)));
}

#[test]
fn c4_the_flag_goes_while_nobody_can_read_it() {
    assert!(takes_the_flag_back(&without_pod(told())));
    assert!(takes_the_flag_back(&told().crawler(1, PodState::Unplaced(None))));
}

#[test]
fn c4_scaled_away_and_wanted_again_is_dropped_and_then_made_anew() {
    assert_eq!(ended().pod_verdict("crawl-news-1"), Some((Does::CallBack, "C2")));
    let no_pod = without_pod(ended());
    assert_eq!(no_pod.pod_verdict("crawl-news-1"), None);
    assert!(!takes_the_flag_back(&no_pod));
    let volume = no_pod.verdict("PersistentVolumeClaim", "crawl-news-1");
    assert_eq!(volume, Some((Does::CallBack, "C3")));
    let no_volume = no_pod.seen(|seen| drop(seen.volumes.remove(&1)));
    let effects = no_volume.decide().effects;
    assert!(effects.contains(&StoreWrite::DeleteEntry(1)) && effects.contains(&StoreWrite::DeleteStopOne(1)));
    let forgotten = no_volume.store(|view| {
        view.entries.remove(&1);
        view.flags.stop_one.clear();
    });
    assert_eq!(forgotten.pod_verdict("crawl-news-1").unwrap().0, Does::Make);
}

#[test]
fn c4_its_volume_goes_in_a_later_call_than_its_pod() {
    let leaving = ended().pod(1, |crawler| crawler.pod.terminating = true);
    assert_eq!(leaving.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
    let volume = leaving.verdict("PersistentVolumeClaim", "crawl-news-1");
    assert_eq!(volume.unwrap().0, Does::Keep);
}

#[test]
fn c4_with_unsaved_data_it_goes_on_on_its_volume() {
    let scene = without_pod(ended().entry(1, Entry::Failed)).store(|view| {
        view.sizes.insert(1, 1_000_000);
    });
    assert_eq!(scene.pod_verdict("crawl-news-1"), None);
    let volume = scene.verdict("PersistentVolumeClaim", "crawl-news-1");
    assert_eq!(volume.unwrap().0, Does::Keep);
    let told = scene.decide().effects;
    assert!(told.contains(&StoreWrite::SetInterrupted(1)) && told.contains(&StoreWrite::DeleteStopOne(1)));
    let open = scene.entry(1, Entry::Interrupted).store(|view| {
        view.flags.stop_one.clear();
    });
    assert_eq!(open.pod_verdict("crawl-news-1").unwrap().0, Does::Make);
}

#[test]
fn c4_nothing_comes_back_for_an_empty_queue_a_stop_or_during_a_pause() {
    let keeps = |scene: &Scene| scene.pod_verdict("crawl-news-1").map(|(does, _)| does) == Some(Does::Keep);
    let empty = ended().store(|view| {
        view.queued = 0;
        view.in_progress = 0;
    });
    assert!(keeps(&empty));
    assert!(keeps(&ended().spec(|spec| spec.stopping = true)));
    let paused = ended().spec(|spec| spec.paused_at = Some(ago(60)));
    assert_eq!(paused.pod_verdict("crawl-news-1"), Some((Does::CallBack, "P1")));
    let volume = without_pod(paused).verdict("PersistentVolumeClaim", "crawl-news-1");
    assert_eq!(volume.unwrap().0, Does::Keep);
}

#[test]
fn e1_work_that_was_handed_back_is_no_end() {
    let other = |entry| ended().crawler(0, PodState::Succeeded).entry(0, entry);
    assert_eq!(other(Entry::Done).next().result, None, "it is made anew first");
    let down = |entry| other(entry).spec(|spec| spec.scale = 1);
    assert_eq!(down(Entry::Done).next().result, Some(CrawlState::Complete));
    assert_eq!(down(Entry::Failed).next().result, Some(CrawlState::Failed));
    let empty = |scene: Scene| {
        scene.store(|view| {
            view.queued = 0;
            view.in_progress = 0;
        })
    };
    assert_eq!(empty(other(Entry::Done)).next().result, Some(CrawlState::Complete));
    assert_eq!(empty(down(Entry::Failed)).next().result, Some(CrawlState::Complete));
}

#[test]
fn e3_an_instance_that_handed_its_work_back_makes_no_crawl_complete() {
    let crashed = |scene: Scene| scene.crawler(0, PodState::BackingOff).exit(0, 17);
    let down = |scene: Scene| scene.spec(|spec| spec.scale = 1);
    assert_eq!(down(crashed(ended())).next().result, Some(CrawlState::Failed));
    assert_eq!(crashed(ended()).next().result, None, "it is made anew first");
    let done = down(crashed(ended())).store(|view| view.flags.stop_one.clear());
    assert_eq!(done.next().result, Some(CrawlState::Complete));
}

#[test]
fn s5_that_work_was_handed_back_outlives_redis() {
    let paused = ended().spec(|spec| spec.paused_at = Some(ago(60))).seen(|seen| {
        seen.crawlers.clear();
    });
    let flushed = paused.entry(0, Entry::Done).store(|view| view.flags.paused = true);
    let written = flushed.next();
    assert_eq!(written.instances[&1].ended, Some(FinalEntry::Done));
    assert_eq!(written.handed_back.iter().collect::<Vec<_>>(), [&1]);
    let resumed = flushed.state(|state| *state = written).spec(|spec| {
        spec.paused_at = None;
    });
    let resumed = resumed.seen(|seen| seen.redis = None).unreachable(Unreachable::NoPod);
    assert_eq!(resumed.next().result, None, "both are recorded as ended");
    assert_eq!(resumed.pod_verdict("redis-news").unwrap().0, Does::Make);
    let plain = resumed.state(|state| state.handed_back.clear());
    assert_eq!(plain.next().result, Some(CrawlState::Complete));
}

#[test]
fn d4_redis_does_not_idle_while_an_instance_comes_back() {
    let scene = without_pod(ended()).crawler(0, PodState::Unplaced(None));
    let scene = scene.store(|view| view.idle_since = Some(ago(600)));
    assert!(scene.decide().effects.contains(&StoreWrite::DeleteIdle));
}

#[test]
fn s5_a_recorded_end_goes_once_the_instance_works_again() {
    let scene = Scene::running(2).line(1, |line| line.ended = Some(FinalEntry::Done));
    let next = scene
        .state(|state| {
            state.handed_back.insert(1);
        })
        .next();
    assert!(next.handed_back.is_empty() && !next.instances.contains_key(&1));
}
