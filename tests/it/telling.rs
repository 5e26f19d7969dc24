//! What each situation is there to show, by rule: who is made, who is left out, what the state is, and what the store is
//! told. The twins hold whole answers; this is what a reader should check in them first.
//!
//! Rules that hold for every answer are tested elsewhere: O11 and Z2 where the numbers are, S6 where the store is read.

use crate::corpus::{Answer, Fixture, corpus, identity, send};
use crate::judge::{left_out, made, words};

use rollcall::outside::Stores;
use rollcall::outside::memory::MemoryStores;
use serde_json::Value;

/// Folder and name without the ending `-with-register`; the rule; the state; who is made; who is left out.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const TELLING: &[Row] = &[
    ("sync/00-created", "D8 first the register", "starting", "CM/crawl-config-news CM/crawl-register-news", ""),
    ("sync/00-created-with-register", "D1 no pages known: one instance, its pod and its volume together (D2)", "waiting_capacity", "PVC/crawl-news-0 Pod/crawl-news-0", ""),
    ("sync/01-unschedulable-with-register", "D4 a Redis pod makes the register say started", "waiting_capacity", "", ""),
    ("sync/02-scheduled-with-register", "D4 the first placed crawler", "waiting_capacity", "", ""),
    ("sync/03-container-creating-with-register", "O6 being made is not running", "waiting_capacity", "", ""),
    ("sync/04-image-pull-back-off-with-register", "O6 stuck is not running", "waiting_capacity", "", ""),
    ("sync/05-all-running-with-register", "S5 counters when pages are first seen", "running", "", ""),
    ("sync/06a-out-of-memory-with-register", "O8 Z1 once per exit, first into the register", "running", "", ""),
    ("sync/06b-memory-grown-with-register", "Z1 the observed register is above the pod", "running", "", "Pod/crawl-news-0"),
    ("sync/07a-crash-loop-back-off-with-register", "O8 exit 11 is orderly", "running", "", ""),
    ("sync/07b-all-ended-fatally-with-register", "E3 I3 every last exit is 17", "running", "", ""),
    ("sync/07c-rate-limited-with-register", "E3 every last exit is 18", "rate-limited", "", ""),
    ("sync/08a-scale-up-asked-with-register", "C1 up at once", "running", "PVC/crawl-news-2 Pod/crawl-news-2", ""),
    ("sync/08b-scaled-up-with-register", "O3 only the container named crawler", "running", "", ""),
    ("sync/09-evicted-with-register", "O5 D5 lost; D3 its volume stays", "running", "", "Pod/crawl-news-2"),
    ("sync/10-replacement-pending-with-register", "D6 a pod that exists is a name", "running", "", ""),
    ("sync/11-replacement-going-with-register", "O4 leaving is no reason to touch a neighbour", "running", "", ""),
    ("sync/12-replacement-running-with-register", "O7 an old exit of another pod is not handled again", "running", "", ""),
    ("sync/13-restart-asked-with-register", "R1 R2 every crawler, never Redis", "running", "", "Pod/crawl-news-0 Pod/crawl-news-1 Pod/crawl-news-2"),
    ("sync/14-restart-pods-terminating-with-register", "O4 terminating ones are skipped", "waiting_capacity", "", ""),
    ("sync/15a-restart-pods-gone-with-register", "D5 made again once gone", "waiting_capacity", "Pod/crawl-news-0 Pod/crawl-news-1 Pod/crawl-news-2", ""),
    ("sync/15b-restart-pods-made-with-register", "R1 they carry the instant", "running", "", ""),
    ("sync/16-restarted-running-with-register", "R1 once", "running", "", ""),
    ("sync/17a-two-finished-with-register", "S3 lines are read into the register", "running", "", ""),
    ("sync/17b-node-shutdown-with-register", "O5 neither done nor crashed", "waiting_capacity", "", "Pod/crawl-news-2"),
    ("sync/18-replacement-after-node-shutdown-with-register", "I1 finished ones stay as they are", "waiting_capacity", "", ""),
    ("sync/19-unschedulable-blog-with-register", "D4", "waiting_capacity", "", ""),
    ("sync/20-redis-running-blog-with-register", "S2 the mark once started is observed", "waiting_capacity", "", ""),
    ("sync/21-all-running-blog-with-register", "I4 the stage of the one instance", "running", "", ""),
    ("sync/22-status-wiped-blog-with-register", "M1 M3 status is a cache", "running", "", ""),
    ("sync/24a-adopting-blog-with-register", "O2 no controller owner is ours", "running", "", ""),
    ("sync/24b-adopted-blog-with-register", "O2", "running", "", ""),
    ("sync/25a-finished-lines-unread-blog-with-register", "S3 first every line", "running", "", ""),
    ("sync/25b-finished-lines-read-blog-with-register", "E1 E5 the proposal lists everybody", "running", "", ""),
    ("sync/25c-result-in-register-blog-with-register", "E5 T1 crawlers first", "complete", "", "Pod/crawl-blog-0"),
    ("sync/25d-crawlers-gone-blog-with-register", "S5 ended and sizes before Redis goes", "complete", "", ""),
    ("sync/25e-ends-recorded-blog-with-register", "T1 then Redis", "complete", "", "Pod/redis-blog"),
    ("sync/25f-no-pods-blog-with-register", "T1 T6 then the volumes of what is done", "complete", "", "CM/crawl-config-blog PVC/crawl-blog-0 PVC/redis-blog"),
    ("sync/25g-over-blog-with-register", "T1 the register stays", "complete", "", ""),
    ("sync/26a-pause-asked-blog-with-register", "P1 the flag", "pausing", "", ""),
    ("sync/26b-pausing-with-register", "P1 per instance: flushed ones go", "pausing", "", "Pod/crawl-news-0 Pod/crawl-news-1"),
    ("sync/26c-pausing-unsaved-without-pod-blog-with-register", "P2 an unflushed one is made again", "pausing", "Pod/crawl-blog-0", ""),
    ("sync/26d-all-flushed-blog-with-register", "P2 flushed into the register", "pausing", "", ""),
    ("sync/26e-paused-redis-idle-blog-with-register", "P2 D4 Redis idles and goes", "paused", "", "Pod/redis-blog"),
    ("sync/26f-paused-for-good-blog-with-register", "P2", "paused", "", ""),
    ("sync/26g-pause-expired-blog-with-register", "P4", "paused", "", ""),
    ("sync/26h-resume-asked-blog-with-register", "P3 first Redis", "waiting_capacity", "Pod/redis-blog", ""),
    ("sync/26i-resume-redis-running-blog-with-register", "P3 then the flag goes", "waiting_capacity", "", ""),
    ("sync/26j-resume-flag-gone-blog-with-register", "P3 then flushed", "waiting_capacity", "", ""),
    ("sync/26k-resumed-blog-with-register", "P3 then the crawlers", "waiting_capacity", "Pod/crawl-blog-0", ""),
    ("sync/27a-scale-down-asked-with-register", "C2 stopone", "running", "", ""),
    ("sync/27b-top-finished-with-register", "C3 the pod first", "running", "", "Pod/crawl-news-1"),
    ("sync/27c-middle-finished-top-runs-with-register", "C2 no gaps", "running", "", ""),
    ("sync/27d-top-pod-gone-with-register", "C3 T6 then its volume", "running", "", "PVC/crawl-news-1"),
    ("sync/27e-top-volume-gone-with-register", "C3 last its entry", "running", "", ""),
    ("sync/27f-surplus-lost-unfinished-with-register", "C2 lost, and wanted again to finish", "running", "", "Pod/crawl-news-1"),
    ("sync/27g-wanted-again-top-finished-with-register", "C4 it handed its work back: the pod first", "running", "", "Pod/crawl-news-1"),
    ("sync/27h-wanted-again-top-pod-gone-with-register", "C4 then its volume", "running", "", "PVC/crawl-news-1"),
    ("sync/27i-wanted-again-unsaved-with-register", "C4 T6 with unsaved data it goes on where it was", "running", "", ""),
    ("sync/28a-stop-asked-blog-with-register", "S4 the reason stays", "running", "", ""),
    ("sync/28b-stopped-blog-with-register", "E1 the reason's state", "running", "", ""),
    ("sync/29-size-limit-blog-with-register", "E6", "running", "", ""),
    ("sync/30a-store-silent-blog-with-register", "S1 nothing is concluded", "waiting_capacity", "", ""),
    ("sync/30b-store-lost-its-data-blog-with-register", "S2 first renewed", "waiting_capacity", "", ""),
    ("sync/30c-blank-and-renewed-blog-with-register", "S2 then everybody is called back", "waiting_capacity", "", "Pod/crawl-blog-0"),
    ("sync/30d-blank-and-nobody-works-blog-with-register", "S2 the mark when nobody works; I2 no entry counts as absent", "waiting_capacity", "", ""),
    ("sync/30e-redis-evicted-blog-with-register", "O5 a Redis pod that ended is lost", "waiting_capacity", "", "Pod/redis-blog"),
    ("sync/30f-redis-gone-blog-with-register", "D4", "waiting_capacity", "Pod/redis-blog", ""),
    ("sync/31-unknown-channel-blog-with-register", "D5 an unusable spec keeps all", "running", "", ""),
    ("sync/32-workers-changed-blog-with-register", "Z3 D5", "running", "", "Pod/crawl-blog-0"),
    ("sync/33-disk-full-blog-with-register", "Z2 once per exit; this class does not grow", "running", "", ""),
    ("sync/34-anchor-missing-blog-with-register", "D7", "running", "", ""),
    ("sync/35-foreign-owner-blog-with-register", "O2", "waiting_capacity", "", "PVC/crawl-blog-0 Pod/crawl-blog-0"),
    ("sync/36-register-unreadable-blog-with-register", "D8 unreadable is not observed", "running", "", ""),
    ("sync/37-ended-early-blog-with-register", "I1 D5", "waiting_capacity", "", "Pod/crawl-blog-0"),
    ("sync/38-scale-beyond-any-number-blog-with-register", "O9 O10", "running", "", ""),
    ("sync/39-unknown-channel-and-nothing-there-blog-with-register", "Q2 no ticket without a usable spec", "starting", "", ""),
    ("sync/40-adopted-another-name-blog-with-register", "O1 another name stays as it is", "running", "", ""),
    ("sync/41a-pending-wait-blog-with-register", "I4 the stage that the entry says", "pending-wait", "", ""),
    ("sync/41b-generate-wacz-blog-with-register", "I4", "generate-wacz", "", ""),
    ("sync/41c-uploading-wacz-blog-with-register", "I4", "uploading-wacz", "", ""),
    ("sync/42a-store-refused-blog-with-register", "S1 no connection", "waiting_capacity", "", ""),
    ("sync/42b-store-error-answer-blog-with-register", "S1 an error answer, loading too", "waiting_capacity", "", ""),
    ("sync/42c-store-garbage-blog-with-register", "S1 not what was asked", "waiting_capacity", "", ""),
    ("sync/42d-store-other-job-blog-with-register", "S1 a reused address", "waiting_capacity", "", ""),
    ("sync/43-restart-time-unreadable-blog-with-register", "O10 unset, and named", "running", "", ""),
    ("sync/44a-memory-at-maximum-blog-with-register", "Z1 no more than the maximum, and it is said", "running", "", ""),
    ("sync/44b-redis-memory-at-maximum-blog-with-register", "Z1 Redis has a maximum of its own", "running", "", ""),
    ("sync/45a-time-limit-blog-with-register", "E6 elapsed over timeout", "running", "", ""),
    ("sync/45b-rate-limited-for-too-long-with-register", "E6 longer than 12 h", "rate-limited", "", ""),
    ("sync/46a-not-logged-in-blog-with-register", "E2 E5 the proposal, first every line", "running", "", ""),
    ("sync/46b-over-failed-not-logged-in-blog-with-register", "E5 the register's result is final", "failed_not_logged_in", "", ""),
    ("sync/46c-over-failed-blog-with-register", "E5", "failed", "", ""),
    ("sync/46d-over-stopped-by-user-blog-with-register", "E5", "stopped_by_user", "", ""),
    ("sync/46e-over-stopped-pause-expired-blog-with-register", "E5", "stopped_pause_expired", "", ""),
    ("sync/47-over-without-storage-blog-with-register", "T6 its volume may hold the only copy", "complete", "", "CM/crawl-config-blog PVC/redis-blog"),
    ("sync/49a-queue-no-ticket-blog-with-register", "Q1 first the ticket", "waiting_org_limit", "CM/crawl-ticket-blog", ""),
    ("sync/49b-queued-behind-two-blog-with-register", "Q1 one runs, one is older", "waiting_org_limit", "", ""),
    ("sync/49c-queue-its-turn-blog-with-register", "Q1 the ticket says running, pods follow", "waiting_org_limit", "", ""),
    ("sync/49d-queue-granted-blog-with-register", "Q1 granted is granted, whoever is older", "waiting_capacity", "PVC/crawl-blog-0 Pod/crawl-blog-0", ""),
    ("sync/48-queued-and-unknown-channel-blog-with-register", "M1 the last state stands while nothing is judged", "waiting_org_limit", "", ""),
    ("finalize/00-asked-with-register", "T1 T3 crawlers first", "canceled", "", "Pod/crawl-news-0 Pod/crawl-news-1 Pod/crawl-news-2"),
    ("finalize/01-crawler-terminating-with-register", "T1 a terminating crawler holds Redis", "canceled", "", ""),
    ("finalize/02b-crawlers-gone-with-register", "T1 T2 then Redis, without waiting", "canceled", "", "Pod/redis-news"),
    ("finalize/03-redis-and-volumes-terminating-with-register", "T1 volumes stay listed while any pod exists", "canceled", "", ""),
    ("finalize/05-last-volume-terminating-with-register", "T1 T4 then volumes", "canceled", "", "PVC/redis-news"),
    ("finalize/06-register-left-with-register", "T4 last the register", "canceled", "", "CM/crawl-register-news"),
    ("finalize/06-nothing-left", "T4 nothing observed, nothing answered", "canceled", "", ""),
    ("finalize/07-orphaned-blog-with-register", "T5 the finalizer orphan keeps everybody", "running", "", ""),
];

