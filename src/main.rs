//! The program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    rollcall::cli::main(std::env::args_os())
}
