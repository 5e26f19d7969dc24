//! What comes back from a register, and what fits into one.

use std::collections::BTreeMap;

use super::{
    Dropped, FilesRead, FinalEntry, InstanceLine, KEY_DROPPED, KEY_FILES, KEY_JOB, KEY_STATE, MAX_BYTES, Register,
    State, encode, is_among, json_string, read,
};
use crate::api::v1::crawljob_status::{CrawlState, StopReason};
use crate::hooks::crawljob::register::RegisterSeen;
use crate::observed::ConfigMap;
use crate::outside::store::FileLine;

fn state() -> State {
    let files = FilesRead {
        lines: 2,
        first_hash: Some("abc".to_owned()),
        count: 2,
        bytes: 30,
    };
    State {
        started: true,
        marked: true,
        files,
        stop_reason: Some(StopReason::TimeLimit),
        ..State::blank_page()
    }
}

fn register(state: &State, files: &[FileLine]) -> Register {
    Register {
        state: state.clone(),
        files: files.to_vec(),
        dropped: Dropped::nothing(),
    }
}

fn full_line() -> InstanceLine {
    InstanceLine {
        ended: Some(FinalEntry::Canceled),
        size: Some(99_999_999_999),
        exit: Some("f4abdbc1ff70@1796042564".to_owned()),
        pages_done: 1_000_000,
        early_ends: 5,
        crashes: 20,
        memory: Some(68_719_476_736),
        storage: Some(1_099_511_627_776),
    }
}

fn file(number: usize) -> FileLine {
    FileLine {
        filename: format!("news/{number:05}.wacz"),
        size: 10,
        hash: None,
        user: Some("a\"b".to_owned()),
    }
}

fn seen(data: BTreeMap<String, String>) -> RegisterSeen {
    read(ConfigMap {
        name: "crawl-register-news".to_owned(),
        uid: "u".to_owned(),
        terminating: false,
        data,
        anchor: None,
    })
}

fn measured(data: &BTreeMap<String, String>) -> usize {
    data.values().map(|text| json_string(text)).sum()
}

#[test]
fn what_was_written_is_read_back() {
    let mut state = state();
    state.instances.insert(10, full_line());
    state.instances.insert(2, full_line());
    state.result = Some(CrawlState::Complete);
    let files = [file(1), file(2)];
    let RegisterSeen::Readable(register, _) = seen(encode(&register(&state, &files), "{}")) else {
        panic!("unreadable")
    };
    assert_eq!((register.state, register.files), (state, files.to_vec()));
}

#[test]
fn equal_states_give_equal_compact_text() {
    let data = encode(&register(&state(), &[file(1)]), "{\"kind\":\"CrawlJob\"}");
    assert_eq!(data, encode(&register(&state(), &[file(1)]), "{\"kind\":\"CrawlJob\"}"));
    let expected = concat!(
        r#"{"started":true,"marked":true,"renewed":false,"flushed":false,"#,
        r#""files":{"lines":2,"firstHash":"abc","count":2,"bytes":30},"stopReason":"time_limit"}"#,
    );
    assert_eq!(data[KEY_STATE], expected);
    assert_eq!(
        data[KEY_FILES],
        "{\"filename\":\"news/00001.wacz\",\"size\":10,\"user\":\"a\\\"b\"}\n"
    );
}

#[test]
fn a_state_that_is_missing_or_unreadable_makes_the_register_unreadable() {
    for text in [
        None,
        Some(""),
        Some("null"),
        Some("{"),
        Some("{\"started\":1}"),
        Some("[]"),
        Some("{\"files\":null}"),
    ] {
        let data = text
            .map(|text| (KEY_STATE.to_owned(), text.to_owned()))
            .into_iter()
            .collect();
        assert!(matches!(seen(data), RegisterSeen::Unreadable(_)), "{text:?}");
    }
}

