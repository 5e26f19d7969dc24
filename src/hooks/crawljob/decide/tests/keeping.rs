//! Steps 1 and 3 and rule M3: answers that keep everything, and a status that never decides.

use super::scene::{Scene, ago, children};
use crate::api::v1::crawljob_status::CrawlState;
use crate::desired::{Does, Finalized};
use crate::hooks::crawljob::spec::SpecFault;
use crate::observed::PodState;

#[test]
fn an_unusable_spec_keeps_every_child_and_names_the_field() {
    let fault = SpecFault {
        field: "scale".into(),
        problem: "is no number".into(),
    };
    let scene = Scene::running(3)
        .crawler(1, PodState::Lost("Evicted".into()))
        .seen(|seen| seen.spec = Err(fault));
    let decision = scene.decide();
    assert_eq!(children(&decision).len(), 4 + 4 + 2);
    let condition = decision
        .status
        .conditions
        .iter()
        .find(|condition| condition.r#type == "SpecValid")
        .unwrap();
    assert!(condition.message.contains("spec.scale"));
}

#[test]
fn t5_with_the_finalizer_orphan_everything_is_kept_and_finalized() {
    let scene = Scene::running(2).seen(|seen| {
        seen.finalizing = true;
        seen.job.orphan = true;
    });
    let decision = scene.decide();
    assert_eq!(decision.finalized, Finalized::Yes);
    assert_eq!(children(&decision).len(), 3 + 3 + 2);
    assert!(decision.effects.is_empty());
}

#[test]
fn m3_a_wiped_or_earlier_status_changes_no_child() {
    let scenes = [
        Scene::running(2),
        Scene::running(2).crawler(1, PodState::Lost("Evicted".into())),
        Scene::running(2)
            .crawler(1, PodState::Succeeded)
            .entry(1, crate::outside::store::Entry::Done),
        Scene::running(2).seen(|seen| drop(seen.crawlers.remove(&0))),
        Scene::running(2).state(|state| state.result = Some(CrawlState::Complete)),
    ];
    for scene in scenes {
        let earlier = scene.clone().seen(|seen| {
            seen.previous.state = Some(CrawlState::Running);
            seen.previous.started_at = Some(ago(500));
            seen.previous.pages_found = 400;
            seen.previous.size_pending = 7;
        });
        assert_eq!(scene.decide().children, earlier.decide().children);
    }
}

#[test]
fn m2_equal_input_gives_an_equal_answer() {
    let scene = Scene::running(3);
    assert_eq!(scene.decide(), scene.decide());
}

#[test]
fn o2_children_of_another_owner_are_named_and_left_out() {
    let scene = Scene::running(1).seen(|seen| seen.ignored.push(("Pod", "stranger".into())));
    assert_eq!(scene.pod_verdict("stranger"), Some((Does::Ignore, "O2")));
    assert!(!children(&scene.decide()).contains(&("Pod", "stranger".to_owned())));
}

#[test]
fn i1_a_job_made_again_takes_the_cancel_flag_back() {
    let scene = Scene::running(1).store(|view| view.flags.canceled = true);
    assert!(
        scene
            .decide()
            .effects
            .contains(&crate::outside::store::StoreWrite::DeleteCanceled)
    );
}

#[test]
fn q2_an_unusable_spec_with_nothing_there_gives_its_place_in_the_queue_back() {
    let ticket = |name: &str| crate::observed::ConfigMap {
        name: name.into(),
        uid: "uid".into(),
        terminating: false,
        data: std::collections::BTreeMap::new(),
        anchor: None,
    };
    let scene = Scene::new(1).seen(|seen| {
        seen.ticket = Some(ticket("crawl-ticket-news"));
        seen.spec = Err(SpecFault {
            field: "scale".into(),
            problem: "is no number".into(),
        });
    });
    assert_eq!(
        scene.verdict("ConfigMap", "crawl-ticket-news"),
        Some((Does::CallBack, "Q2"))
    );
    let with_pod = scene.crawler(0, PodState::Running);
    assert_eq!(
        with_pod.verdict("ConfigMap", "crawl-ticket-news").unwrap().0,
        Does::Keep
    );
}

#[test]
fn e5_a_final_status_beside_an_unusable_spec_asks_for_the_register() {
    let scene = Scene::new(1).seen(|seen| {
        seen.register = crate::hooks::crawljob::register::RegisterSeen::Missing;
        seen.previous.state = Some(CrawlState::Complete);
        seen.spec = Err(SpecFault {
            field: "scale".into(),
            problem: "is no number".into(),
        });
    });
    assert_eq!(scene.next().result, Some(CrawlState::Complete));
}

#[test]
fn o2_a_name_that_belongs_to_another_owner_is_held_back() {
    let scene = Scene::new(1).seen(|seen| seen.ignored.push(("PersistentVolumeClaim", "crawl-news-0".into())));
    assert_eq!(scene.pod_verdict("crawl-news-0"), None);
    for kind in ["Pod", "PersistentVolumeClaim"] {
        let scene = Scene::new(1)
            .state(|state| state.started = true)
            .seen(|seen| seen.ignored.push((kind, "redis-news".into())));
        let made = |kind| {
            scene
                .verdict(kind, "redis-news")
                .is_some_and(|(does, _)| does == Does::Make)
        };
        assert!(
            !made("Pod") && !made("PersistentVolumeClaim"),
            "beside another's {kind}"
        );
    }
}

#[test]
fn d6_another_configuration_leaves_the_old_one_while_a_pod_may_mount_it() {
    let from = |scene: Scene| {
        scene.spec(|spec| {
            let (name, key) = ("mine".to_owned(), "crawl.json".to_owned());
            spec.config = crate::hooks::crawljob::spec::Config::From { name, key };
        })
    };
    let mounted = from(Scene::running(1));
    assert_eq!(mounted.verdict("ConfigMap", "crawl-config-news").unwrap().0, Does::Keep);
    let nobody = from(Scene::new(1));
    assert_eq!(
        nobody.verdict("ConfigMap", "crawl-config-news"),
        Some((Does::CallBack, "D6"))
    );
}
