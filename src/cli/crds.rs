//! `rollcall crds`.

use std::io::Write;

use super::{CliError, Outcome};
use crate::api;

/// Prints the CRDs.
///
/// # Errors
/// When they can't be written.
pub fn run(out: &mut impl Write) -> Result<Outcome, CliError> {
    let yaml = api::crds_yaml().map_err(CliError::failed)?;
    out.write_all(yaml.as_bytes()).map_err(CliError::failed)?;
    Ok(Outcome::Fine)
}
