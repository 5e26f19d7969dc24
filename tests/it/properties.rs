//! The invariants I-1 to I-29 that one answer can keep or break, held against calls that nobody would write by hand: odd
//! specs, pods, volumes, registers, stores and clocks, all through the real router.
//!
//! The calls are drawn from a fixed seed. `PROPTEST_CASES=20000 cargo test --test it properties` looks further, and
//! `PROPTEST_RNG_SEED=n` elsewhere.

mod invariants;
mod pools;
mod scene;
mod stores;
mod table;

use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

use invariants::Case;
use scene::scenes;
use table::{INVARIANTS, Kept};

/// Calls drawn in every run of the tests.
const CASES: u32 = 300;

fn config() -> Config {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    let from_environment = Config::default();
    Config {
        cases: if is_set("PROPTEST_CASES") {
            from_environment.cases
        } else {
            CASES
        },
        rng_seed: if is_set("PROPTEST_RNG_SEED") {
            from_environment.rng_seed
        } else {
            RngSeed::Fixed(29)
        },
        failure_persistence: None,
        max_shrink_iters: 300,
        ..from_environment
    }
}

#[test]
fn every_drawn_call_keeps_each_invariant_that_one_answer_can_keep() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let outcome = TestRunner::new(config()).run(&scenes(), |scene| {
        let case = runtime.block_on(Case::of(&scene));
        for (number, name, kept) in INVARIANTS {
            if let Kept::InOneAnswer(holds) = kept
                && let Err(fault) = holds(&case)
            {
                let fault = format!("I-{number} {name}: {fault}");
                return Err(proptest::test_runner::TestCaseError::fail(fault));
            }
        }
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, scene)) => panic!("{why}\n{scene:#?}\n{}", scene.body()),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

#[test]
fn the_table_holds_i1_to_i29_each_once() {
    let numbers: Vec<u32> = INVARIANTS.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, (1..=29).collect::<Vec<u32>>());
    let silent = INVARIANTS
        .iter()
        .filter(|(_, _, kept)| matches!(kept, Kept::InManyCalls("")));
    assert_eq!(silent.count(), 0, "each says why it needs many calls");
}
