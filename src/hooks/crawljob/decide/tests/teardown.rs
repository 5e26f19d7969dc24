//! Rules T1 to T6: crawlers, then Redis, then volumes, then ConfigMaps; and nothing unsaved before the job is deleted.

use super::scene::{Scene, ago, children};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::{Does, Finalized};
use crate::hooks::crawljob::register::FinalEntry;
use crate::hooks::crawljob::register::RegisterSeen;
use crate::observed::PodState;
use crate::observed::time::whole_seconds;
use crate::outside::store::{Entry, StoreWrite, Unreachable};

fn over(scale: u32) -> Scene {
    let mut scene = Scene::running(scale).state(|state| state.result = Some(CrawlState::Complete));
    for index in 0..scale {
        scene = scene.crawler(index, PodState::Succeeded).entry(index, Entry::Done);
    }
    scene
}

#[test]
fn t1_crawlers_first_then_redis_once_its_knowledge_is_in_the_register() {
    let crawlers = over(2);
    assert_eq!(crawlers.pod_verdict("crawl-news-0"), Some((Does::CallBack, "T1")));
    assert_eq!(crawlers.pod_verdict("redis-news").unwrap().0, Does::Keep);
    let none = crawlers.seen(|seen| seen.crawlers.clear());
    assert_eq!(
        none.pod_verdict("redis-news").unwrap().0,
        Does::Keep,
        "ended is not observed yet"
    );
    assert_eq!(none.next().instances[&0].ended, Some(FinalEntry::Done));
    let written = none.next();
    let observed = none.state(|state| *state = written);
    assert_eq!(observed.pod_verdict("redis-news"), Some((Does::CallBack, "T1")));
    assert_eq!(
        observed.verdict("PersistentVolumeClaim", "crawl-news-0").unwrap().0,
        Does::Keep
    );
    let gone = observed.seen(|seen| seen.redis = None).unreachable(Unreachable::NoPod);
    assert_eq!(
        gone.verdict("PersistentVolumeClaim", "crawl-news-0"),
        Some((Does::CallBack, "T6"))
    );
    let left: Vec<String> = children(&gone.decide()).into_iter().map(|(_, name)| name).collect();
    assert_eq!(left, ["crawl-register-news"]);
}

#[test]
fn t1_a_redis_that_lives_and_does_not_answer_is_waited_for_but_not_for_ever() {
    let silent = |finished| {
        let scene = over(2).seen(|seen| seen.crawlers.clear());
        let scene = scene.state(|state| state.finished_at = Some(finished));
        scene.unreachable(Unreachable::Timeout)
    };
    let redis = |scene: &Scene| scene.pod_verdict("redis-news").unwrap().0;
    let young = silent("2026-11-30T12:59:00Z".to_owned());
    assert_eq!(redis(&young), Does::Keep);
    assert_eq!(young.decide().wake, crate::desired::Wake::After(3));
    let patience = i64::from(young.policy.grace_seconds + young.policy.redis_idle_seconds);
    assert_eq!(redis(&silent(whole_seconds(ago(patience - 1)))), Does::Keep);
    assert_eq!(redis(&silent(whole_seconds(ago(patience)))), Does::CallBack);
    assert_eq!(redis(&silent("no time".to_owned())), Does::CallBack);
}

#[test]
fn t1_nobody_waits_for_a_redis_that_can_not_answer() {
    let silent = over(1).seen(|seen| seen.crawlers.clear());
    let silent = silent.state(|state| state.finished_at = Some("2026-11-30T12:59:00Z".to_owned()));
    let redis = |scene: &Scene| scene.pod_verdict("redis-news").unwrap().0;
    assert_eq!(
        redis(&silent.clone().unreachable(Unreachable::Disabled)),
        Does::CallBack
    );
    let backing_off = silent.clone().unreachable(Unreachable::NotRunning).seen(|seen| {
        seen.redis.as_mut().unwrap().pod.state = PodState::BackingOff;
    });
    assert_eq!(redis(&backing_off), Does::CallBack);
    let blank = silent.clone().store(|view| view.mark = None);
    assert_eq!(redis(&blank), Does::CallBack, "it knows nothing");
    let deleted = silent
        .unreachable(Unreachable::Timeout)
        .seen(|seen| seen.finalizing = true);
    assert_eq!(redis(&deleted), Does::CallBack, "T2: nothing waits in finalize");
}

#[test]
fn t1_a_terminating_crawler_still_holds_back_redis() {
    let scene = over(1).pod(0, |crawler| crawler.pod.terminating = true);
    assert_eq!(scene.pod_verdict("redis-news").unwrap().0, Does::Keep);
}

