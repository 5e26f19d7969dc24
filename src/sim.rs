//! The simulated cluster: a small, deterministic Kubernetes with metacontroller, kubelet, garbage collector, stores and
//! crawlers, on a virtual clock.
//!
//! It takes one seed and answers of a hook, gives requests of the caller; it knows no hook's rules. Used by
//! `rollcall demo` and by `tests/sim`; [`metacontroller`] and [`apply`] also by the driver of `tests/real`.

pub mod apply;
pub mod metacontroller;
