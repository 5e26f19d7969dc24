//! Rules E1 to E6: how a crawl ends, and that nothing ends without evidence.

use super::scene::{Scene, ago, children};
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::desired::Does;
use crate::observed::PodState;
use crate::outside::store::{Entry, RateLimit, StoreWrite, Unreachable};

/// Both instances done, one file line each read by the register.
fn done(scale: u32) -> Scene {
    let mut scene = Scene::running(scale).store(|view| {
        view.queued = 0;
        view.in_progress = 0;
        view.done = 10;
    });
    for index in 0..scale {
        scene = scene.crawler(index, PodState::Succeeded).entry(index, Entry::Done);
    }
    scene.files(u64::from(scale), u64::from(scale))
}

#[test]
fn e1_all_finished_proposes_complete_and_changes_nothing_else() {
    let scene = done(2);
    assert_eq!(scene.next().result, Some(CrawlState::Complete));
    assert_eq!(
        children(&scene.decide()).len(),
        3 + 3 + 2,
        "pods, volumes, configuration and register"
    );
    assert_ne!(scene.shown(), CrawlState::Complete, "E5: shown once it is observed");
}

#[test]
fn s3_a_verdict_waits_for_every_line_in_the_observed_register() {
    let scene = done(2).files(2, 1);
    assert_eq!(scene.next().result, None);
    assert_eq!(scene.next().files.lines, 2);
}

#[test]
fn i1_a_final_entry_beside_a_running_container_is_not_finished() {
    let scene = done(1).crawler(0, PodState::Running);
    assert_eq!(scene.next().result, None);
}

#[test]
fn e1_absence_of_a_pod_is_no_evidence() {
    let scene = Scene::running(2).seen(|seen| seen.crawlers.clear());
    assert_eq!(scene.next().result, None);
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Make);
}

#[test]
fn e1_an_instance_that_never_ran_does_not_hold_up_the_end() {
    let scene = done(2).seen(|seen| drop(seen.crawlers.remove(&1))).store(|view| {
        view.entries.remove(&1);
    });
    assert_eq!(scene.next().result, Some(CrawlState::Complete));
    assert_eq!(scene.pod_verdict("crawl-news-1"), None);
}

#[test]
fn e1_a_single_page_without_a_file_failed() {
    let scene = done(1).store(|view| view.seen = 1).state(|state| {
        state.counters = None;
    });
    assert_eq!(scene.clone().files(0, 0).next().result, Some(CrawlState::Failed));
    assert_eq!(scene.files(1, 1).next().result, Some(CrawlState::Complete));
}

#[test]
fn e1_the_users_stop_gives_its_own_state() {
    let scene = done(2).spec(|spec| spec.stopping = true);
    assert_eq!(scene.next().result, Some(CrawlState::StoppedByUser));
    assert_eq!(scene.next().stop_reason, Some(StopReason::StoppedByUser));
}

#[test]
fn e2_none_done_is_failed_with_its_reason() {
    let failed = Scene::running(1)
        .crawler(0, PodState::Succeeded)
        .entry(0, Entry::Failed);
    assert_eq!(failed.next().result, Some(CrawlState::Failed));
    let login = failed.store(|view| view.not_logged_in = true);
    assert_eq!(login.next().result, Some(CrawlState::FailedNotLoggedIn));
}

#[test]
fn e2_stopped_with_no_page_done_is_canceled() {
    let scene = Scene::running(1)
        .crawler(0, PodState::Succeeded)
        .entry(0, Entry::Failed);
    let scene = scene.spec(|spec| spec.stopping = true).store(|view| view.done = 0);
    assert_eq!(scene.next().result, Some(CrawlState::Canceled));
}

#[test]
fn e3_exits_4_and_17_of_all_fail_the_crawl() {
    let scene = |code| Scene::running(1).crawler(0, PodState::BackingOff).exit(0, code);
    assert_eq!(scene(17).next().result, Some(CrawlState::Failed));
    assert_eq!(scene(4).next().result, Some(CrawlState::Failed));
    assert_eq!(scene(11).next().result, None);
    let one_runs = Scene::running(2).crawler(0, PodState::BackingOff).exit(0, 17);
    assert_eq!(one_runs.next().result, None);
}

#[test]
fn e3_five_crashes_with_nothing_left_or_twenty_at_all() {
    let crashed = |times, queued| {
        let scene = Scene::running(1).crawler(0, PodState::BackingOff).exit(0, 1);
        let scene = scene.store(|view| {
            view.queued = queued;
            view.in_progress = 0;
        });
        scene.line(0, |line| {
            line.crashes = times;
            line.exit = Some("container-1".into());
        })
    };
    assert_eq!(crashed(5, 0).next().result, Some(CrawlState::Failed));
    assert_eq!(crashed(4, 0).next().result, None);
    assert_eq!(crashed(19, 7).next().result, None);
    assert_eq!(crashed(20, 7).next().result, Some(CrawlState::Failed));
}

#[test]
fn e3_without_the_store_no_crash_ends_a_crawl() {
    let scene = Scene::running(1)
        .crawler(0, PodState::BackingOff)
        .exit(0, 17)
        .unreachable(Unreachable::Refused);
    assert_eq!(scene.next().result, None);
}

