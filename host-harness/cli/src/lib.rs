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

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

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
    let run = if plugin::is_meant() { plugin::run() } else { parse().command.run() };
    let exit = run.unwrap_or_else(|failure| failure.report());
    exit.into()
}

/// Reads the command line of this process; where that is wrong or help is wanted, the process ends.
fn parse() -> Cli {
    Cli::from_arg_matches(&command_line().get_matches()).unwrap_or_else(|error| error.exit())
}

/// The commands that are built in with a feature only, each with whether it is there and the feature.
const OPTIONAL: [(&str, bool, &str); 3] = [
    ("run", cfg!(feature = "live"), "live"),
    ("push", cfg!(feature = "oci"), "oci"),
    ("pull", cfg!(feature = "oci"), "oci"),
];

/// Returns the command line. The help marks a command that this build lacks.
fn command_line() -> clap::Command {
    let missing = OPTIONAL.iter().filter(|(_, is_there, _)| !is_there);
    missing.fold(Cli::command(), |cli, (name, _, feature)| {
        cli.mut_subcommand(name, |command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            command.about(format!("[not in this build: `--features {feature}`] {about}"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command_line().debug_assert();
    }

    #[test]
    fn a_command_that_this_build_lacks_is_marked() {
        let help = command_line().render_help().to_string();
        for (name, is_there, feature) in OPTIONAL {
            let line = help.lines().find(|line| line.trim_start().starts_with(&format!("{name} "))).unwrap();
            assert_eq!(line.contains(&format!("[not in this build: `--features {feature}`]")), !is_there, "{line}");
        }
    }
}
