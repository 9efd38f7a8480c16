//! The `lictor` command.

use std::process::ExitCode;

/// What several threads read, one frees, and the allocator of the system keeps it: a decision about a dump of 50,000 pods takes 321 MB with
/// this one instead of 377, and an eighth less of a processor's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    lictor::main()
}
