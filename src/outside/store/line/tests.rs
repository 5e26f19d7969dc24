//! Lines as crawlers write them, and as they should not.

use super::*;

const WHOLE: &str = r#"{"id":"news","user":"6d1c0000","filename":"http://s3.example/bucket/20261130-crawl-news-0.wacz",
    "path":"20261130-crawl-news-0.wacz","size":10485760,"hash":"0f3c9a17","bytes":10485760,"completed":true}"#;

fn line(json: &str) -> Option<FileLine> {
    read("news", json.as_bytes())
}

#[test]
fn a_crawlers_line_gives_name_size_hash_and_user() {
    let expected = FileLine {
        filename: "http://s3.example/bucket/20261130-crawl-news-0.wacz".to_owned(),
        size: 10_485_760,
        hash: Some("0f3c9a17".to_owned()),
        user: Some("6d1c0000".to_owned()),
    };
    assert_eq!(line(WHOLE), Some(expected));
}

#[test]
fn a_line_needs_a_name_and_a_size_and_no_other_job() {
    assert!(line(r#"{"filename":"a","size":0}"#).is_some());
    for spoilt in [
        r#"{"filename":"","size":1}"#,
        r#"{"size":1}"#,
        r#"{"filename":"a"}"#,
        r#"{"filename":["a"],"size":1}"#,
        r#"{"filename":"a","size":-1}"#,
        r#"{"filename":"a","size":"1"}"#,
        r#"{"filename":"a","size":1.5}"#,
        r#"{"id":"other","filename":"a","size":1}"#,
        r#"{"filename":"a","size":1"#,
        "null",
        "[]",
        "",
    ] {
        assert_eq!(line(spoilt), None, "{spoilt}");
    }
    assert_eq!(read("news", b"\xff\xfe"), None);
}

#[test]
fn odd_extras_spoil_only_themselves() {
    let line = line(r#"{"filename":"a","size":1,"hash":"<b>","user":7,"more":{}}"#).unwrap();
    assert_eq!((line.hash, line.user), (None, None));
}

#[test]
fn huge_sizes_stay_countable() {
    assert_eq!(line(r#"{"filename":"a","size":1e300}"#).unwrap().size, MAX_COUNT);
    assert_eq!(
        line(r#"{"filename":"a","size":18446744073709551615}"#).unwrap().size,
        MAX_COUNT
    );
}

#[test]
fn a_long_line_is_not_looked_into() {
    let padded = |length: usize| format!(r#"{{"filename":"a","size":1,"path":"{}"}}"#, "x".repeat(length));
    assert!(line(&padded(60_000)).is_some());
    assert_eq!(line(&padded(66_000)), None);
}

#[test]
fn long_names_are_cut_and_stay_apart() {
    let named = |end: &str| {
        line(&format!(r#"{{"filename":"{}{end}","size":1}}"#, "ü".repeat(600)))
            .unwrap()
            .filename
    };
    let (one, other) = (named("1"), named("2"));
    assert!(one.len() <= MAX_FILENAME && other.len() <= MAX_FILENAME);
    assert_ne!(one, other);
}

#[test]
fn deep_nesting_is_refused_without_harm() {
    assert_eq!(
        line(&format!(r#"{{"filename":"a","size":1,"path":{}"#, "[".repeat(30_000))),
        None
    );
}

#[test]
fn a_hash_is_the_first_half_of_the_first_half_of_sha_256() {
    assert_eq!(hash(b"abc"), "ba7816bf8f01cfea");
}
