//! The real crawler's store, snapshot by snapshot, beside the pods that a cluster shows at that moment.
//!
//! `captured_store/` holds 64 recordings of browsertrix-crawler 1.14.1 against a real Redis, one file each: what was done to
//! it when, and the keys that differ from the snapshot before, as far as the product reads them. All 414 snapshots are
//! played, in order, each call with the status and the ConfigMaps that the one before answered; and each is shown again
//! beside every other fate that its pods may have. The invariants hold in every call. The tables beside the recordings are
//! for reading: `UPDATE_FIXTURES=1 cargo test --test it captured_store` rewrites them.

mod cluster;
mod film;
mod recording;
mod rules;
mod table;

use std::fs;

use crate::corpus::root;
use crate::judge::difference;
use film::Film;
use recording::{Recording, recordings};
use table::{Fates, Life};

/// A table of answers, held against the one that was read and accepted.
fn accepted(name: &str, got: &str) {
    let path = root().join("tests/it/captured_store").join(name);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(&path, got).expect("the table can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == got, "{name} differs:\n{}", difference(&expected, got));
}

#[test]
fn all_64_recordings_with_their_414_snapshots_are_here() {
    let all = recordings();
    assert_eq!(all.len(), 64);
    assert_eq!(all.iter().map(|one| one.snapshots.len()).sum::<usize>(), 414);
}

/// Each recording as its cluster would show it. One snapshot is asked about until the answer rests, so that what waits for
/// its own echo (S3, E5) is in the table too.
#[tokio::test]
async fn each_recording_is_answered_as_the_rules_say_from_its_first_snapshot_to_its_last() {
    let mut text = Life::head();
    for recording in recordings() {
        let mut film = Film::of(&recording).await;
        let mut life = Life::of(&recording);
        for snapshot in &recording.snapshots {
            for step in film.settle(snapshot, None).await {
                life.add(snapshot, &step);
            }
        }
        text += &life.text();
    }
    accepted("lives.txt", &text);
}

/// Each snapshot beside pods that a cluster could show instead: a view that lags, an exit that was not recorded, a node that
/// is gone, a Redis that is away. Only what the rules see differently gets a line of its own.
#[tokio::test]
async fn each_snapshot_is_answered_as_the_rules_say_beside_every_other_fate_of_its_pods() {
    let mut fates = Fates::new();
    for recording in recordings() {
        play_with_fates(&recording, &mut fates).await;
    }
    accepted("fates.txt", &fates.text());
}

async fn play_with_fates(recording: &Recording, fates: &mut Fates) {
    let mut film = Film::of(recording).await;
    for snapshot in &recording.snapshots {
        let is_new = fates.is_new(&film, snapshot);
        for fate in cluster::Fate::ALL {
            let mut other = film.clone();
            if is_new {
                fates.add(fate, &other.settle(snapshot, Some(fate)).await);
            } else {
                other.step(snapshot, Some(fate)).await;
            }
        }
        film.settle(snapshot, None).await;
    }
}
