//! Rules D5, O5, I1, R1, Z1, Z3: who is called back, and who never is.

use super::scene::{Scene, ago, exit, now};
use crate::desired::Does;
use crate::observed::PodState;
use crate::outside::store::{Entry, Unreachable};

const BACK: Does = Does::CallBack;

fn lost() -> PodState {
    PodState::Lost("Evicted".into())
}

#[test]
fn o5_a_lost_pod_is_called_back_and_its_volume_and_redis_stay() {
    let scene = Scene::running(2).crawler(1, lost());
    assert_eq!(scene.pod_verdict("crawl-news-1"), Some((BACK, "O5")));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    assert_eq!(scene.pod_verdict("redis-news").unwrap().0, Does::Keep);
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "crawl-news-1").unwrap().0,
        Does::Keep
    );
}

#[test]
fn o5_a_lost_pod_is_called_back_without_the_store() {
    let scene = Scene::running(2).crawler(1, lost()).unreachable(Unreachable::Refused);
    assert_eq!(scene.pod_verdict("crawl-news-1"), Some((BACK, "O5")));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn d5_a_pod_refused_a_moment_ago_waits_ten_seconds() {
    let refused = |seconds| {
        Scene::running(2).crawler(1, lost()).pod(1, |crawler| {
            crawler.pod.ever_started = false;
            crawler.pod.created = Some(ago(seconds));
        })
    };
    assert_eq!(refused(9).pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
    assert_eq!(refused(10).pod_verdict("crawl-news-1").unwrap().0, BACK);
}

#[test]
fn o4_a_terminating_pod_is_left_alone() {
    let scene = Scene::running(2)
        .crawler(1, lost())
        .pod(1, |crawler| crawler.pod.terminating = true);
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
}

#[test]
fn o5_a_lost_redis_is_called_back_and_its_volume_stays() {
    let scene = Scene::running(1).unreachable(Unreachable::NotRunning).seen(|seen| {
        seen.redis.as_mut().unwrap().pod.state = lost();
    });
    assert_eq!(scene.pod_verdict("redis-news"), Some((BACK, "O5")));
    assert_eq!(
        scene.verdict("PersistentVolumeClaim", "redis-news").unwrap().0,
        Does::Keep
    );
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn i1_succeeded_without_a_final_entry_is_called_back() {
    let scene = Scene::running(2).crawler(1, PodState::Succeeded);
    assert_eq!(scene.pod_verdict("crawl-news-1"), Some((BACK, "I1")));
    assert_eq!(scene.next().instances[&1].early_ends, 1);
}

#[test]
fn i1_without_the_store_nothing_is_concluded_from_a_succeeded_pod() {
    let scene = Scene::running(2)
        .crawler(1, PodState::Succeeded)
        .unreachable(Unreachable::Timeout);
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
}

#[test]
fn i1_succeeded_with_a_final_entry_stays_until_the_end() {
    let scene = Scene::running(2).crawler(1, PodState::Succeeded).entry(1, Entry::Done);
    assert_eq!(scene.pod_verdict("crawl-news-1").unwrap().0, Does::Keep);
}

#[test]
fn r1_a_restart_is_due_once_per_pod() {
    let due = Scene::running(1).spec(|spec| spec.restart_time = Some(ago(60)));
    assert_eq!(due.pod_verdict("crawl-news-0"), Some((BACK, "R1")));
    let made_for_it = due.clone().pod(0, |crawler| crawler.restart_time = Some(ago(60)));
    assert_eq!(made_for_it.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    let younger = due.pod(0, |crawler| crawler.pod.created = Some(ago(30)));
    assert_eq!(younger.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn r1_works_without_the_store_and_not_for_redis() {
    let scene = Scene::running(1)
        .spec(|spec| spec.restart_time = Some(ago(60)))
        .unreachable(Unreachable::Timeout);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, BACK);
    assert_eq!(scene.pod_verdict("redis-news").unwrap().0, Does::Keep);
}

#[test]
fn o10_an_instant_in_the_future_restarts_nothing() {
    let scene = Scene::running(1).spec(|spec| spec.restart_time = Some(ago(-60)));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn z1_out_of_memory_grows_the_register_first_and_the_pod_once_it_is_observed() {
    let oom = |id: &str| {
        let mut exit = exit(137);
        exit.id = id.to_owned();
        exit.out_of_memory = true;
        exit
    };
    let scene = Scene::running(1).pod(0, |crawler| crawler.pod.last_exit = Some(oom("first")));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    let line = scene.next().instances[&0].clone();
    assert_eq!(line.memory, Some((1 << 30) * 120 / 100));
    let observed = scene.line(0, |old| *old = line);
    assert_eq!(observed.pod_verdict("crawl-news-0"), Some((BACK, "Z1")));
    assert_eq!(
        observed.next().instances[&0].memory,
        Some((1 << 30) * 120 / 100),
        "once per exit"
    );
}

#[test]
fn z1_memory_never_grows_beyond_the_maximum() {
    let mut scene = Scene::running(1).pod(0, |crawler| {
        let mut exit = exit(137);
        exit.out_of_memory = true;
        crawler.pod.last_exit = Some(exit);
    });
    scene.policy.memory_max = (1 << 30) + 1;
    assert_eq!(scene.next().instances[&0].memory, Some((1 << 30) + 1));
}

#[test]
fn z3_workers_count_only_when_set_in_the_spec() {
    assert_eq!(
        Scene::running(1)
            .spec(|spec| spec.workers = 4)
            .pod_verdict("crawl-news-0")
            .unwrap()
            .0,
        Does::Keep
    );
    let set = Scene::running(1).spec(|spec| spec.workers_set = Some(4));
    assert_eq!(set.pod_verdict("crawl-news-0"), Some((BACK, "Z3")));
    let unknown = set.pod(0, |crawler| crawler.workers = None);
    assert_eq!(unknown.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn d5_restart_grown_and_workers_leave_finished_instances_alone() {
    let scene = Scene::running(1)
        .crawler(0, PodState::Succeeded)
        .entry(0, Entry::Done)
        .spec(|spec| {
            spec.restart_time = Some(now());
            spec.workers_set = Some(4);
        });
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn a_crash_loop_is_counted_once_per_exit_and_never_called_back() {
    let scene = Scene::running(1).crawler(0, PodState::BackingOff).exit(0, 1);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    let line = scene.next().instances[&0].clone();
    assert_eq!(line.crashes, 1);
    let again = scene.line(0, |old| *old = line);
    assert_eq!(again.next().instances[&0].crashes, 1);
}