/// What the store holds after the call: key, or hash key and field; the value, none when it must not be there.
#[rustfmt::skip]
const TOLD: &[(&str, &str, &str, &str, Option<&str>)] = &[
    ("sync/04-image-pull-back-off-with-register", "S2", "rollcall:mark", "", Some("")),
    ("sync/20-redis-running-blog-with-register", "S2", "rollcall:mark", "", Some("")),
    ("sync/07c-rate-limited-with-register", "E6", "rollcall:rate-limited", "", Some("2026-11-30T13:00:00Z 19")),
    ("sync/21-all-running-blog-with-register", "S4", "blog:stopping", "", None),
    ("sync/26a-pause-asked-blog-with-register", "P1", "blog:paused", "", Some("1")),
    ("sync/26i-resume-redis-running-blog-with-register", "P3", "blog:paused", "", None),
    ("sync/27a-scale-down-asked-with-register", "C2", "news:stopone", "crawl-news-1", Some("1")),
    ("sync/27a-scale-down-asked-with-register", "C2", "news:stopone", "crawl-news-0", None),
    ("sync/27b-top-finished-with-register", "C3", "news:status", "crawl-news-1", Some("done")),
    ("sync/27d-top-pod-gone-with-register", "C3", "news:status", "crawl-news-1", Some("done")),
    ("sync/27e-top-volume-gone-with-register", "C3", "news:status", "crawl-news-1", None),
    ("sync/27e-top-volume-gone-with-register", "C3", "news:size", "crawl-news-1", None),
    ("sync/27e-top-volume-gone-with-register", "C3", "news:stopone", "crawl-news-1", None),
    ("sync/27g-wanted-again-top-finished-with-register", "C4", "news:stopone", "crawl-news-1", Some("1")),
    ("sync/27i-wanted-again-unsaved-with-register", "C4", "news:status", "crawl-news-1", Some("interrupted")),
    ("sync/27i-wanted-again-unsaved-with-register", "C4", "news:stopone", "crawl-news-1", None),
    ("sync/28a-stop-asked-blog-with-register", "S4", "blog:stopping", "", Some("1")),
    ("sync/29-size-limit-blog-with-register", "E6", "blog:stopping", "", Some("1")),
    ("sync/30b-store-lost-its-data-blog-with-register", "S2", "rollcall:mark", "", None),
    ("sync/30c-blank-and-renewed-blog-with-register", "S2", "rollcall:mark", "", None),
    ("sync/30d-blank-and-nobody-works-blog-with-register", "S2", "rollcall:mark", "", Some("renewed")),
    ("sync/45a-time-limit-blog-with-register", "E6", "blog:stopping", "", Some("1")),
    ("sync/45b-rate-limited-for-too-long-with-register", "E6", "news:stopping", "", Some("1")),
    ("finalize/00-asked-with-register", "T3", "news:canceled", "", Some("1")),
];

