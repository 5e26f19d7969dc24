//! Our resources, group `rollcall.dev`. [`v1`] holds the types users write and read; the CRDs are generated from them.

pub mod v1;
