//! Kubelet and crawlers.

use super::*;

/// Changes the store as a hook would.
fn set_flag(world: &mut World, name: &str) {
    let stores = crate::outside::memory::MemoryStores::new();
    world.lend_stores(&stores);
    stores.edit(NAMESPACE, "news", |store| store.set(&format!("news:{name}"), "1"));
    world.take_stores(&stores);
}

#[test]
fn a_pod_goes_from_pending_over_creating_to_running() -> Fallible {
    let mut world = world(1)?;
    world.create(&job(1))?;
    assert!(run(&mut world, 5, stand_in, |world| phase(world, "crawl-news-0")
        == "Pending"));
    assert!(run(
        &mut world,
        5,
        stand_in,
        |world| state(world, "crawl-news-0")["waiting"]["reason"] == "ContainerCreating"
    ));
    assert!(run(&mut world, 5, stand_in, |world| running(world, "crawl-news-0")));
    assert_eq!(
        world
            .api()
            .get(&Key::new(CLAIM, NAMESPACE, "crawl-news-0"))
            .map(|claim| &claim["status"]["phase"]),
        Some(&json!("Bound"))
    );
    Ok(())
}

#[test]
fn a_crawl_without_faults_uploads_every_page_once_and_announces_every_archive() -> Fallible {
    let mut world = crawling(2, 2)?;
    let over = |world: &World| {
        ["crawl-news-0", "crawl-news-1"]
            .iter()
            .all(|name| phase(world, name) == "Succeeded")
    };
    assert!(run(&mut world, 600, stand_in, over), "{:#?}", world.lines());
    assert_eq!(world.bucket().pages(), 30);
    assert!(world.bucket().uploads.iter().all(|upload| upload.announced));
    assert_eq!(entry(&world, "crawl-news-0").as_deref(), Some("done"));
    let redis = pod(&world, "redis-news")
        .and_then(|redis| world.disk_of(redis))
        .ok_or("no store")?;
    assert_eq!(redis.store.llen("crawls-done")?, world.bucket().uploads.len());
    Ok(())
}

#[test]
fn a_killed_crawler_is_started_at_once_then_backs_off_and_keeps_its_folder() -> Fallible {
    let mut world = crawling(3, 1)?;
    let pages = world.unsaved_pages();
    world.kill(NAMESPACE, "crawl-news-0", 137, "OOMKilled")?;
    assert_eq!(state(&world, "crawl-news-0")["terminated"]["reason"], "OOMKilled");
    assert!(run(&mut world, 2, stand_in, |world| running(world, "crawl-news-0")));
    world.kill(NAMESPACE, "crawl-news-0", 137, "Error")?;
    assert!(!run(&mut world, 8, stand_in, |world| running(world, "crawl-news-0")));
    assert_eq!(state(&world, "crawl-news-0")["waiting"]["reason"], "CrashLoopBackOff");
    assert!(run(&mut world, 8, stand_in, |world| running(world, "crawl-news-0")));
    assert!(world.unsaved_pages() >= pages);
    Ok(())
}

#[test]
fn a_deleted_crawler_ends_with_11_interrupted_and_its_successor_goes_on() -> Fallible {
    let mut world = crawling(4, 1)?;
    let uid = pod(&world, "crawl-news-0").map(|pod| pod["metadata"]["uid"].clone());
    world.delete(&pod_key("crawl-news-0"), false)?;
    assert!(pod(&world, "crawl-news-0").is_some_and(|pod| !pod["metadata"]["deletionTimestamp"].is_null()));
    assert!(run(&mut world, 30, stand_in, |world| pod(world, "crawl-news-0").is_none()));
    assert!(
        world
            .lines()
            .iter()
            .any(|line| line.what == "crawl-news-0 ended with 11 (Error)")
    );
    assert_eq!(entry(&world, "crawl-news-0").as_deref(), Some("interrupted"));
    assert!(run(&mut world, 600, stand_in, |world| phase(world, "crawl-news-0")
        == "Succeeded"));
    assert_ne!(
        pod(&world, "crawl-news-0").map(|pod| pod["metadata"]["uid"].clone()),
        uid
    );
    assert_eq!(world.bucket().pages(), 30);
    Ok(())
}

#[test]
fn an_evicted_pod_has_failed_and_is_not_started_again() -> Fallible {
    let mut world = crawling(5, 1)?;
    world.evict(NAMESPACE, "crawl-news-0")?;
    run(&mut world, 60, stand_in, |_| false);
    assert_eq!(phase(&world, "crawl-news-0"), "Failed");
    assert_eq!(entry(&world, "crawl-news-0").as_deref(), Some("running"));
    Ok(())
}

#[test]
fn paused_uploads_empties_the_folder_and_exits_0_interrupted() -> Fallible {
    let mut world = crawling(6, 1)?;
    set_flag(&mut world, "paused");
    assert!(run(&mut world, 30, stand_in, |world| phase(world, "crawl-news-0")
        == "Succeeded"));
    assert_eq!(entry(&world, "crawl-news-0").as_deref(), Some("interrupted"));
    assert_eq!(world.unsaved_pages(), 0);
    assert_eq!(world.bucket().uploads.len(), 1);
    Ok(())
}

#[test]
fn stopping_uploads_and_is_done_and_canceled_uploads_nothing() -> Fallible {
    let mut world = crawling(7, 1)?;
    let mut other = world.clone();
    set_flag(&mut world, "stopping");
    assert!(run(&mut world, 30, stand_in, |world| entry(world, "crawl-news-0")
        .as_deref()
        == Some("done")));
    assert_eq!(world.bucket().uploads.len(), 1);
    set_flag(&mut other, "canceled");
    assert!(run(&mut other, 30, stand_in, |world| entry(world, "crawl-news-0")
        .as_deref()
        == Some("canceled")));
    assert!(other.bucket().uploads.is_empty());
    Ok(())
}

#[test]
fn without_its_store_a_crawler_waits_and_goes_on_when_it_is_back() -> Fallible {
    let mut world = crawling(8, 1)?;
    world.delete(&pod_key("redis-news"), false)?;
    assert!(run(&mut world, 20, stand_in, |world| pod(world, "redis-news").is_none()));
    assert!(run(&mut world, 600, stand_in, |world| phase(world, "crawl-news-0")
        == "Succeeded"));
    assert_eq!(world.bucket().pages(), 30);
    Ok(())
}
