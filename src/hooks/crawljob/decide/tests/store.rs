//! Rules S2 to S5: lost data, lines, marks and what is recorded before Redis goes.

use super::scene::{Scene, ago};
use crate::desired::{Child, Does};
use crate::hooks::crawljob::register::{self, RegisterSeen};
use crate::observed::{ConfigMap, PodState};
use crate::outside::store::{Entry, Mark, StoreView, StoreWrite, Unreachable};

fn blank(scale: u32) -> Scene {
    Scene::running(scale).store(|view| {
        view.mark = None;
        view.entries.clear();
        view.seen = 0;
        view.done = 0;
    })
}

#[test]
fn s2_the_mark_is_set_once_started_is_observed_and_read_back_as_marked() {
    let young = Scene::running(1)
        .state(|state| state.marked = false)
        .store(|view| view.mark = None);
    assert!(young.decide().effects.contains(&StoreWrite::SetMark(Mark::First)));
    assert!(!young.next().marked);
    let read = young.store(|view| view.mark = Some(Mark::First));
    assert!(read.next().marked);
}

#[test]
fn s2_a_blank_store_finishes_nothing_and_is_written_down_first() {
    let scene = blank(2);
    assert!(scene.next().renewed);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
    let outlived = blank(1).entry(0, Entry::Done).crawler(0, PodState::Succeeded);
    assert_eq!(outlived.next().result, None);
    assert_eq!(outlived.pod_verdict("crawl-news-0"), Some((Does::CallBack, "S2")));
}

#[test]
fn s2_once_renewed_is_observed_all_go_and_the_mark_is_set_when_none_is_left() {
    let observed = blank(2).state(|state| state.renewed = true);
    assert_eq!(observed.pod_verdict("crawl-news-0"), Some((Does::CallBack, "S2")));
    assert!(!observed.decide().effects.contains(&StoreWrite::SetMark(Mark::Renewed)));
    let empty = observed.seen(|seen| seen.crawlers.clear());
    let effects = empty.decide().effects;
    assert!(effects.contains(&StoreWrite::ForgetInstances));
    assert!(effects.contains(&StoreWrite::SetMark(Mark::Renewed)));
    assert_eq!(empty.pod_verdict("crawl-news-0"), None, "none is made while blank");
}

#[test]
fn s2_after_a_loss_a_missing_entry_proves_nothing() {
    let scene = Scene::running(1)
        .seen(|seen| seen.crawlers.clear())
        .state(|state| state.renewed = true);
    let scene = scene.store(|view| {
        view.mark = Some(Mark::Renewed);
        view.entries.clear();
        view.queued = 0;
        view.in_progress = 0;
    });
    assert_eq!(scene.next().result, None);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Make);
}

#[test]
fn s3_lines_are_read_from_where_the_register_stopped() {
    let next = Scene::running(1).files(5, 2).next();
    assert_eq!((next.files.lines, next.files.count, next.files.bytes), (5, 5, 5000));
}

#[test]
fn s3_another_list_is_read_again_from_the_start() {
    let scene = Scene::running(1)
        .files(5, 2)
        .store(|view| view.files.first_hash = Some("bbbbbbbbbbbbbbbb".into()));
    let next = scene.next();
    assert_eq!(
        (next.files.lines, next.files.count),
        (0, 2),
        "what was counted stays counted"
    );
}

#[test]
fn s4_stopping_is_set_until_it_is_read_and_never_removed() {
    let scene = Scene::running(1).spec(|spec| spec.stopping = true);
    assert!(scene.decide().effects.contains(&StoreWrite::SetStopping));
    let set = scene.store(|view| view.flags.stopping = true);
    assert!(!set.decide().effects.contains(&StoreWrite::SetStopping));
}

#[test]
fn d4_an_unplaced_crawler_alone_lets_redis_rest_after_its_idle_time() {
    let waiting = Scene::new(1)
        .started()
        .with_redis()
        .crawler(0, PodState::Unplaced(None));
    assert!(
        waiting
            .decide()
            .effects
            .iter()
            .any(|write| matches!(write, StoreWrite::SetIdleSince(_)))
    );
    let long = waiting.store(|view| view.idle_since = Some(ago(60)));
    assert_eq!(
        long.pod_verdict("redis-news").unwrap().0,
        Does::Keep,
        "the register comes first"
    );
    let written = long.next();
    let observed = long.state(|state| *state = written);
    assert_eq!(observed.pod_verdict("redis-news"), Some((Does::CallBack, "D4")));
    let gone = observed.seen(|seen| seen.redis = None).unreachable(Unreachable::NoPod);
    assert_eq!(gone.pod_verdict("redis-news"), None);
    assert_eq!(
        gone.verdict("PersistentVolumeClaim", "redis-news").unwrap().0,
        Does::Keep
    );
    let placed = gone.crawler(0, PodState::Starting);
    assert_eq!(placed.pod_verdict("redis-news").unwrap().0, Does::Make);
}

/// The scene in which the answered register is observed, and the list is read on from there.
fn observed_next(scene: &Scene) -> Scene {
    let decision = scene.decide();
    let mut maps = decision.children.iter().filter_map(|child| match child {
        Child::ConfigMap(map) if map.metadata.name.as_deref() == Some("crawl-register-news") => map.data.clone(),
        Child::ConfigMap(_) | Child::Reference(_) | Child::Pod(_) | Child::Volume(_) => None,
    });
    let data = maps.next().expect("a register is answered");
    let from = scene.next().files.lines;
    let read = scene.clone().store(|view| {
        view.files
            .lines
            .drain(..usize::try_from(from - view.files.from).unwrap());
        view.files.from = from;
    });
    read.seen(|seen| {
        if let RegisterSeen::Readable(_, map) = &seen.register {
            seen.register = register::read(ConfigMap { data, ..map.clone() });
        }
    })
}

fn lines_kept(scene: &Scene) -> usize {
    match &scene.observed.register {
        RegisterSeen::Readable(register, _) => register.files.len(),
        RegisterSeen::Missing | RegisterSeen::Unreadable(_) => 0,
    }
}

#[test]
fn s3_a_list_that_starts_anew_counts_no_file_twice_whose_line_was_dropped() {
    // Names so long that most lines do not fit.
    let named = |view: &mut StoreView| {
        for (number, line) in view.files.lines.iter_mut().flatten().enumerate() {
            line.filename = format!("{number}{}", "x".repeat(1000));
        }
    };
    let first = Scene::running(1).files(400, 0).store(named);
    let written = observed_next(&first);
    assert_eq!(written.next().files.count, 400);
    assert!(lines_kept(&written) < 250, "{} lines", lines_kept(&written));
    let another = written.store(|view| view.files.first_hash = Some("bbbbbbbbbbbbbbbb".into()));
    assert_eq!(another.next().files.lines, 0);
    let lines = Scene::running(1).files(400, 0).store(named).observed.store;
    let from_its_start = another
        .state(|state| state.files.lines = 0)
        .seen(|seen| seen.store = lines);
    let files = from_its_start.next().files;
    assert_eq!((files.lines, files.count, files.bytes), (400, 400, 400_000));
}
