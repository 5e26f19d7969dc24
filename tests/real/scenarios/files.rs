//! Takes a crawl with thousands of uploaded files; gives a register that holds what fits and counts all of them once, also
//! after the register or the store was lost on the way (S2, S3, D8).

use serde_json::{Value, json};

use super::Stage;
use crate::api::{CONFIG_MAP, POD};
use crate::oracle;
use crate::wait::until;
use crate::world::{BOUND, World, delete};

const FILES: u64 = 3000;
const BYTES: u64 = 1000;
/// metacontroller keeps a copy in an annotation of at most 256 KiB; rollcall stays below this.
const MOST: usize = 200 * 1024;

/// What earlier runs of the crawlers have uploaded, as the crawlers announce it.
async fn announce(world: &World, files: std::ops::Range<u64>) {
    let mut lines = redis::cmd("RPUSH");
    lines.arg("crawls-done");
    for number in files {
        let name = format!("http://s3.example:9000/bucket/acme/2026120109000{number:07}-crawl-news-0.wacz");
        let hash = format!("{number:064x}");
        let line = json!({"id": "news", "user": "me", "filename": name, "path": name, "size": BYTES, "hash": hash,
            "bytes": BYTES, "completed": false});
        lines.arg(line.to_string());
    }
    let mut connection = world.redis("news").await;
    let _: u64 = lines.query_async(&mut connection).await.expect("Redis takes them");
}

/// Files and bytes that status and register say, once they agree.
async fn counted(world: &World, files: u64) {
    let counts = async || {
        let register = world.config_map("crawl-register-news").await?;
        let state: Value = serde_json::from_str(register["data"]["state.json"].as_str()?).ok()?;
        (state["files"]["count"] == files).then_some(register)
    };
    let waited = tokio::time::timeout(BOUND, until("the register counts", BOUND * 2, counts)).await;
    let Ok(register) = waited else {
        panic!(
            "the register does not count {files} files\n{}",
            world.picture("news").await
        );
    };
    let what = format!("counts {files} files");
    world
        .wait_for_status("news", &what, |status| {
            status["filesAdded"] == files && status["filesAddedSize"].as_u64() >= Some(files * BYTES)
        })
        .await;
    let data = register["data"].as_object().expect("data");
    let size: usize = data.values().map(|value| value.to_string().len()).sum();
    assert!(size <= MOST, "the register has {size} bytes");
    let whole = register.to_string().len();
    assert!(
        whole < 512 * 1024,
        "with its copy in the annotation it has {whole} bytes"
    );
    let lines = oracle::registered(world, "news").await;
    let unique: std::collections::BTreeSet<&String> = lines.iter().collect();
    assert_eq!(unique.len(), lines.len(), "a file stands twice in the register");
    let newest = register["data"]["files.jsonl"]
        .to_string()
        .contains(&format!("{:07}-crawl", FILES - 1));
    assert!(newest || lines.is_empty(), "the newest stay");
    assert!(!lines.is_empty(), "what fits is there");
}

#[tokio::test]
async fn s3_thousands_of_files_are_counted_once_whatever_is_lost() {
    let stage = Stage::set("files").await;
    let world = &stage.world;
    world.crawl("news", 1, 150, 150).await;
    world.wait_for_pages(2).await;
    announce(world, 0..FILES).await;
    counted(world, FILES).await;
    // The register is lost: it is asked for, and the list is read again from its start.
    let maps = world.objects(CONFIG_MAP);
    let old = maps.get("crawl-register-news").await.expect("it is there")["metadata"]["uid"].clone();
    delete(&maps, "crawl-register-news").await;
    until("there is a new register", BOUND, || async {
        let register = maps.get("crawl-register-news").await?;
        (register["metadata"]["uid"] != old).then_some(())
    })
    .await;
    counted(world, FILES).await;
    assert_eq!(stage.timeline.pods_made(""), 2, "no pod was touched for that");
    // The store loses everything: what was counted stays counted, the crawl starts again, with more crawlers to be quick.
    let mut connection = world.redis("news").await;
    world.wish("news", json!({"scale": 4})).await;
    let _: String = redis::cmd("FLUSHALL")
        .query_async(&mut connection)
        .await
        .expect("Redis obeys");
    world.wait_for_condition("news", "Complete").await;
    let uploads = u64::try_from(world.machine.account().uploads.len()).expect("few");
    assert!(uploads > 0, "the pages were uploaded");
    counted(world, FILES + uploads).await;
    oracle::nothing_lost(world);
    let register = oracle::registered(world, "news").await;
    for upload in &world.machine.account().uploads {
        assert!(register.contains(&upload.name), "{} is missing", upload.name);
    }
    let state = world.config_map("crawl-register-news").await.expect("it stays")["data"]["state.json"].to_string();
    assert!(state.contains(r#"\"renewed\":true"#), "the loss was seen: {state}");
    assert!(
        !world
            .objects(POD)
            .list("")
            .await
            .iter()
            .any(|pod| pod["status"]["phase"] == "Failed")
    );
    world.report("3000 files, the register and then the store lost");
}
