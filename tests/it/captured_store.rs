//! The real crawler's store, snapshot by snapshot, beside the pods that a cluster shows at that moment.
//!
//! `captured_store/` holds 64 recordings of browsertrix-crawler 1.14.1 against a real Redis, one file each: what was done to
//! it when, and the keys that differ from the snapshot before, as far as the product reads them. All 414 snapshots are
//! played, in order, each call with the status and the ConfigMaps that the one before answered; and each situation is shown
//! again beside other fates that its pods may have. The invariants of `rules.rs` hold in every call. The tables beside the
//! recordings are for reading: `UPDATE_FIXTURES=1 cargo test --test it captured_store` rewrites them.

pub(crate) mod cluster;
mod film;
mod pods;
mod recording;
mod rules;
mod table;

use std::fs;

use crate::corpus::root;
use crate::judge::difference;
use film::Film;
use pods::Fate;
use recording::recordings;
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

/// Each recording as its cluster would show it, asked about until the answer rests, so that what waits for its own echo (S3,
/// E5) is seen too; and every situation that the rules tell apart beside pods that a cluster could show instead: a view that
/// lags, an exit that was not recorded, a node that is gone, a Redis that is away.
#[tokio::test]
async fn every_snapshot_is_answered_as_the_rules_say_beside_its_pods_and_beside_other_fates_of_them() {
    let mut lives = Life::head();
    let mut fates = Fates::new();
    for recording in recordings() {
        let mut film = Film::of(&recording).await;
        let mut life = Life::of(&recording);
        for snapshot in &recording.snapshots {
            if fates.is_new(&film, snapshot) {
                for fate in Fate::ALL {
                    fates.add(fate, &film.clone().settle(snapshot, Some(fate)).await);
                }
            }
            for step in film.settle(snapshot, None).await {
                life.add(snapshot, &step);
            }
        }
        lives += &life.text();
    }
    accepted("lives.txt", &lives);
    accepted("fates.txt", &fates.text());
}
