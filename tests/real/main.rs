//! Takes the built `rollcall` binary; gives the verdict of a real control plane on it. Needs Go and redis-server, listens
//! and connects on loopback only, and ends every process it started. See README.md.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on says why and ends; it lives in real time"
)]

mod api;
mod audit;
mod call;
mod cluster;
mod conformance;
mod container;
mod crawler;
mod driver;
mod harness;
#[path = "../support/helm.rs"]
mod helm;
mod hook;
mod installed;
mod kind;
mod kubelet;
mod machine;
mod metacontroller;
mod node;
mod oracle;
mod pod;
mod pod_status;
mod process;
mod recorded;
mod recorder;
mod scenarios;
mod service;
mod stand_in;
mod store;
#[path = "../support/tested.rs"]
mod tested;
mod timeline;
mod wait;
mod world;
