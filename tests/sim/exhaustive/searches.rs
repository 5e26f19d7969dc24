//! The tests: each model is walked through whole and comes to what the README says; each mutant is caught.

use std::collections::BTreeSet;
use std::time::Instant;

use stateright::{Checker, HasDiscoveries, Model, Path};

use super::call::Decider;
use super::laws::Law;
use super::model::{Action, Bounds, Search};
use super::models;
use super::mutants::{self, Mutant};
use super::properties::SETTLES;
use super::settle::Settled;
use super::state::World;

/// The tables of the README are what the searches have to come to.
const README: &str = include_str!("../README.md");

fn model(name: &str) -> &'static Bounds {
    let found = models::ALL.iter().find(|bounds| bounds.name == name);
    found.unwrap_or_else(|| panic!("no model is called {name}"))
}

fn search(bounds: &Bounds, mutant: Option<Mutant>) -> Search {
    Search {
        bounds: bounds.clone(),
        decider: Decider::new(mutant),
        settled: Settled::new(),
    }
}

/// The row that the README should have.
fn expect_row(row: &str) {
    let found = README.lines().any(|line| line == row);
    assert!(
        found,
        "tests/sim/README.md says something else. If the change is meant, the row is now:\n{row}"
    );
}

fn tell(says: &str, path: Path<World, Action>) -> String {
    let last = path.last_state().clone();
    let actions: Vec<String> = path
        .into_actions()
        .iter()
        .map(|action| format!("  {action:?}"))
        .collect();
    format!("{says}\n{}\n{last:#?}", actions.join("\n"))
}

/// Walks through all of it.
fn whole(name: &str) {
    let begun = Instant::now();
    let checker = search(model(name), None).checker().threads(2).spawn_bfs().join();
    let search = checker.model();
    let tally = &search.decider.tally;
    println!(
        "{name}: {} worlds, {} views, {:.1} s; states {:?}; rules {:?}",
        checker.unique_state_count(),
        search.decider.views(),
        begun.elapsed().as_secs_f64(),
        tally.states(),
        tally.rules(),
    );
    let broken: Vec<String> = checker
        .discoveries()
        .into_iter()
        .map(|(says, path)| tell(says, path))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    for (law, says) in Law::ALL {
        println!("  {:>9} {says}", tally.judged(*law));
    }
    let silent: Vec<Law> = Law::ALL
        .iter()
        .map(|(law, _)| *law)
        .filter(|law| tally.judged(*law) == 0)
        .collect();
    assert_eq!(silent, search.bounds.silent, "laws without a case in this model");
    let rules: Vec<&str> = tally.rules().into_iter().collect();
    expect_row(&format!(
        "| {name} | {} | {} | {} |",
        checker.unique_state_count(),
        search.settled.slowest(),
        rules.join(" ")
    ));
}

macro_rules! whole {
    ($($test:ident: $name:literal,)+) => {
        $(#[test]
        fn $test() {
            whole($name);
        })+

        #[test]
        fn every_model_is_searched() {
            let searched = [$($name),+];
            assert_eq!(models::ALL.iter().map(|bounds| bounds.name).collect::<Vec<_>>(), searched);
        }
    };
}

whole! {
    model_undisturbed: "undisturbed",
    model_scaling: "scaling",
    model_pausing: "pausing",
    model_losing_pods: "losing pods",
    model_losing_the_store: "losing the store",
    model_cancel: "cancel",
    model_no_storage: "no storage",
    model_restarting: "restarting",
}

#[test]
fn each_law_has_a_case_and_a_mutant() {
    for (law, says) in Law::ALL {
        assert!(
            models::ALL.iter().any(|bounds| !bounds.silent.contains(law)),
            "no case: {says}"
        );
        assert!(
            mutants::ALL.iter().any(|mutant| mutant.breaks == Some(*law)),
            "no mutant: {says}"
        );
    }
}

/// One thread, so that the count is the same every time.
fn caught(mutant: &Mutant) -> Result<String, String> {
    let says = mutant.breaks.map_or(SETTLES, |law| Law::ALL[law as usize].1);
    let found = HasDiscoveries::AnyOf(BTreeSet::from([says]));
    let checker = search(model(mutant.model), Some(*mutant)).checker().threads(1);
    let checker = checker.finish_when(found).spawn_bfs().join();
    let (law, worlds) = (says.split(' ').next().unwrap_or_default(), checker.unique_state_count());
    if checker.discovery(says).is_some() {
        Ok(format!("| {} | {law} | {} | {worlds} |", mutant.name, mutant.model))
    } else {
        let others: Vec<&str> = checker.discoveries().into_keys().collect();
        Err(format!("{}: not caught by {says}, but by {others:?}", mutant.name))
    }
}

#[test]
fn every_mutant_is_caught() {
    let (rows, missed): (Vec<_>, Vec<_>) = mutants::ALL.iter().map(caught).partition(Result::is_ok);
    let missed: Vec<String> = missed.into_iter().filter_map(Result::err).collect();
    let rows: Vec<String> = rows.into_iter().filter_map(Result::ok).collect();
    println!("{}", rows.join("\n"));
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for row in rows {
        expect_row(&row);
    }
}
