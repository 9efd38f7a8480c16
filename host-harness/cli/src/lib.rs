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
mod rails;
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
use failure::CommandError;
pub use lictor_decide::Native;
pub use mutants::{Mutant, mutants};

/// Run a scheduling policy in a sandbox: its decisions for a cluster, and checks that it keeps its laws
#[derive(Parser)]
#[command(name = "lictor", version, max_term_width = 120, propagate_version = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: LictorCommand,
}

#[derive(Subcommand)]
enum LictorCommand {
    Decide(decide::DecideArgs),
    Explain(explain::ExplainArgs),
    Test(test::TestArgs),
    Replay(replay::ReplayArgs),
    Diff(diff::DiffArgs),
    Upgrade(upgrade::UpgradeArgs),
    Run(live::RunArgs),
    Serve(serve::ServeArgs),
    Fuzz(fuzz::FuzzArgs),
    Bench(bench::BenchArgs),
    View(view::ViewArgs),
    WhatIf(what_if::WhatIfArgs),
    Inspect(inspect::InspectArgs),
    Laws(laws::LawsArgs),
    Push(remote::PushArgs),
    Pull(remote::PullArgs),
}

impl LictorCommand {
    fn run(self) -> Result<Exit, CommandError> {
        match self {
            LictorCommand::Decide(asked) => decide::run(&asked),
            LictorCommand::Explain(asked) => explain::run(&asked),
            LictorCommand::Test(asked) => test::run(&asked),
            LictorCommand::Replay(asked) => replay::run(&asked),
            LictorCommand::Diff(asked) => diff::run(&asked),
            LictorCommand::Upgrade(asked) => upgrade::run(&asked),
            LictorCommand::Run(asked) => live::run(&asked),
            LictorCommand::Serve(asked) => serve::run(&asked),
            LictorCommand::Fuzz(asked) => fuzz::run(&asked),
            LictorCommand::Bench(asked) => bench::run(&asked),
            LictorCommand::View(asked) => view::run(&asked),
            LictorCommand::WhatIf(asked) => what_if::run(&asked),
            LictorCommand::Inspect(asked) => inspect::run(&asked),
            LictorCommand::Laws(asked) => laws::run(&asked),
            LictorCommand::Push(asked) => remote::push(&asked),
            LictorCommand::Pull(asked) => remote::pull(&asked),
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
    let exit = run.unwrap_or_else(|failure| failure.report());
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
