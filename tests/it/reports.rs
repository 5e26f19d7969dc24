//! Faults that were reported of other operators, each as the smallest call that showed it, and its relatives: other
//! phases, reasons, exit codes and kinds. `reports/README.md` lists them; `table` holds list and tests together.

mod call;
mod contract;
mod ends;
mod exits;
mod growth;
mod identity;
mod kept;
mod lost;
mod made_pods;
mod outages;
mod pause;
mod relatives;
mod replacing;
mod scale;
mod seen;
mod table;
mod times;
mod volumes;
mod waiting;
mod wakes;
mod webhook;