#[test]
fn t6_unsaved_data_keeps_its_volume_and_says_so() {
    let scene = Scene::new(1)
        .started()
        .volume(0)
        .state(|state| state.result = Some(CrawlState::Failed));
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-0").unwrap().0,
        Does::Keep
    );
    let said = scene
        .decide()
        .status
        .conditions
        .iter()
        .any(|condition| condition.r#type == "UnsavedData");
    assert!(said);
}

fn deleted(scale: u32) -> Scene {
    Scene::running(scale).seen(|seen| {
        seen.finalizing = true;
        seen.job.terminating = true;
    })
}

#[test]
fn t6_storage_that_was_wished_later_saves_nothing_of_what_was_crawled_before() {
    let without = Scene::running(1).spec(|spec| spec.storage = None);
    assert!(without.next().keeps_volumes);
    let over = |keeps| {
        Scene::running(1)
            .state(|state| {
                state.result = Some(CrawlState::Complete);
                state.finished_at = Some("2026-11-30T12:59:00Z".into());
                state.keeps_volumes = keeps;
            })
            .line(0, |line| line.ended = Some(FinalEntry::Done))
            .seen(|seen| {
                seen.crawlers.clear();
                seen.redis = None;
            })
    };
    let volume = |scene: Scene| {
        scene
            .verdict("PersistentVolumeClaim", "crawl-news-0")
            .map(|(does, _)| does)
    };
    assert_eq!(volume(over(false)), Some(Does::CallBack));
    assert_eq!(volume(over(true)), Some(Does::Keep));
    let down = |keeps| {
        let scene = Scene::running(2).spec(|spec| spec.scale = 1).entry(1, Entry::Done);
        let scene = scene.state(|state| state.keeps_volumes = keeps);
        scene.seen(|seen| drop(seen.crawlers.remove(&1)))
    };
    let dropped = |scene: Scene| {
        scene
            .verdict("PersistentVolumeClaim", "crawl-news-1")
            .map(|(does, _)| does)
    };
    assert_eq!(dropped(down(false)), Some(Does::CallBack));
    assert_eq!(dropped(down(true)), Some(Does::Keep));
}

#[test]
fn t3_finalize_tells_the_crawlers_and_calls_them_back() {
    let scene = deleted(2);
    assert_eq!(scene.decide().effects, [StoreWrite::SetCanceled]);
    assert_eq!(scene.pod_verdict("crawl-news-1"), Some((Does::CallBack, "T1")));
    assert_eq!(scene.pod_verdict("redis-news").unwrap().0, Does::Keep);
    assert_eq!(scene.shown(), CrawlState::Canceled);
}

#[test]
fn t4_finalize_ends_in_order_and_stays_ended() {
    let no_crawlers = deleted(1).seen(|seen| seen.crawlers.clear());
    assert_eq!(no_crawlers.pod_verdict("redis-news"), Some((Does::CallBack, "T1")));
    let no_pods = no_crawlers
        .seen(|seen| seen.redis = None)
        .unreachable(Unreachable::NoPod);
    assert_eq!(
        no_pods.verdict("PersistentVolumeClaim", "crawl-news-0").unwrap().0,
        Does::CallBack
    );
    assert_eq!(
        no_pods.verdict("ConfigMap", "crawl-register-news").unwrap().0,
        Does::Keep
    );
    let no_volumes = no_pods.seen(|seen| {
        seen.volumes.clear();
        seen.redis_volume = None;
    });
    assert_eq!(
        no_volumes.verdict("ConfigMap", "crawl-register-news").unwrap().0,
        Does::CallBack
    );
    assert_eq!(no_volumes.decide().finalized, Finalized::No);
    let nothing = no_volumes.seen(|seen| {
        seen.config = None;
        seen.register = RegisterSeen::Missing;
    });
    assert_eq!(nothing.decide().finalized, Finalized::Yes);
    assert!(nothing.decide().children.is_empty());
}

#[test]
fn t2_finalize_makes_nothing() {
    let scene = deleted(2).seen(|seen| {
        seen.redis = None;
        seen.register = RegisterSeen::Missing;
        seen.config = None;
    });
    assert!(scene.decide().verdicts.iter().all(|verdict| verdict.does != Does::Make));
}

#[test]
fn t4_finalize_needs_no_store_and_no_usable_spec() {
    let scene = deleted(1).unreachable(Unreachable::Timeout).seen(|seen| {
        let problem = "is no number".to_owned();
        seen.spec = Err(crate::hooks::crawljob::spec::SpecFault {
            field: "scale".into(),
            problem,
        });
    });
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::CallBack);
}
