//! One fast binary: no cluster, no sleeping until something is probably true, loopback only.

#![expect(clippy::panic, reason = "a helper that can't go on says why")]

mod crds;
mod store;
