//! Faults that were reported of other operators, each as the smallest call that showed it, and its relatives: other
//! phases, reasons, exit codes and kinds. `reports/README.md` lists them; `table` holds list and tests together.

mod call;
mod contract;
mod disrupted;
mod ends;
mod exits;
mod growth;
mod identity;
mod kept;
mod lost;
mod made_pods;
mod memory;
mod missing;
mod outages;
mod pause;
mod relatives;
mod replacing;
mod scale;
mod seen;
mod states;
mod table;
mod times;
mod verdicts;
mod volumes;
mod waiting;
mod wakes;
mod webhook;