fn find(title: &str) -> &'static Fixture {
    let found = corpus()
        .iter()
        .find(|fixture| fixture.title() == format!("crawljob/{title}"));
    found.unwrap_or_else(|| panic!("there is no fixture {title}"))
}

#[tokio::test]
async fn each_situation_shows_its_rule() {
    for (title, rule, state, makes, leaves_out) in TELLING {
        let fixture = find(title);
        let (body, answer) = (fixture.body(), fixture.answer().await.json());
        let sorted = |text: &str| {
            let mut words: Vec<&str> = text.split_whitespace().collect();
            words.sort_unstable();
            words.join(" ")
        };
        assert_eq!(answer["status"]["state"], *state, "{title} ({rule})");
        assert_eq!(words(made(&body, &answer)), sorted(makes), "{title} makes ({rule})");
        assert_eq!(
            words(left_out(&body, &answer)),
            sorted(leaves_out),
            "{title} leaves out ({rule})"
        );
    }
}

#[test]
fn every_situation_with_a_register_is_in_the_table() {
    let told = |fixture: &Fixture| {
        TELLING
            .iter()
            .any(|(title, ..)| format!("crawljob/{title}") == fixture.title())
    };
    let of_sync = corpus()
        .iter()
        .filter(|fixture| fixture.title().starts_with("crawljob/sync/"));
    for fixture in of_sync.filter(|fixture| fixture.name.ends_with("-with-register")) {
        assert!(told(fixture), "{} shows nothing by name", fixture.title());
    }
}

