//! `lictor explain`: why one pod, or the pods of one job, are where they are.

mod answer;
mod find;
mod page;
pub(super) mod text;

use std::path::PathBuf;

use clap::Args;

use self::answer::Answer;
use super::arguments::{Arguments, InForce};
use super::choice::Choice;
use super::decide::{Explain, Question, decide};
use super::exit::Exit;
use super::failure::Failure;
use super::screen::{TextOrJson, print_json};

/// Say why one pod, or one job, is where it is: what stood in its way, which pods are evicted, who was spared and by which law
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// What `kubectl get nodes,pods,... -A -o yaml` (or json) printed; `-` is the standard input
    #[arg(value_name = "SNAPSHOT")]
    snapshot: PathBuf,
    /// The pod, or the job of some: `namespace/name`, or `name` where that is clear
    #[arg(value_name = "POD|JOB")]
    name: String,
    #[command(flatten)]
    in_force: InForce,
    #[command(flatten)]
    policy: Choice,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Explains.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let arguments = Arguments::read(asked.in_force.args.as_deref())?;
    let chosen = asked.policy.find()?;
    let snapshots = std::slice::from_ref(&asked.snapshot);
    let InForce { laws, schedulers, .. } = &asked.in_force;
    let question = Question { snapshots, laws, schedulers, cycles: 1, explain: Explain::Always, recorder: None };
    let (record, jobs, meant) =
        decide(&question, &chosen, arguments, |mirror, laws| find::find(mirror, laws, &asked.name))?;
    let answer = Answer::of(&asked.name, meant, &record);
    match asked.output {
        TextOrJson::Text => page::page(&answer, &record, &jobs).print()?,
        TextOrJson::Json => print_json(&answer)?,
    }
    Ok(Exit::Done)
}
