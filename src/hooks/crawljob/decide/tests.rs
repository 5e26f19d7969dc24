//! Tests of the decision, by group of rules. Each names the rule it shows and uses the smallest scene that can show it.

mod calling_back;
mod ending;
mod keeping;
mod making;
mod pausing;
mod reached;
mod scaling;
mod scaling_again;
mod scene;
mod status;
mod store;
mod strangers;
mod teardown;
