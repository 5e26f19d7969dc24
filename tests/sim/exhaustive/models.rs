//! The models that are searched, each with its bounds and what it came to.

use std::time::Instant;

use stateright::{Checker, Model};

use super::call::Decider;
use super::deeds::Deed;
use super::laws::Law;
use super::model::{Bounds, Pinned, Search};
use super::settle::Settled;
use super::state::{Left, Pause, Wish};

const WISH: Wish = Wish {
    scale: 1,
    stopping: false,
    pause: Pause::No,
    restart: false,
    storage: true,
};

const NO_BUDGET: Left = Left {
    actions: 0,
    faults: 0,
    crashes: 0,
    lags: 0,
};

fn plain() -> Bounds {
    Bounds {
        name: "plain",
        pages: 2,
        wish: WISH,
        deeds: &[],
        left: Left {
            crashes: 1,
            lags: 1,
            ..NO_BUDGET
        },
        age: 1,
        slow: true,
        pinned: Pinned {
            worlds: 4172,
            calls: 11,
        },
    }
}

/// Walks through all of it and says what was found.
fn search(bounds: Bounds) {
    let (begun, pinned) = (Instant::now(), bounds.pinned);
    let search = Search {
        bounds,
        decider: Decider::new(None),
        settled: Settled::new(),
    };
    let checker = search.checker().threads(2).spawn_bfs().join();
    let search = checker.model();
    for (says, path) in checker.discoveries() {
        println!("broken: {says}");
        let last = path.last_state().clone();
        for action in path.into_actions() {
            println!("  {action:?}");
        }
        println!("{last:#?}");
    }
    println!(
        "{}: {} worlds, {} views, {} on the undisturbed ways, {} calls to rest, {:.1} s",
        search.bounds.name,
        checker.unique_state_count(),
        search.decider.views(),
        search.settled.worlds(),
        search.settled.slowest(),
        begun.elapsed().as_secs_f64()
    );
    for (law, says) in Law::ALL {
        println!("  {:>9} {says}", search.decider.tally.judged(*law));
    }
    println!(
        "  {:?} {:?}",
        search.decider.tally.states(),
        search.decider.tally.rules()
    );
    let found = Pinned {
        worlds: checker.unique_state_count(),
        calls: search.settled.slowest(),
    };
    assert!(checker.discoveries().is_empty());
    assert_eq!(found, pinned);
}

#[test]
fn a_crawl_that_nobody_disturbs() {
    search(plain());
}
