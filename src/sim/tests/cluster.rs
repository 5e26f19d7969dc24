//! API server, caller, collector, and the world as a whole.

use super::*;

#[test]
fn the_same_seed_gives_the_same_run_and_another_one_another() -> Fallible {
    let trace = |seed| -> Result<World, Box<dyn std::error::Error>> {
        let mut world = crawling(seed, 2)?;
        run(&mut world, 300, stand_in, |_| false);
        Ok(world)
    };
    let (first, second, other) = (trace(11)?, trace(11)?, trace(12)?);
    assert_eq!(first.lines(), second.lines());
    assert!(first.api().all().eq(second.api().all()));
    assert_ne!(first.lines(), other.lines());
    Ok(())
}

#[test]
fn a_clone_goes_its_own_way() -> Fallible {
    let world = crawling(13, 1)?;
    let mut other = world.clone();
    other.delete(&job_key(), false)?;
    assert!(run(&mut other, 200, stand_in, |world| world
        .api()
        .get(&job_key())
        .is_none()));
    assert!(world.api().get(&job_key()).is_some());
    Ok(())
}

#[test]
fn a_parent_waits_for_finalize_and_takes_its_volumes_with_it() -> Fallible {
    let mut world = crawling(14, 1)?;
    world.delete(&job_key(), false)?;
    assert!(run(&mut world, 200, stand_in, |world| world
        .api()
        .get(&job_key())
        .is_none()));
    assert_eq!(world.api().list(CLAIM).count(), 0);
    assert_eq!(world.losses().len(), 1, "this hook saves nothing");
    Ok(())
}

#[test]
fn a_claim_stays_while_a_pod_uses_it() -> Fallible {
    let mut world = crawling(15, 1)?;
    let claim = Key::new(CLAIM, NAMESPACE, "crawl-news-0");
    world.delete(&claim, false)?;
    run(&mut world, 2, stand_in, |_| false);
    assert!(
        world
            .api()
            .get(&claim)
            .is_some_and(super::super::metacontroller::terminating)
    );
    world.delete(&pod_key("crawl-news-0"), false)?;
    assert!(run(
        &mut world,
        60,
        |_| Reply::Nothing,
        |world| world.api().get(&claim).is_none()
    ));
    Ok(())
}

#[test]
fn orphaned_children_stay_without_owner_and_are_adopted_by_the_next_parent() -> Fallible {
    let mut world = crawling(16, 1)?;
    world.delete(&job_key(), true)?;
    // As the rules ask: keep everything, let the parent go.
    let keep_all = |call: &Call| match call.hook {
        HookCall::Finalize => {
            let groups = call.body["children"].as_object().into_iter().flatten();
            let children: Vec<Value> = groups
                .flat_map(|(_, group)| group.as_object().into_iter().flatten())
                .map(|(_, child)| child.clone())
                .collect();
            let answer = json!({"children": children, "finalized": true});
            Reply::Http {
                status: 200,
                retry_after: None,
                body: answer.to_string().into_bytes(),
            }
        }
        HookCall::Sync | HookCall::Customize => stand_in(call),
    };
    assert!(run(&mut world, 60, keep_all, |world| world
        .api()
        .get(&job_key())
        .is_none()));
    assert!(pod(&world, "crawl-news-0").is_some_and(|pod| pod["metadata"]["ownerReferences"] == json!([])));
    world.create(&job(1))?;
    let adopted = |world: &World| {
        pod(world, "crawl-news-0").is_some_and(|pod| pod["metadata"]["ownerReferences"][0]["controller"] == true)
    };
    assert!(run(&mut world, 60, keep_all, adopted));
    assert!(world.losses().is_empty());
    Ok(())
}

#[test]
fn with_the_anchor_as_second_owner_children_outlive_a_parent_that_vanishes() -> Fallible {
    let mut world = world(17)?;
    let anchor =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": NAMESPACE, "name": "anchor"}});
    world.create(&anchor)?;
    let anchor = world.api().get(&Key::of(&anchor)).ok_or("no anchor")?["metadata"]["uid"].clone();
    let owner = |name: &str, kind: &str, uid: &Value| json!({"apiVersion": if kind == "ConfigMap" { "v1" } else { "x/v1" }, "kind": kind, "name": name, "uid": uid});
    for (name, owners) in [
        (
            "kept",
            json!([
                owner("gone", "Gone", &json!("u")),
                owner("anchor", "ConfigMap", &anchor)
            ]),
        ),
        ("collected", json!([owner("gone", "Gone", &json!("u"))])),
    ] {
        world.create(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": NAMESPACE, "name": name, "ownerReferences": owners}}))?;
    }
    world
        .create(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": NAMESPACE, "name": "x"}}))?;
    world.delete(&Key::new("ConfigMap.v1", NAMESPACE, "x"), false)?;
    run(&mut world, 5, stand_in, |_| false);
    assert!(
        world
            .api()
            .get(&Key::new("ConfigMap.v1", NAMESPACE, "collected"))
            .is_none()
    );
    let kept = world
        .api()
        .get(&Key::new("ConfigMap.v1", NAMESPACE, "kept"))
        .ok_or("collected")?;
    assert_eq!(kept["metadata"]["ownerReferences"].as_array().map(Vec::len), Some(1));
    Ok(())
}

#[test]
fn a_hook_that_is_away_is_called_again_with_growing_waits_and_nothing_changes() -> Fallible {
    let mut world = crawling(18, 1)?;
    let objects = world.api().list(POD).count();
    world.edit(&job_key(), "scales", |job| job["spec"]["scale"] = json!(0))?;
    run(&mut world, 60, |_| Reply::Nothing, |_| false);
    assert_eq!(world.api().list(POD).count(), objects);
    assert!(world.counters().failures > 5 && world.counters().failures < 100);
    assert!(run(&mut world, 120, stand_in, |world| pod(world, "crawl-news-0").is_none()));
    Ok(())
}

#[test]
fn a_settled_cluster_is_not_called_about_again() -> Fallible {
    let mut world = crawling(19, 1)?;
    run(&mut world, 600, stand_in, |world| {
        phase(world, "crawl-news-0") == "Succeeded"
    });
    run(&mut world, 5, stand_in, |_| false);
    let before = world.counters();
    run(&mut world, 600, stand_in, |_| false);
    assert_eq!(world.counters(), before);
    Ok(())
}

#[test]
fn a_caller_that_is_killed_forgets_its_queue_and_finds_everything_again() -> Fallible {
    let mut world = crawling(20, 1)?;
    world.restart_caller();
    world.edit(&job_key(), "scales", |job| job["spec"]["scale"] = json!(2))?;
    assert!(run(&mut world, 60, stand_in, |world| running(world, "crawl-news-1")));
    Ok(())
}
