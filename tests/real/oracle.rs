//! Takes what the machine saw and what the cluster holds; gives a verdict: everything crawled is accounted for. It trusts
//! no status and no counter of the hook.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::world::World;

/// The files that the register of this crawl lists, as written.
pub(crate) async fn registered(world: &World, job: &str) -> Vec<String> {
    let register = world
        .config_map(&format!("crawl-register-{job}"))
        .await
        .expect("the register is there");
    let lines = register["data"]["files.jsonl"].as_str().unwrap_or_default();
    let names = lines.lines().filter(|line| !line.is_empty()).map(|line| {
        let file: Value = serde_json::from_str(line).expect("each line is JSON");
        file["filename"].as_str().expect("each file has a name").to_owned()
    });
    names.collect()
}

/// Nothing that was on a volume went with it unless it had been uploaded.
pub(crate) fn nothing_lost(world: &World) {
    let account = world.machine.account();
    assert!(
        account.lost.is_empty(),
        "deleted with their volume before they were uploaded: {:?}",
        account.lost
    );
}

/// A crawl that is over: each page is in an uploaded file, each announced file in the register exactly once.
pub(crate) async fn everything_saved(world: &World, job: &str, pages: usize) {
    nothing_lost(world);
    let registered = registered(world, job).await;
    let unique: BTreeSet<&String> = registered.iter().collect();
    assert_eq!(
        unique.len(),
        registered.len(),
        "a file stands twice in the register: {registered:?}"
    );
    let account = world.machine.account();
    let uploads = || account.uploads.iter().filter(|upload| upload.crawl == job);
    let made: BTreeSet<&String> = uploads().map(|upload| &upload.name).collect();
    let announced: BTreeSet<&String> = uploads()
        .filter(|upload| upload.listed)
        .map(|upload| &upload.name)
        .collect();
    assert!(
        unique.is_subset(&made),
        "the register lists what was never uploaded: {unique:?} {made:?}"
    );
    assert!(
        announced.is_subset(&unique),
        "the register misses an uploaded file: {unique:?} {announced:?}"
    );
    let visited = account.visited.iter().filter(|(crawl, _)| crawl == job);
    let unsaved: Vec<_> = visited
        .clone()
        .filter(|(crawl, url)| !account.is_uploaded(crawl, url))
        .collect();
    assert!(unsaved.is_empty(), "visited but in no uploaded file: {unsaved:?}");
    assert_eq!(visited.count(), pages, "not every page of the site was visited");
}
