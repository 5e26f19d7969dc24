//! What the reader makes of replies, the odd ones above all.

use super::super::reply::MAX_COUNT;
use super::*;

const QUESTION: StoreQuestion = StoreQuestion { lines_from: 0 };

/// Replies of a store that has just started, with one replaced.
fn with(place: usize, reply: Reply) -> Vec<Reply> {
    let list = || Reply::List(Vec::new());
    let int = || Reply::Int(0);
    let mut replies = vec![
        Reply::texts(["dbfilename", "news.rdb"]),
        Reply::Nil,
        list(),
        list(),
        Reply::Nil,
        int(),
        int(),
        int(),
        int(),
        int(),
        int(),
        int(),
        Reply::Nil,
        Reply::Nil,
        Reply::Nil,
        Reply::Nil,
        list(),
        int(),
        Reply::Nil,
        list(),
        list(),
        Reply::Nil,
        Reply::Nil,
        list(),
    ];
    replies[place] = reply;
    replies
}

fn view(place: usize, reply: Reply) -> StoreView {
    StoreView::from_raw("news", &QUESTION, with(place, reply)).unwrap()
}

fn reason(replies: Vec<Reply>) -> Unreachable {
    StoreView::from_raw("news", &QUESTION, replies).unwrap_err()
}

#[test]
fn s6_instances_of_the_job_are_read_and_all_other_fields_ignored() {
    let fields = [
        ("crawl-news-0", "running"),
        ("crawl-news-1", "generate-cdx"),
        ("crawl-news-2", "failing"),
        ("crawl-news-01", "done"),
        ("crawl-news--1", "done"),
        ("crawl-news-100000", "done"),
        ("crawl-news-99999999999999999999", "done"),
        ("crawl-other-3", "done"),
        ("crawl-news-", "done"),
        ("", "done"),
    ];
    let entries = view(
        2,
        Reply::texts(fields.iter().flat_map(|(field, value)| [*field, *value])),
    )
    .entries;
    let expected = [(0, Entry::Running), (1, Entry::GenerateWacz), (2, Entry::Other)];
    assert_eq!(entries, BTreeMap::from(expected));
}

#[test]
fn an_unreadable_size_is_unknown_and_a_huge_one_stays_countable() {
    let fields = [
        "crawl-news-0",
        "-1",
        "crawl-news-1",
        "1e9",
        "crawl-news-2",
        "",
        "crawl-news-3",
        "4096",
    ];
    let huge = ["crawl-news-4", "99999999999999999999999999"];
    let sizes = view(3, Reply::texts(fields.into_iter().chain(huge))).sizes;
    assert_eq!(sizes, BTreeMap::from([(3, 4096), (4, MAX_COUNT)]));
}

#[test]
fn of_too_many_instances_the_lowest_are_kept() {
    let fields: Vec<String> = (0..20_000).rev().map(|index| names::crawler("news", index)).collect();
    let entries = view(
        2,
        Reply::texts(fields.iter().flat_map(|field| [field.as_str(), "done"])),
    )
    .entries;
    assert_eq!(entries.len(), MAX_INSTANCES);
    assert_eq!(entries.keys().next_back(), Some(&9_999));
}

#[test]
fn counts_below_zero_are_zero_and_done_that_is_no_number_is_zero() {
    assert_eq!(view(5, Reply::Int(-5)).seen, 0);
    assert_eq!(view(5, Reply::Int(i64::MAX)).seen, MAX_COUNT);
    assert_eq!(view(4, Reply::text("many")).done, 0);
    assert_eq!(view(4, Reply::text("19")).done, 19);
}

#[test]
fn a_flag_is_set_by_1_alone() {
    assert!(view(13, Reply::text("1")).flags.stopping);
    assert!(!view(13, Reply::text("0")).flags.stopping);
    assert!(!view(13, Reply::text("true")).flags.stopping);
    let stop_one = view(16, Reply::texts(["crawl-news-1", "1", "crawl-news-2", "0"]))
        .flags
        .stop_one;
    assert_eq!(stop_one, BTreeSet::from([1]));
}

#[test]
fn a_mark_is_renewed_by_its_word_and_first_by_any_other() {
    assert_eq!(view(1, Reply::Nil).mark, None);
    assert_eq!(view(1, Reply::text("first")).mark, Some(Mark::First));
    assert_eq!(view(1, Reply::text("renewed")).mark, Some(Mark::Renewed));
    assert_eq!(view(1, Reply::text("\n")).mark, Some(Mark::First));
}

