//! Rules C1 to C3 and T6: scaling down from the top, and nothing unsaved goes.

use super::scene::Scene;
use crate::desired::Does;
use crate::observed::PodState;
use crate::outside::store::{Entry, StoreWrite, Unreachable};

fn down_to(scale: u32, from: u32) -> Scene {
    Scene::running(from).spec(|spec| spec.scale = scale)
}

#[test]
fn c1_every_missing_instance_is_made_at_once() {
    let scene = Scene::running(1).spec(|spec| spec.scale = 4);
    for name in ["crawl-news-1", "crawl-news-2", "crawl-news-3"] {
        assert_eq!(scene.pod_verdict(name), Some((Does::Make, "D1")), "{name}");
    }
}

#[test]
fn c2_surplus_instances_are_told_and_stay_until_they_end() {
    let scene = down_to(1, 3);
    let effects = scene.decide().effects;
    assert!(effects.contains(&StoreWrite::SetStopOne(1)));
    assert!(effects.contains(&StoreWrite::SetStopOne(2)));
    assert_eq!(scene.pod_verdict("crawl-news-2").unwrap().0, Does::Keep);
}

#[test]
fn c2_from_the_top_without_gaps() {
    let middle = down_to(1, 3).crawler(1, PodState::Succeeded).entry(1, Entry::Done);
    assert_eq!(middle.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
    let both = middle.crawler(2, PodState::Succeeded).entry(2, Entry::Done);
    assert_eq!(both.pod_verdict("crawl-news-2"), Some((Does::CallBack, "C2")));
    assert_eq!(
        both.pod_verdict("crawl-news-1").unwrap().0,
        Does::Keep,
        "one step at a time"
    );
}

#[test]
fn i2_c2_one_that_never_ran_goes_at_once() {
    let scene = down_to(1, 2).crawler(1, PodState::Unplaced(None)).store(|view| {
        view.entries.remove(&1);
    });
    assert_eq!(scene.pod_verdict("crawl-news-1"), Some((Does::CallBack, "C2")));
}

#[test]
fn c2_an_unfinished_surplus_instance_is_made_again_so_that_it_can_finish() {
    let scene = down_to(1, 2).seen(|seen| drop(seen.crawlers.remove(&1)));
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Make);
}

#[test]
fn s6_an_entry_beyond_every_scale_that_was_wished_makes_nothing() {
    let scene = down_to(1, 2).entry(1, Entry::Done).entry(500, Entry::Running);
    assert_eq!(scene.pod_verdict("crawl-news-500"), None);
    assert_eq!(scene.next().most_scale, 2);
    let gone = scene.seen(|seen| {
        seen.crawlers.remove(&1);
        seen.volumes.remove(&1);
    });
    let effects = gone.decide().effects;
    assert!(
        effects.contains(&StoreWrite::DeleteEntry(1)),
        "its own are known: {effects:?}"
    );
}

#[test]
fn c3_the_volume_goes_after_the_pod_and_the_traces_last() {
    let no_pod = down_to(1, 2)
        .entry(1, Entry::Done)
        .seen(|seen| drop(seen.crawlers.remove(&1)));
    assert_eq!(
        no_pod.verdict("PersistentVolumeClaim", "crawl-news-1"),
        Some((Does::CallBack, "C3"))
    );
    assert!(!no_pod.decide().effects.contains(&StoreWrite::DeleteEntry(1)));
    let no_volume = no_pod.seen(|seen| drop(seen.volumes.remove(&1)));
    assert!(no_volume.decide().effects.contains(&StoreWrite::DeleteEntry(1)));
}

#[test]
fn t6_a_volume_with_unsaved_bytes_stays_and_does_not_block_lower_ones() {
    let scene = down_to(1, 3)
        .entry(2, Entry::Failed)
        .entry(1, Entry::Done)
        .seen(|seen| {
            seen.crawlers.remove(&2);
            seen.crawlers.remove(&1);
        });
    let scene = scene.store(|view| {
        view.sizes.insert(2, 1_000_000);
    });
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-2").unwrap().0,
        Does::Keep
    );
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-1").unwrap().0,
        Does::CallBack
    );
}

#[test]
fn c2_without_the_store_nothing_is_dropped() {
    let scene = down_to(1, 2)
        .crawler(1, PodState::Succeeded)
        .unreachable(Unreachable::Timeout);
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
}

#[test]
fn s2_after_a_loss_a_surplus_instance_works_again_so_that_the_crawl_can_end() {
    let scene = down_to(1, 2)
        .seen(|seen| drop(seen.crawlers.remove(&1)))
        .state(|state| state.renewed = true);
    let scene = scene.store(|view| {
        view.mark = Some(crate::outside::store::Mark::Renewed);
        view.entries.remove(&1);
    });
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Make);
}

#[test]
fn t6_a_volume_kept_at_scale_down_is_said() {
    let scene = down_to(1, 2)
        .entry(1, Entry::Failed)
        .seen(|seen| drop(seen.crawlers.remove(&1)));
    let scene = scene.store(|view| {
        view.sizes.insert(1, 1_000_000);
    });
    let conditions = scene.decide().status.conditions;
    assert!(conditions.iter().any(|condition| condition.r#type == "UnsavedData"));
}
