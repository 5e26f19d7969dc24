//! rollcall: a metacontroller hook that keeps no memory.
//!
//! ```text
//! bytes -> request -----> observe -----> decide ------> act ---------> respond -----> bytes
//!          shell          shell          PURE           shell          shell
//!          SyncRequest    Observed       Desired        Acted          SyncResponse
//! ```

pub mod api;
pub mod desired;
pub mod hooks;
pub mod observed;
pub mod outside;
pub mod policy;
pub mod quantity;
pub mod request;
pub mod sim;