#[test]
fn an_unreadable_line_keeps_its_place() {
    let lines = [
        r#"{"id":"news","filename":"a.wacz","size":1}"#,
        "{",
        r#"{"filename":"b.wacz","size":2}"#,
    ];
    let files = view(19, Reply::texts(lines)).files;
    let names: Vec<_> = files
        .lines
        .iter()
        .map(|line| line.as_ref().map(|line| line.filename.as_str()))
        .collect();
    assert_eq!(names, [Some("a.wacz"), None, Some("b.wacz")]);
}

#[test]
fn never_more_lines_are_read_than_were_asked_for() {
    let lines = vec![Reply::text("{}"); FileLines::MAX + 7];
    assert_eq!(view(19, Reply::List(lines)).files.lines.len(), FileLines::MAX);
}

#[test]
fn own_keys_take_short_texts_and_readable_times() {
    let long = "x".repeat(129);
    assert_eq!(
        view(20, Reply::texts(["uid/0", "60", &long, "1", "uid/1", "soon"]))
            .exec_seconds
            .len(),
        1
    );
    assert_eq!(
        view(23, Reply::texts(["uid", &long])).flagged,
        BTreeSet::from(["uid".to_owned()])
    );
    assert!(view(21, Reply::text("2026-11-30T13:15:24Z")).idle_since.is_some());
    assert_eq!(view(21, Reply::text("yesterday")).idle_since, None);
}

#[test]
fn a_rate_limit_has_a_readable_time_and_a_count() {
    let limit = view(22, Reply::text("2026-11-30T13:15:24Z 7")).rate_limit;
    assert_eq!(limit.map(|limit| limit.done), Some(7));
    for odd in ["2026-11-30T13:15:24Z", "soon 7", "2026-11-30T13:15:24Z -7", "7", ""] {
        assert_eq!(view(22, Reply::text(odd)).rate_limit, None, "{odd}");
    }
    assert_eq!(view(22, Reply::Bytes(vec![0xff])).rate_limit, None);
}

#[test]
fn any_error_answer_makes_the_whole_store_unreadable() {
    for place in 0..READ {
        assert_eq!(reason(with(place, Reply::Error)), Unreachable::ErrorAnswer, "{place}");
    }
}

#[test]
fn a_wrong_shape_is_garbage_wherever_it_stands() {
    let odd = [
        Reply::List(vec![Reply::Nil]),
        Reply::List(vec![Reply::List(Vec::new())]),
    ];
    for place in 0..READ {
        for reply in odd.clone() {
            // A list of one nothing is a list all the same where lines stand: an unreadable one.
            if place != 19 && place != 23 {
                assert_eq!(reason(with(place, reply)), Unreachable::Garbage, "{place}");
            }
        }
    }
    assert_eq!(reason(Vec::new()), Unreachable::Garbage);
    assert_eq!(reason(vec![Reply::Nil; READ + 1]), Unreachable::Garbage);
}

#[test]
fn a_dump_file_of_another_name_is_the_store_of_another_job() {
    assert_eq!(
        reason(with(0, Reply::texts(["dbfilename", "other.rdb"]))),
        Unreachable::OtherJob
    );
    assert_eq!(
        reason(with(0, Reply::texts(["dbfilename", "dump.rdb"]))),
        Unreachable::OtherJob
    );
    assert_eq!(reason(with(0, Reply::texts(["dbfilename"]))), Unreachable::Garbage);
}

mod any {
    use proptest::prelude::*;

    use super::*;

    fn reply() -> impl Strategy<Value = Reply> {
        let leaf = prop_oneof![
            Just(Reply::Nil),
            any::<i64>().prop_map(Reply::Int),
            proptest::collection::vec(any::<u8>(), 0..40).prop_map(Reply::Bytes),
            "crawl-news-[0-9]{1,6}".prop_map(|text| Reply::text(&text)),
            r#"\{"filename":"[a-z]{0,3}","size":[0-9]{1,30}\}"#.prop_map(|text| Reply::text(&text)),
        ];
        leaf.prop_recursive(2, 12, 6, |inner| {
            proptest::collection::vec(inner, 0..6).prop_map(Reply::List)
        })
    }

    proptest! {
        #[test]
        fn replies_never_panic_the_reader(replies in proptest::collection::vec(reply(), READ)) {
            let _ = StoreView::from_raw("news", &QUESTION, replies);
        }

        #[test]
        fn one_odd_reply_never_panics_the_reader(place in 1..READ, reply in reply()) {
            let _ = StoreView::from_raw("news", &QUESTION, with(place, reply));
        }
    }
}
