//! A full disk: the volume grows, in units that agree with the bytes, once per exit, and only where it can.

use serde_json::{Value, json};

use super::call::Call;
use super::kept::Kept;
use super::seen::Seen;
use super::states::{backing_off, ended, exit, running};

const CLAIM: &str = "PersistentVolumeClaim";

fn expandable(mut call: Call) -> Call {
    call.config.crawl.storage_expandable = true;
    call
}

fn with_capacity(call: Call, capacity: &str) -> Call {
    let capacity = capacity.to_owned();
    call.edit(CLAIM, "crawl-news-0", |claim| {
        claim["spec"]["resources"]["requests"]["storage"] = capacity.clone().into();
        claim["status"]["capacity"]["storage"] = capacity.into();
    })
}

fn request(seen: &Seen) -> Value {
    seen.child(CLAIM, "crawl-news-0")["spec"]["resources"]["requests"]["storage"].clone()
}

/// A crawler that ran out of disk was started again on the same full disk.
#[tokio::test]
async fn a26_a_full_disk_grows_the_volume_once_per_exit() {
    for (capacity, grown) in [
        ("20Gi", "50Gi"),
        ("20000Mi", "49Gi"),
        ("21474836480", "50Gi"),
        ("200Gi", "250Gi"),
        ("250Gi", "250Gi"),
    ] {
        for shape in [ended(3, "Error"), backing_off(3)] {
            let full = with_capacity(expandable(Call::at_work(1)), capacity).crawler(0, shape);
            // The design writes it down first and grows the claim once that is seen (Z2).
            let first = full.ask().await;
            assert_eq!(request(&first), capacity, "{capacity}: not before it is seen");
            let second = first.next().ask().await;
            assert_eq!(request(&second), grown, "{capacity}");
            assert_eq!(
                (second.leaves_out().as_str(), second.goes_on()),
                ("", true),
                "{capacity}"
            );
            let third = second.next().ask().await;
            assert_eq!(request(&third), grown, "{capacity}: the same exit again");
        }
    }
    let full = with_capacity(expandable(Call::at_work(1)), "20Gi").crawler(0, ended(3, "Error"));
    let grown = full.ask().await.next();
    let capacity = with_capacity(grown.clone(), "50Gi").ask().await;
    assert_eq!(request(&capacity), "50Gi", "once it is there it stays");
    let mut again = exit(3, "Error");
    again["finishedAt"] = "2026-11-30T12:50:00Z".into();
    let again = super::states::status("Running", &json!({"terminated": again}));
    let seen = with_capacity(grown, "50Gi")
        .crawler(0, again)
        .ask()
        .await
        .next()
        .ask()
        .await;
    assert_eq!(request(&seen), "125Gi", "another exit");
}

/// Where it can't grow, and for any other exit, nothing is asked for that the server would refuse.
#[tokio::test]
async fn a26_a_volume_that_can_not_grow_is_left_as_it_is() {
    let full = || with_capacity(Call::at_work(1), "20Gi").crawler(0, ended(3, "Error"));
    let mut of_another_class = expandable(full());
    of_another_class.config.crawl.storage_class = Some("fast".to_owned());
    let unbound = expandable(full()).edit(CLAIM, "crawl-news-0", |claim| {
        claim["status"]["phase"] = "Pending".into();
    });
    let no_capacity = expandable(full()).edit(CLAIM, "crawl-news-0", |claim| {
        claim["status"] = json!({"phase": "Bound"});
    });
    let calls = [
        ("not declared", full()),
        ("another class", of_another_class),
        ("not bound", unbound),
        ("no capacity", no_capacity),
    ];
    for (what, call) in calls {
        let seen = call.ask().await.next().ask().await;
        assert_eq!((request(&seen), seen.goes_on()), (json!("20Gi"), true), "{what}");
    }
    for code in [0, 1, 2, 4, 9, 11, 13, 137] {
        let seen = expandable(with_capacity(Call::at_work(2), "20Gi"))
            .crawler(0, ended(code, "Error"))
            .ask()
            .await;
        assert_eq!(request(&seen.next().ask().await), "20Gi", "{code}");
    }
}

/// The other way to a full disk: what is not saved yet will not fit.
#[tokio::test]
async fn a26_unsaved_bytes_that_will_not_fit_grow_the_volume_too() {
    for (size, grown) in [
        (1_u64 << 30, "20Gi"),
        (8 << 30, "20Gi"),
        (9 << 30, "23Gi"),
        (200 << 30, "250Gi"),
    ] {
        let kept = Kept::marked().pages(9, 3).queued(2).entry(0, "running").size(0, size);
        let call = with_capacity(expandable(Call::at_work(1)), "20Gi")
            .crawler(0, running())
            .kept(kept);
        let seen = call.ask().await.next().ask().await;
        assert_eq!(request(&seen), grown, "{size}");
        assert_eq!(request(&seen.next().ask().await), grown, "{size}: stable");
    }
}
