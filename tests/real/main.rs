//! Takes the built `rollcall` binary; gives the verdict of a real control plane on it. Needs Go and redis-server, listens
//! and connects on loopback only, and ends every process it started. See README.md.

mod api;
mod cluster;
mod container;
mod crawler;
mod kubelet;
mod machine;
mod node;
mod pod;
mod pod_status;
mod process;
mod store;
mod wait;
