//! Rules D1, D2, D4, D8, P3 and Q: who is made, and when.

use std::collections::BTreeMap;

use super::scene::{Scene, children};
use crate::desired::{Does, Wake};
use crate::hooks::crawljob::observed::Ticket;
use crate::hooks::crawljob::register::RegisterSeen;
use crate::observed::{ConfigMap, PodState};
use crate::outside::store::{Entry, Unreachable};

#[test]
fn d8_a_new_job_gets_its_register_first_and_no_pod() {
    let scene = Scene::new(2).seen(|seen| {
        seen.register = RegisterSeen::Missing;
        seen.config = None;
    });
    let decision = scene.decide();
    let names: Vec<String> = children(&decision).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["crawl-config-news", "crawl-register-news"]);
    assert!(!scene.next().started);
    assert!(!scene.next().marked);
}

#[test]
fn d8_beside_pods_a_missing_register_is_asked_for_as_started_and_everything_is_kept() {
    let scene = Scene::running(2).seen(|seen| seen.register = RegisterSeen::Missing);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    assert_eq!(scene.pod_verdict("redis-news").unwrap().0, Does::Keep);
    assert!(scene.next().started);
    assert!(scene.next().marked);
    assert!(
        scene.decide().effects.is_empty(),
        "nothing is concluded until it is seen"
    );
}

#[test]
fn d8_even_a_lost_pod_is_kept_until_the_register_is_seen() {
    let scene = Scene::running(1)
        .crawler(0, PodState::Lost("Evicted".into()))
        .seen(|seen| seen.register = RegisterSeen::Missing);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn d1_before_pages_are_known_one_instance_is_made_with_its_volume() {
    let scene = Scene::new(3);
    assert_eq!(scene.pod_verdict("crawl-news-0"), Some((Does::Make, "D1")));
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-0"),
        Some((Does::Make, "D2"))
    );
    assert_eq!(scene.pod_verdict("crawl-news-1"), None);
}

#[test]
fn d1_no_more_instances_than_pages() {
    let scene = Scene::running(1)
        .spec(|spec| spec.scale = 5)
        .store(|view| view.seen = 3)
        .state(|state| {
            state.counters = None;
        });
    assert_eq!(scene.pod_verdict("crawl-news-2").unwrap().0, Does::Make);
    assert_eq!(scene.pod_verdict("crawl-news-3"), None);
}

#[test]
fn d1_a_falling_page_count_makes_no_surplus() {
    let scene = Scene::running(3).store(|view| view.excluded = 9);
    for index in 0..3 {
        assert_eq!(scene.pod_verdict(&format!("crawl-news-{index}")).unwrap().0, Does::Keep);
    }
}

#[test]
fn d2_a_terminating_volume_holds_back_its_pod() {
    let scene = Scene::running(2).seen(|seen| {
        seen.crawlers.remove(&1);
        seen.volumes.get_mut(&1).unwrap().terminating = true;
    });
    assert_eq!(scene.pod_verdict("crawl-news-1"), None);
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-1").unwrap().0,
        Does::Keep
    );
}

#[test]
fn d4_redis_is_made_once_started_is_observed() {
    let placed = Scene::new(1).crawler(0, PodState::Starting);
    assert_eq!(placed.pod_verdict("redis-news"), None);
    assert!(placed.next().started, "the first placed crawler starts the job");
    let started = placed.state(|state| state.started = true);
    assert_eq!(started.pod_verdict("redis-news"), Some((Does::Make, "D4")));
    assert_eq!(
        started.verdict("PersistentVolumeClaim", "redis-news"),
        Some((Does::Make, "D2"))
    );
}

#[test]
fn p3_once_started_a_missing_crawler_waits_for_the_store() {
    let scene = Scene::running(2).seen(|seen| drop(seen.crawlers.remove(&1)));
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Make);
    let scene = scene.unreachable(Unreachable::Timeout);
    assert_eq!(scene.pod_verdict("crawl-news-1"), None);
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-1").unwrap().0,
        Does::Keep
    );
}

#[test]
fn a_finished_instance_is_not_made_again() {
    let scene = Scene::running(2)
        .entry(1, Entry::Done)
        .seen(|seen| drop(seen.crawlers.remove(&1)));
    assert_eq!(scene.pod_verdict("crawl-news-1"), None);
}

#[test]
fn t5_a_parent_being_deleted_gets_no_new_pod_in_sync() {
    let scene = Scene::new(1).seen(|seen| seen.job.terminating = true);
    assert_eq!(scene.pod_verdict("crawl-news-0"), None);
}

fn queued(running: Option<&str>) -> Scene {
    let mut scene = Scene::new(1).spec(|spec| spec.org = Some("acme".into()));
    scene.policy.org_max_concurrent.insert("acme".into(), 1);
    let ticket = running.map(|running| ConfigMap {
        name: "crawl-ticket-news".into(),
        uid: "uid".into(),
        terminating: false,
        data: BTreeMap::from([("running".to_owned(), running.to_owned())]),
        anchor: None,
    });
    scene.seen(|seen| seen.ticket = ticket)
}

#[test]
fn q1_no_pod_before_the_own_ticket_is_observed_running() {
    assert_eq!(queued(None).pod_verdict("crawl-news-0"), None);
    assert_eq!(queued(Some("no")).pod_verdict("crawl-news-0"), None);
    assert_eq!(queued(Some("yes")).pod_verdict("crawl-news-0").unwrap().0, Does::Make);
}

#[test]
fn q1_a_full_org_makes_a_job_wait_and_shows_its_place() {
    let other = Ticket {
        job: "blog".into(),
        created: None,
        running: true,
    };
    let scene = queued(Some("no")).seen(|seen| seen.tickets = vec![other]);
    let queue = scene.decide().status.queue.unwrap();
    assert_eq!((queue.position, queue.ahead), (1, 1));
    assert_eq!(scene.decide().wake, Wake::After(60));
}

#[test]
fn q1_a_ticket_of_a_job_whose_org_has_no_limit_goes_and_is_named() {
    let scene = queued(Some("no")).spec(|spec| spec.org = None);
    assert_eq!(
        scene.verdict("ConfigMap", "crawl-ticket-news"),
        Some((Does::CallBack, "Q1"))
    );
}

#[test]
fn w1_a_ticket_whose_word_is_not_observed_is_looked_for_soon() {
    assert_eq!(queued(None).decide().wake, Wake::After(3));
    assert_eq!(queued(Some("no")).decide().wake, Wake::After(3), "its turn");
}

#[test]
fn d2_a_redis_pod_that_waits_for_its_volume_gets_one() {
    let scene = Scene::running(1).seen(|seen| {
        seen.redis_volume = None;
        seen.redis.as_mut().unwrap().pod.phase = crate::observed::Phase::Pending;
    });
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "redis-news"),
        Some((Does::Make, "D2"))
    );
}
