//! The shipped decision against a simulated cluster (tier 3). `exhaustive` looks at every interleaving of a small one.
//! What is modelled, within which bounds and what is left out stands in the README beside this file.
#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a model that can't go on says why, and a search says what it found"
)]

mod exhaustive;
