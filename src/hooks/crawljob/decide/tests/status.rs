//! Rules M, I4, E7, W and the conditions: what is shown.

use super::scene::{Scene, ago};
use crate::api::v1::ConditionStatus;
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::Wake;
use crate::hooks::crawljob::observed::Observed;
use crate::hooks::crawljob::spec::SpecFault;
use crate::observed::PodState;
use crate::outside::store::{Entry, Unreachable};

#[test]
fn i4_the_earliest_stage_of_any_running_instance_is_shown() {
    let scene = Scene::running(2)
        .entry(0, Entry::UploadingWacz)
        .entry(1, Entry::PendingWait);
    assert_eq!(scene.shown(), CrawlState::PendingWait);
}

#[test]
fn m1_answers_that_judge_nothing_carry_the_full_status_too() {
    let whole = Scene::running(2).decide().status;
    let calls: [fn(&mut Observed); 3] = [
        |seen| seen.finalizing = true,
        |seen| seen.job.orphan = true,
        |seen| {
            seen.spec = Err(SpecFault {
                field: "scale".into(),
                problem: "is no number".into(),
            });
        },
    ];
    for call in calls {
        let status = Scene::running(2).seen(call).decide().status;
        assert_eq!((status.pages_found, &status.pods), (whole.pages_found, &whole.pods));
        assert_eq!(status.started_at, whole.started_at);
        assert!(status.conditions.len() >= 7, "{:?}", status.conditions);
    }
}

#[test]
fn no_crawler_running_is_starting_then_waiting_for_capacity() {
    let scene = Scene::new(1).crawler(0, PodState::Unplaced(Some("Unschedulable".into())));
    assert_eq!(
        scene.clone().seen(|seen| seen.job.created = Some(ago(149))).shown(),
        CrawlState::Starting
    );
    assert_eq!(
        scene.seen(|seen| seen.job.created = Some(ago(150))).shown(),
        CrawlState::WaitingCapacity
    );
}

#[test]
fn o6_a_container_being_made_does_not_run_and_costs_no_time() {
    let scene = Scene::new(1).crawler(0, PodState::Starting).started();
    assert_eq!(scene.shown(), CrawlState::WaitingCapacity);
    assert_eq!(scene.decide().status.crawl_exec_seconds, 0);
}

#[test]
fn s1_an_unreachable_store_is_said_and_lowers_no_counter() {
    let scene = Scene::running(1)
        .unreachable(Unreachable::Timeout)
        .seen(|seen| seen.previous.pages_found = 12);
    let status = scene.decide().status;
    assert_eq!(status.pages_found, 12);
    let condition = status
        .conditions
        .iter()
        .find(|condition| condition.r#type == "StoreReachable")
        .unwrap();
    assert_eq!(condition.status, ConditionStatus::False);
    assert_eq!(condition.reason, "Timeout");
    assert_eq!(scene.decide().wake, Wake::After(3));
}

#[test]
fn e7_running_time_is_shown_in_whole_minutes() {
    let status = Scene::running(2).decide().status;
    assert_eq!(status.crawl_exec_seconds, 2 * 590 / 60 * 60);
    assert_eq!(status.elapsed_seconds, 540);
}

#[test]
fn m4_size_counts_files_and_what_unfinished_instances_hold() {
    let scene = Scene::running(2).entry(1, Entry::Done).files(1, 1).store(|view| {
        view.sizes.insert(0, 500);
        view.sizes.insert(1, 700);
    });
    let status = scene.decide().status;
    assert_eq!((status.size, status.size_pending), (1500, 500));
}

#[test]
fn beyond_200_pods_only_those_that_need_attention_are_listed() {
    let scene = Scene::running(300).crawler(7, PodState::Stuck("ImagePullBackOff".into()));
    let status = scene.decide().status;
    assert_eq!(status.pods.keys().collect::<Vec<_>>(), ["7"]);
    assert_eq!(status.pod_counts["running"], 299);
}

#[test]
fn w1_a_final_job_that_is_taken_down_asks_for_no_call() {
    let scene = Scene::new(1)
        .started()
        .state(|state| state.result = Some(CrawlState::Complete));
    assert_eq!(scene.decide().wake, Wake::OnEvent);
    assert_eq!(Scene::running(1).decide().wake, Wake::After(10));
}

#[test]
fn conditions_keep_their_time_until_their_status_changes() {
    let first = Scene::running(1).decide().status.conditions;
    let mut later = Scene::running(1).seen(|seen| seen.previous.conditions.clone_from(&first));
    later.now = ago(-3600);
    assert_eq!(later.decide().status.conditions, first);
}

#[test]
fn s1_complete_names_the_store_while_it_hinders() {
    let why = |scene: &Scene| {
        let conditions = scene.decide().status.conditions;
        let complete = conditions.into_iter().find(|condition| condition.r#type == "Complete");
        complete.unwrap().reason
    };
    assert_eq!(why(&Scene::running(1)), "Running");
    let silent = Scene::running(1).unreachable(Unreachable::Timeout);
    assert_eq!(why(&silent), "StoreUnreachable");
    let blank = Scene::running(1).store(|view| view.mark = None);
    assert_eq!(why(&blank), "StoreLostItsData");
    let paused = silent.spec(|spec| spec.paused_at = Some(ago(60)));
    assert_eq!(why(&paused), "Pausing");
    let idle = Scene::new(1).started().crawler(0, PodState::Unplaced(None));
    assert_eq!(why(&idle), "WaitingCapacity", "nobody needs the store");
    assert_eq!(
        why(&Scene::new(1).crawler(0, PodState::Starting)),
        "WaitingCapacity",
        "not started"
    );
}
