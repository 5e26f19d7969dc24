//! Says what a test could not show on this machine.

use std::io::Write;

/// Says that a test showed nothing here. Not `eprintln!`: the runner would swallow that, because the test passes.
pub(crate) fn say_not_tested(why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT TESTED: {why}");
}
