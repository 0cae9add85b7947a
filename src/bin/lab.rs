//! The command line: `lab run '<link>'` and the other commands of `lab`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vivarium::cli::main()
}
