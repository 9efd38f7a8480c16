//! The `lictor` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    lictor::main()
}
