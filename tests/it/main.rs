//! The fast tests of the whole product: its fixtures, its HTTP contract, its names and its habits. No cluster, no
//! sleeping until something is probably true, loopback only; every wait has a bound.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that can't go on says why, and a test that can't be done says so"
)]

#[path = "../support/answer.rs"]
mod answer;
mod captured_store;
mod chart;
mod cli;
mod contract;
mod corpus;
#[path = "../support/counting.rs"]
mod counting;
mod crds;
mod decided;
#[path = "../support/helm.rs"]
mod helm;
mod http;
mod image;
mod judge;
mod properties;
mod replay;
mod reports;
#[path = "../../src/hooks/crawljob/build/restricted.rs"]
mod restricted;
#[path = "../support/served.rs"]
mod served;
#[path = "../support/server.rs"]
mod server;
mod status_amnesia;
mod store;
mod store_faults;
mod telling;
#[path = "../support/tested.rs"]
mod tested;
mod tidy;
