//! The `lictor` command: one file or folder for each of its commands.
//!
//! Results go to the standard output, messages about them to the standard error.

mod arguments;
mod bench;
mod changes;
mod choice;
mod decide;
mod diff;
mod exit;
mod explain;
mod failure;
mod fuzz;
mod inspect;
mod kept;
mod laws;
mod limited;
mod live;
mod mutants;
mod page;
mod plugin;
mod progress;
mod recorded;
mod remote;
mod replacing;
mod replay;
mod screen;
mod serve;
mod snapshot;
mod test;
mod upgrade;
mod view;
mod what_if;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::Exit;
use failure::Failure;
pub use lictor_decide::Native;
pub use mutants::{Mutant, mutants};

/// Run a scheduling policy in a sandbox: its decisions for a cluster, and checks that it keeps its laws
#[derive(Parser)]
#[command(name = "lictor", version, max_term_width = 120, propagate_version = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Decide(decide::Asked),
    Explain(explain::Asked),
    Test(test::Asked),
    Replay(replay::Asked),
    Diff(diff::Asked),
    Upgrade(upgrade::Asked),
    Run(live::Asked),
    Serve(serve::Asked),
    Fuzz(fuzz::Asked),
    Bench(bench::Asked),
    View(view::Asked),
    WhatIf(what_if::Asked),
    Inspect(inspect::Asked),
    Laws(laws::Asked),
    Push(remote::PushAsked),
    Pull(remote::PullAsked),
}

impl Command {
    fn run(self) -> Result<Exit, Failure> {
        match self {
            Command::Decide(asked) => decide::run(&asked),
            Command::Explain(asked) => explain::run(&asked),
            Command::Test(asked) => test::run(&asked),
            Command::Replay(asked) => replay::run(&asked),
            Command::Diff(asked) => diff::run(&asked),
            Command::Upgrade(asked) => upgrade::run(&asked),
            Command::Run(asked) => live::run(&asked),
            Command::Serve(asked) => serve::run(&asked),
            Command::Fuzz(asked) => fuzz::run(&asked),
            Command::Bench(asked) => bench::run(&asked),
            Command::View(asked) => view::run(&asked),
            Command::WhatIf(asked) => what_if::run(&asked),
            Command::Inspect(asked) => inspect::run(&asked),
            Command::Laws(asked) => laws::run(&asked),
            Command::Push(asked) => remote::push(&asked),
            Command::Pull(asked) => remote::pull(&asked),
        }
    }
}

/// Returns the bytes of this project's policy, `guest/component`, as it was built with the command.
pub fn embedded() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/lictor.wasm"))
}

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let run = if plugin::is_meant() { plugin::run() } else { Cli::parse().command.run() };
    let exit = run.unwrap_or_else(|failure| failure.tell());
    exit.into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