#[test]
fn a_result_that_is_not_final_is_ignored() {
    let with = |word: &str| {
        let text = format!(r#"{{"files":{{"lines":0,"count":0,"bytes":0}},"result":"{word}"}}"#);
        match seen(BTreeMap::from([(KEY_STATE.to_owned(), text)])) {
            RegisterSeen::Readable(register, _) => register.state.result,
            RegisterSeen::Missing | RegisterSeen::Unreadable(_) => panic!("unreadable"),
        }
    };
    assert_eq!(with("running"), None);
    assert_eq!(with("paused"), None);
    assert_eq!(with("failed_not_logged_in"), Some(CrawlState::FailedNotLoggedIn));
}

#[test]
fn unreadable_file_lines_are_left_out() {
    let mut data = encode(&register(&state(), &[file(1)]), "{}");
    data.insert(
        KEY_FILES.to_owned(),
        format!("nonsense\n\n{}{{\"size\":1}}\n", data[KEY_FILES]),
    );
    let RegisterSeen::Readable(register, _) = seen(data) else {
        panic!("unreadable")
    };
    assert_eq!(register.files, [file(1)]);
}

#[test]
fn the_oldest_file_lines_go_first() {
    let files: Vec<FileLine> = (0..10_000).map(file).collect();
    let data = encode(&register(&state(), &files), "{}");
    let size = measured(&data);
    assert!(size <= MAX_BYTES && size > MAX_BYTES - 200, "{size}");
    assert!(data[KEY_FILES].ends_with("news/09999.wacz\",\"size\":10,\"user\":\"a\\\"b\"}\n"));
    assert!(!data[KEY_FILES].contains("news/00000"));
}

#[test]
fn a_thousand_full_instances_fit_and_a_job_that_does_not_is_left_out() {
    let mut state = state();
    state.instances = (0..1000).map(|index| (index, full_line())).collect();
    state.handed_back = (0..1000).collect();
    let data = encode(&register(&state, &[file(1)]), "{\"kind\":\"CrawlJob\"}");
    assert!(data.contains_key(KEY_JOB) && measured(&data) <= MAX_BYTES);
    let data = encode(&register(&state, &[file(1)]), &"x".repeat(100_000));
    assert!(!data.contains_key(KEY_JOB) && measured(&data) <= MAX_BYTES);
    assert!(!data[KEY_FILES].is_empty());
}

/// Files of usual names, written in batches as a crawl announces them.
fn written_in_batches(files: usize) -> Register {
    let mut register = register(&state(), &[]);
    for number in 0..files {
        register.files.push(file(number));
        if number % 500 == 499 || number + 1 == files {
            let RegisterSeen::Readable(read, _) = seen(encode(&register, "{}")) else {
                panic!("unreadable")
            };
            register = *read;
        }
    }
    register
}

fn remembers(register: &Register, number: usize) -> bool {
    let hashes = register.dropped.hashes();
    let name = file(number).filename;
    is_among(&hashes, &name) || register.files.iter().any(|file| file.filename == name)
}

#[test]
fn s3_twenty_thousand_files_are_remembered_by_name_and_beyond_it_the_oldest_are_not() {
    let most = 20_000;
    let register = written_in_batches(most);
    assert!(register.files.len() < most / 10, "most lines were dropped");
    assert!((0..most).step_by(97).all(|number| remembers(&register, number)));
    assert!(!remembers(&register, most), "a new name is new");
    let measured = measured(&encode(&register, "{}"));
    assert!(measured <= MAX_BYTES, "{measured}");
    let beyond = written_in_batches(most + 1000);
    assert!(!remembers(&beyond, 0) && remembers(&beyond, most + 999));
}

#[test]
fn s3_what_is_dropped_is_written_once_and_rests() {
    let register = written_in_batches(5000);
    let data = encode(&register, "{}");
    let RegisterSeen::Readable(again, _) = seen(data.clone()) else {
        panic!("unreadable")
    };
    assert_eq!(*again, register);
    assert_eq!(encode(&again, "{}"), data);
}

#[test]
fn unreadable_hashes_are_left_out() {
    let mut data = encode(&register(&state(), &[file(1)]), "{}");
    data.insert(KEY_DROPPED.to_owned(), "0123456789a".to_owned());
    let RegisterSeen::Readable(register, _) = seen(data) else {
        panic!("unreadable")
    };
    assert_eq!(register.dropped, Dropped::nothing());
}
