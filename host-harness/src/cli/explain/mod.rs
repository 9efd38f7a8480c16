//! `lictor explain`: why one pod, or the pods of one job, are where they are.

mod answer;
mod find;
mod page;
pub(super) mod text;

use std::path::PathBuf;

use clap::Args;

use self::answer::Answer;
use super::arguments::Arguments;
use super::choice::Choice;
use super::decide::{Explain, Question, decide};
use super::exit::Exit;
use super::failure::Failure;
use super::screen::print_json;

/// Say why one pod, or one job, is where it is: what stood in its way, who makes way, who was spared and by which law
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// What `kubectl get nodes,pods,... -A -o yaml` (or json) printed; `-` is the standard input
    #[arg(value_name = "SNAPSHOT")]
    snapshot: PathBuf,
    /// The pod, or the job of some: `namespace/name`, or `name` where that is clear
    #[arg(value_name = "POD|JOB")]
    name: String,
    /// The laws in force [default: the first that the policy knows]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    laws: String,
    /// The arguments of the laws, YAML or JSON, by their own names
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,
    #[command(flatten)]
    policy: Choice,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    output: Output,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Output {
    Text,
    Json,
}

/// Explains.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let arguments = Arguments::read(asked.args.as_deref())?;
    let chosen = asked.policy.find()?;
    let snapshots = std::slice::from_ref(&asked.snapshot);
    let question = Question { snapshots, laws: &asked.laws, cycles: 1, explain: Explain::Always };
    let (record, jobs, meant) =
        decide(&question, &chosen, arguments, |mirror, laws| find::find(mirror, laws, &asked.name))?;
    let answer = Answer::of(&asked.name, meant, &record);
    match asked.output {
        Output::Text => page::page(&answer, &record, &jobs).print()?,
        Output::Json => print_json(&answer)?,
    }
    Ok(Exit::Done)
}
