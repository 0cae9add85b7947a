//! The command line: `lab run '<link>'` and its companions.

use std::process::ExitCode;

fn main() -> ExitCode {
    vivarium::cli::main()
}
