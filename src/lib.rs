//! rollcall: a metacontroller hook that keeps no memory.
//!
//! ```text
//! bytes -> request -----> observe -----> decide ------> act ---------> respond -----> bytes
//!          shell          shell          PURE           shell          shell
//!          SyncRequest    Observed       Desired        Acted          SyncResponse
//! ```

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
