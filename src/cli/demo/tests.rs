//! The story as a whole, as fast as it goes.

use super::*;

fn plain(seed: u64, record: Option<PathBuf>) -> (Outcome, String) {
    let mut out = Vec::new();
    let args = Args {
        speed: 100_000.0,
        seed,
        record,
        plain: true,
    };
    let outcome = run(&args, &mut out);
    let text = String::from_utf8_lossy(&out).into_owned();
    (outcome.unwrap_or(Outcome::Found), text)
}

#[test]
fn the_story_ends_with_nothing_lost_and_says_why_pods_were_called_back() {
    let (outcome, text) = plain(1, None);
    assert!(text.contains("Nothing was lost."), "{text}");
    assert_eq!(outcome, Outcome::Fine);
    assert!(text.contains("calls back Pod crawl-news-0"), "{text}");
    assert!(!text.contains('\u{1b}'), "no ANSI when it is not a terminal");
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let without_port = |text: String| {
        text.lines()
            .filter(|line| !line.contains("listens on"))
            .collect::<String>()
    };
    assert_eq!(without_port(plain(2, None).1), without_port(plain(2, None).1));
}

/// Lines that stand together in the README stand together in the story.
#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme.split_once("-- demo --plain\n").unwrap();
    let (shown, _) = after.split_once("```").unwrap();
    let (_, story) = plain(1, None);
    for part in shown.split("…\n").filter(|part| !part.is_empty()) {
        assert!(
            story.contains(part),
            "the README shows\n{part}\nthe demo prints\n{story}"
        );
    }
}

#[test]
fn a_recorded_story_is_replayed_as_it_was() {
    let folder = std::env::temp_dir().join(format!("rollcall-demo-{}", std::process::id()));
    let (told, _) = plain(3, Some(folder.clone()));
    let mut out = Vec::new();
    let replayed = crate::cli::replay::run(crate::cli::replay::Args::of(&folder), &mut out);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((told, replayed.unwrap()), (Outcome::Fine, Outcome::Fine));
    let text = String::from_utf8_lossy(&out).into_owned();
    assert!(text.contains("0 different, 0 recorded now, 0 skipped"), "{text}");
}

#[test]
fn a_speed_is_a_number_above_zero() {
    assert!(speed("0").is_err() && speed("-1").is_err() && speed("inf").is_err() && speed("fast").is_err());
    assert_eq!(speed("2.5"), Ok(2.5));
}