#[test]
fn e3_exit_18_of_all_is_rate_limited_and_a_stop_after_its_limit() {
    let scene = Scene::running(1).crawler(0, PodState::BackingOff).exit(0, 18);
    assert_eq!(scene.shown(), CrawlState::RateLimited);
    let long = scene.store(|view| view.rate_limit = Some(limited_for_13_hours()));
    assert_eq!(long.next().stop_reason, Some(StopReason::RateLimited));
}

#[test]
fn e6_a_try_after_a_back_off_ends_no_rate_limit_and_a_page_done_does() {
    let limited = || Scene::running(1).store(|view| view.rate_limit = Some(limited_for_13_hours()));
    let ended = |scene: Scene| scene.decide().effects.contains(&StoreWrite::DeleteRateLimit);
    let trying = || limited().crawler(0, PodState::Running).exit(0, 18);
    assert!(!ended(trying()), "a try");
    assert!(
        !ended(limited().crawler(0, PodState::BackingOff).exit(0, 137)),
        "another crash"
    );
    assert!(ended(trying().store(|view| view.done += 1)), "a page");
    let resting = trying().spec(|spec| spec.paused_at = Some(ago(60)));
    assert!(ended(resting), "a pause");
    let good = limited().crawler(0, PodState::BackingOff).exit(0, 18);
    let good = good.store(|view| view.done += 1);
    assert_eq!(good.next().stop_reason, None, "pages were done since");
}

fn limited_for_13_hours() -> RateLimit {
    RateLimit {
        since: ago(13 * 3600),
        done: 5,
    }
}

#[test]
fn e4_stopping_before_the_start_is_canceled_and_does_not_say_started() {
    let scene = Scene::new(1)
        .crawler(0, PodState::Unplaced(None))
        .spec(|spec| spec.stopping = true);
    assert_eq!(scene.next().result, Some(CrawlState::Canceled));
    assert!(!scene.next().started);
}

#[test]
fn d5_five_early_ends_fail_the_crawl() {
    let scene = Scene::running(1).crawler(0, PodState::Succeeded).line(0, |line| {
        line.early_ends = 5;
        line.exit = Some("container-0".into());
    });
    assert_eq!(scene.next().result, Some(CrawlState::Failed));
}

#[test]
fn e6_limits_stop_once_reached() {
    let slow = Scene::running(1).spec(|spec| spec.timeout = Some(500));
    assert_eq!(slow.next().stop_reason, Some(StopReason::TimeLimit));
    let big = Scene::running(1).spec(|spec| spec.max_size = Some(10)).store(|view| {
        view.sizes.insert(0, 5000);
    });
    assert_eq!(big.next().stop_reason, Some(StopReason::SizeLimit));
    let within = Scene::running(1).spec(|spec| spec.timeout = Some(700));
    assert_eq!(within.next().stop_reason, None);
}

#[test]
fn e5_a_result_only_in_the_status_is_written_again_and_everything_is_kept() {
    let scene = Scene::running(1).seen(|seen| seen.previous.state = Some(CrawlState::Complete));
    assert_eq!(scene.next().result, Some(CrawlState::Complete));
    assert_eq!(scene.pod_verdict("crawl-news-0").unwrap().0, Does::Keep);
}

#[test]
fn o12_a_phase_after_the_result_changes_nothing() {
    let over = |state| {
        Scene::running(1)
            .state(|old| old.result = Some(CrawlState::Complete))
            .crawler(0, state)
    };
    assert_eq!(over(PodState::Lost("Evicted".into())).shown(), CrawlState::Complete);
    assert_eq!(over(PodState::Running).shown(), CrawlState::Complete);
}

#[test]
fn e3_hopeless_and_worn_out_instances_together_end_the_crawl() {
    let scene = Scene::running(2).crawler(0, PodState::BackingOff).exit(0, 17);
    let scene = scene.crawler(1, PodState::BackingOff).exit(1, 1).line(1, |line| {
        line.crashes = 20;
        line.exit = Some("container-1".into());
    });
    assert_eq!(scene.next().result, Some(CrawlState::Failed));
}

#[test]
fn i3_while_pausing_flushed_instances_do_not_keep_a_hopeless_one_alive() {
    let scene = Scene::running(2)
        .spec(|spec| spec.paused_at = Some(ago(60)))
        .entry(0, Entry::Interrupted);
    let scene = scene
        .seen(|seen| drop(seen.crawlers.remove(&0)))
        .crawler(1, PodState::BackingOff)
        .exit(1, 4);
    let scene = scene.store(|view| {
        view.sizes.insert(0, 0);
    });
    assert_eq!(scene.next().result, Some(CrawlState::Failed));
}

#[test]
fn d5_early_ends_are_counted_also_when_crashes_are_at_their_limit() {
    let scene = Scene::running(1).crawler(0, PodState::Succeeded).line(0, |line| {
        line.crashes = 20;
        line.pages_done = 5;
    });
    assert_eq!(scene.next().instances[&0].early_ends, 1);
}

#[test]
fn e5_the_register_says_why_and_the_condition_shows_it() {
    let why = done(1).next().because;
    assert_eq!(why.as_deref(), Some("every instance is finished (E1)"));
    let observed = done(1).state(|state| {
        state.result = Some(CrawlState::Complete);
        state.because = why;
    });
    let conditions = observed.decide().status.conditions;
    let complete = conditions
        .iter()
        .find(|condition| condition.r#type == "Complete")
        .unwrap();
    assert!(complete.message.ends_with("Why: every instance is finished (E1)."));
}
