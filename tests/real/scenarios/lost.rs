//! Takes a running crawl whose CrawlJob goes missing; gives the crawl carried on by the same objects once it is made again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Stage;
use super::disturbed::{PAGES, ends_well, in_full_swing, into_full_swing};
use crate::api::{CLAIM, CONFIG_MAP, CRAWL_JOB, CRD, Kind, Objects, POD, is_missing};
use crate::hook::PROGRAM;
use crate::kind;
use crate::kubelet::text;
use crate::process::folder;
use crate::timeline::What;
use crate::wait::until;
use crate::world::{BOUND, World, delete, is_gone};

/// UIDs of everything the crawl has.
async fn children(stage: &Stage) -> BTreeSet<String> {
    let children = stage.world.children("news").await;
    children.iter().map(|object| text(&object["metadata"]["uid"])).collect()
}

/// Waits until the job is gone and no child names it as its owner any more.
async fn let_go(stage: &Stage) {
    let jobs = stage.world.objects(CRAWL_JOB);
    until("the job is gone", BOUND, || async {
        is_gone(&jobs, "news").await.then_some(())
    })
    .await;
    let owned = |child: &Value| child["metadata"]["ownerReferences"].to_string().contains("CrawlJob");
    let free = until("the children belong to nobody", BOUND * 4, || async {
        let children = stage.world.children("news").await;
        (!children.iter().any(owned)).then_some(())
    });
    // A collector that has not met the kind yet looks for new ones every 30 s.
    if tokio::time::timeout(BOUND * 2, free).await.is_err() {
        let children = stage.world.children("news").await;
        let owners: Vec<&Value> = children
            .iter()
            .map(|child| &child["metadata"]["ownerReferences"])
            .collect();
        panic!("the children are not let go: {owners:#?}");
    }
}

/// The same pods, volumes and ConfigMaps belong to the new job, and the crawl ends as if nothing had been.
async fn carried_on(stage: &Stage, before: &BTreeSet<String>, what: &str) {
    let uid = stage.world.job("news").await.expect("it was made again")["metadata"]["uid"].clone();
    let adopted = |child: &Value| {
        let owners = child["metadata"]["ownerReferences"].as_array();
        owners.is_some_and(|owners| {
            owners
                .iter()
                .any(|owner| owner["uid"] == uid && owner["controller"] == true)
        })
    };
    until("everything belongs to the new job", BOUND, || async {
        let children = stage.world.children("news").await;
        children.iter().all(adopted).then_some(())
    })
    .await;
    assert_eq!(*before, children(stage).await, "it took over what was there");
    ends_well(stage, what).await;
    assert_eq!(stage.timeline.pods_made(""), 3, "no pod was replaced");
    assert_eq!(stage.timeline.of(CLAIM, "", What::Here).len(), 3, "and no volume");
}

/// What `kubectl get cm -l rollcall.dev/role=register -o json | rollcall recover | kubectl apply -f -` makes. `more`
/// are further arguments.
async fn recover(world: &World, more: &[&OsStr]) {
    let registers = world.objects(CONFIG_MAP).list("rollcall.dev/role=register").await;
    let list = json!({"apiVersion": "v1", "kind": "List", "items": registers}).to_string();
    let mut program = Command::new(PROGRAM)
        .arg("recover")
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = program.stdin.take().expect("its input is piped");
    input.write_all(list.as_bytes()).expect("it reads");
    drop(input);
    let output = program.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "rollcall recover: {said}");
    let yaml = String::from_utf8(output.stdout).expect("text");
    let jobs: Vec<Value> = serde_saphyr::from_multiple(&yaml).expect("documents of YAML");
    assert_eq!(jobs.len(), 1, "one job was lost: {said}\n{yaml}");
    assert_eq!(jobs[0]["spec"]["scale"], 2, "as it was written: {yaml}");
    world.make(&jobs[0]).await;
}

/// The finalizers go by hand, as people do when a deletion hangs.
async fn strip(jobs: &Objects, name: &str) {
    let stripped = jobs.merge(name, &json!({"metadata": {"finalizers": null}})).await;
    let gone = stripped.as_ref().err().is_none_or(is_missing);
    assert!(gone, "the finalizers of {name} stay: {stripped:?}");
}

#[tokio::test]
async fn t5_an_orphaned_crawl_is_taken_over_by_a_new_job() {
    let stage = in_full_swing("orphaned").await;
    let before = children(&stage).await;
    let orphaned = stage.world.objects(CRAWL_JOB).orphan("news").await;
    orphaned.expect("deleted with --cascade=orphan");
    let_go(&stage).await;
    assert_eq!(before, children(&stage).await, "everything outlived its CrawlJob");
    stage.world.crawl("news", 2, PAGES, 80).await;
    carried_on(&stage, &before, "the job deleted with --cascade=orphan and made again").await;
}

#[tokio::test]
async fn a_crawl_outlives_a_job_removed_by_force() {
    let mut stage = in_full_swing("forced").await;
    let before = children(&stage).await;
    let jobs = stage.world.objects(CRAWL_JOB);
    // While nobody can finalize: the deletion mark, then the finalizers by hand.
    stage.hook.kill();
    delete(&jobs, "news").await;
    strip(&jobs, "news").await;
    let_go(&stage).await;
    assert_eq!(before, children(&stage).await, "everything outlived its CrawlJob");
    stage.hook.start_again().await;
    recover(&stage.world, &[]).await;
    carried_on(&stage, &before, "the job removed by force and recovered").await;
}

