//! Fast checks from outside: no cluster, no sleeping, loopback only.

mod crds;
