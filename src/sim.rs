//! The simulated cluster: a small, deterministic Kubernetes with metacontroller, kubelet, garbage collector, stores and
//! crawlers, on a virtual clock.
//!
//! It takes one seed and answers of a hook, gives requests of the caller; it knows no hook's rules. Used by
//! `rollcall demo`; [`metacontroller`] and [`apply`] also by the driver of `tests/real`.

pub mod api_server;
pub mod apply;
pub mod caller;
pub mod clock;
pub mod collector;
pub mod crawler;
mod kubelet;
pub mod metacontroller;
pub mod queue;
pub mod rng;
mod run;
pub mod site;
pub mod storage;
pub mod views;
pub mod world;

#[cfg(test)]
mod tests;