#[tokio::test]
async fn i1_a_job_removed_by_force_in_the_middle_of_its_end_goes_on() {
    let mut stage = Stage::set("cut-off").await;
    // Long pages, so that the crawlers are told long before they go.
    stage.world.crawl("news", 2, 20, 700).await;
    let world = &stage.world;
    world.wait_for_pages(4).await;
    until("both crawlers run", BOUND, || async {
        (world.running_pods("crawl-").await.len() == 2).then_some(())
    })
    .await;
    let (jobs, pods) = (world.objects(CRAWL_JOB), world.objects(POD));
    let claims = |children: Vec<Value>| -> BTreeMap<String, String> {
        let claims = children.into_iter().filter(|child| child["kind"] == CLAIM.kind);
        claims
            .map(|claim| (text(&claim["metadata"]["name"]), text(&claim["metadata"]["uid"])))
            .collect()
    };
    let before = claims(world.children("news").await);
    delete(&jobs, "news").await;
    until("a crawler is called back", BOUND, || async {
        let pods = pods.list("rollcall.dev/role=crawler").await;
        pods.iter()
            .any(|pod| pod["metadata"]["deletionTimestamp"].is_string())
            .then_some(())
    })
    .await;
    stage.hook.kill();
    strip(&jobs, "news").await;
    let_go(&stage).await;
    stage.hook.start_again().await;
    recover(&stage.world, &[]).await;
    let world = &stage.world;
    world.wait_for_condition("news", "Complete").await;
    crate::oracle::everything_saved(world, "news", 20).await;
    assert_eq!(before.len(), 3, "{before:?}");
    let made = stage.timeline.of(CLAIM, "", What::Here).len();
    assert_eq!(made, 3, "the volumes were taken over: {before:?}");
}

#[tokio::test]
async fn a_crawl_outlives_the_loss_of_its_kind() {
    let mut stage = Stage::alone("kind").await;
    into_full_swing(&stage, 2).await;
    let before = children(&stage).await;
    stage.hook.kill();
    remove_kind(&stage.world).await;
    assert_eq!(before, children(&stage).await, "everything outlived its kind");
    stage.hook.start_again().await;
    kind::serve_ours(&stage.world.client).await;
    // The garbage collector may not know the kind and then leaves the references to a job that is gone: what `kubectl get
    // crawljobs -A -o json` prints says that it is.
    let jobs = folder().join("no-jobs.json");
    std::fs::write(&jobs, r#"{"kind": "List", "items": []}"#).expect("a file is written");
    recover(&stage.world, &["-".as_ref(), "--jobs".as_ref(), jobs.as_ref()]).await;
    carried_on(&stage, &before, "the CRD deleted, made again and the job recovered").await;
    canceled_with_the_kind(&stage).await;
}

const DEFINITION: &str = "crawljobs.rollcall.dev";

/// Deletes the definition. The server then deletes every CrawlJob, also those that other tests have left behind, and waits
/// for their finalizers.
async fn remove_kind(world: &World) {
    let definitions = Objects::new(&world.client, CRD, "");
    delete(&definitions, DEFINITION).await;
    let everywhere = Kind {
        namespaced: false,
        ..CRAWL_JOB
    };
    let everywhere = Objects::new(&world.client, everywhere, "");
    // Without the mark a caller would put its finalizer on again.
    let marked = until("every CrawlJob is marked", BOUND, || async {
        let jobs = everywhere.list("").await;
        let marked = |job: &Value| job["metadata"]["deletionTimestamp"].is_string();
        jobs.iter().all(marked).then_some(jobs)
    })
    .await;
    for job in marked {
        let jobs = Objects::new(&world.client, CRAWL_JOB, &text(&job["metadata"]["namespace"]));
        strip(&jobs, &text(&job["metadata"]["name"])).await;
    }
    kind_gone(world).await;
}

async fn kind_gone(world: &World) {
    let definitions = Objects::new(&world.client, CRD, "");
    until("the kind is gone", BOUND, || async {
        is_gone(&definitions, DEFINITION).await.then_some(())
    })
    .await;
}

/// With everything at work the deletion of the kind is the deletion of each job: the crawls are canceled in order.
async fn canceled_with_the_kind(stage: &Stage) {
    let world = &stage.world;
    world.crawl("blog", 1, 500, 80).await;
    world.wait_for_state("blog", "running").await;
    delete(&Objects::new(&world.client, CRD, ""), DEFINITION).await;
    kind_gone(world).await;
    for job in ["news", "blog"] {
        let left = world.children(job).await;
        assert!(left.is_empty(), "{job} leaves {left:#?}");
    }
    let order = &stage.timeline;
    order.assert_before((POD, "crawl-blog-", What::Gone), (POD, "redis-blog", What::Leaving));
    order.assert_before((POD, "redis-blog", What::Gone), (CLAIM, "crawl-blog-", What::Leaving));
}
