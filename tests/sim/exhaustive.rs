//! Every interleaving of a small cluster, with the shipped decision at its heart: stateright walks through all worlds that
//! the bounds of a model allow, each step keeps the laws, and from each world the job settles.

mod apply;
mod call;
mod crawler;
mod deeds;
mod laws;
mod model;
mod models;
mod mutants;
mod nature;
mod properties;
mod searches;
mod seen;
mod settle;
mod show;
mod state;
mod store;
