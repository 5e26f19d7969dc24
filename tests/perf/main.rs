//! What one call of a crawl costs as it grows: round trips to the store, CPU, allocations and peak memory, for jobs of
//! 1 to 1000 pods made of captured objects. Only a release build says anything: `cargo test --release --test perf`.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that can't go on says why"
)]

mod allocations;
#[path = "../support/answer.rs"]
#[expect(dead_code, reason = "the other tests look at more of an answer")]
mod answer;
mod body;
#[path = "../support/counting.rs"]
mod counting;
mod cpu;
mod round_trips;
#[path = "../support/served.rs"]
#[expect(dead_code, reason = "the other tests close connections too")]
mod served;
#[path = "../support/server.rs"]
mod server;
mod stand;
#[path = "../support/tested.rs"]
mod tested;