/// The answer, and what the store holds behind it.
async fn with_store(fixture: &Fixture) -> (Answer, Value) {
    let (namespace, job) = identity(&fixture.body());
    let memory = MemoryStores::new();
    let file = fixture
        .store
        .as_ref()
        .unwrap_or_else(|| panic!("{} has no store", fixture.title()));
    memory.load(&namespace, &job, file).expect("a store file");
    let answer = send(
        fixture.app(Stores::Memory(memory.clone())),
        &fixture.path(),
        &fixture.request,
    )
    .await;
    (answer, memory.snapshot(&namespace, &job))
}

#[tokio::test]
async fn the_store_is_told_what_the_rule_says() {
    for (title, rule, key, field, expected) in TOLD {
        let (_, store) = with_store(find(title)).await;
        let value = &store[*key]["value"];
        let value = if field.is_empty() { value } else { &value[*field] };
        match expected {
            None => assert!(value.is_null(), "{title} ({rule}): {key} {field} is {value}"),
            Some("") => assert!(!value.is_null(), "{title} ({rule}): {key} {field} is not set"),
            Some(text) => assert_eq!(value, text, "{title} ({rule}): {key} {field}"),
        }
    }
}

/// O7, Z1 and D5: what was written down is not written down again. Each answer's register is put into the request; after
/// a few rounds it asks for nothing new.
#[tokio::test]
async fn a_register_that_was_written_rests() {
    for (title, ..) in TELLING.iter().filter(|(title, ..)| title.ends_with("-with-register")) {
        let fixture = find(title);
        let mut body = fixture.body();
        let mut rests = false;
        for _ in 0..4 {
            let bytes = serde_json::to_vec(&body).expect("a body can be written");
            let answer = fixture.answer_to(&bytes).await.json();
            let listed = answer["children"].as_array().into_iter().flatten();
            let register = listed.map(|child| (&child["metadata"]["name"], &child["data"]));
            let Some((_, written)) = register.into_iter().find(|(name, _)| is_register(name)) else {
                break;
            };
            let maps = body["children"]["ConfigMap.v1"].as_object_mut().into_iter().flatten();
            for (_, map) in maps.filter(|(_, map)| is_register(&map["metadata"]["name"])) {
                rests = map["data"] == *written;
                map["data"] = written.clone();
            }
            if rests {
                break;
            }
        }
        let left_in_finalize = title.starts_with("finalize/06");
        assert!(
            rests || left_in_finalize,
            "{title}: the register is written again and again"
        );
    }
}

fn is_register(name: &Value) -> bool {
    name.as_str().is_some_and(|name| name.starts_with("crawl-register-"))
}
