//! rollcall
