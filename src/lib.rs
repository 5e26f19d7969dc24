//! rollcall: a metacontroller hook that keeps no memory.
//!
//! ```text
//! bytes -> request -----> observe -----> decide ------> act ---------> respond -----> bytes
//!          shell          shell          PURE           shell          shell
//!          SyncRequest    Observed       Desired        Acted          SyncResponse
//! ```
//!
//! Each word below a step is the type that only that step makes. `decide` has no clock, log, environment or I/O; a failed
//! outside read is an observation, never an error; nothing flows back, because the effect of a call is seen in the next.
//!
//! | to find | look in |
//! |---|---|
//! | the order of the five steps, and the one log line of a call | [`flow`] |
//! | how a body is read, and when it is refused | [`request`], [`error`] |
//! | what a pod, a claim or a time means (rules O) | [`observed`], [`hooks::crawljob::observe`] |
//! | the store (rules S) | [`outside`] |
//! | every decision about a crawl (rules S to W) | [`hooks::crawljob::decide`] |
//! | what a child looks like | [`hooks::crawljob::build`] |
//! | what must outlive the pods | [`hooks::crawljob::register`] |
//! | the answer's bytes | [`respond`] |
//! | configuration, and what it means to decisions | [`config`], [`policy`] |
//! | the server and its limits | [`app`], [`serve`] |
//! | the CRDs | [`api`] |
//! | the simulated cluster of the demo | [`sim`] |
//!
//! What is absent on purpose: memory between calls, rights on the Kubernetes API, and a default answer. An answer with a
//! shorter list deletes children, so every list is written on purpose.

pub mod act;
pub mod api;
pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod desired;
pub mod error;
pub mod flow;
pub mod hooks;
pub mod metrics;
pub mod observed;
pub mod outside;
pub mod policy;
pub mod quantity;
pub mod request;
pub mod respond;
pub mod serve;
pub mod sim;
pub mod telemetry;
