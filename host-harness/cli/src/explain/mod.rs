//! `lictor explain`: the reasons for the state of one pod, or of the pods of one job.

mod page;
pub(super) mod text;
pub(super) mod waiting;

use std::path::PathBuf;

use clap::Args;

use super::choice::LoadedPolicy;
use super::decide::{ExplainMode, PolicySelectionArgs, SnapshotSource};
use super::exit::Exit;
use super::failure::CommandError;
use super::live;
use super::screen::{TextOrJson, print_json};
use lictor_decide::ClusterSession;
use lictor_decide::explain::ExplanationReport;

/// Say why one pod, or one job, is where it is: which constraint failed, which pods are evicted, which pods were spared and by which law
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// What `kubectl get nodes,pods,... -A -o yaml` (or json) printed; `-` is the standard input. With `--live`, the pod
    #[arg(value_name = "SNAPSHOT")]
    snapshot: PathBuf,
    /// The pod, or the job of some: `namespace/name`, or `name` where that is clear; without it, the jobs that wait are listed
    #[arg(value_name = "POD|JOB", conflicts_with = "live")]
    name: Option<String>,
    /// Ask the running process, instead of a dump of the cluster
    #[arg(long)]
    live: bool,
    /// With `--live`, the socket of the running process (`lictor run --explain-socket`)
    #[arg(long, value_name = "PATH", conflicts_with = "name", default_value = "/run/lictor/explain.sock")]
    socket: PathBuf,
    #[command(flatten)]
    how: ExplainOptions,
}

/// The options of an explanation that do not depend on where the cluster is read from.
#[derive(Debug, Args)]
pub(super) struct ExplainOptions {
    #[command(flatten)]
    by: PolicySelectionArgs,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Explains the state of a pod or job, from a snapshot or by the running process.
pub(super) fn run(asked: &ExplainArgs) -> Result<Exit, CommandError> {
    let source = |_: &LoadedPolicy, _: &str| Ok(SnapshotSource::Files(vec![asked.snapshot.clone()]));
    match &asked.name {
        // Names of pods are valid UTF-8: a lossy conversion changes none of them.
        None if asked.live => live::explain(&asked.socket, &asked.snapshot.to_string_lossy(), asked.how.output),
        None => print_waiting(&asked.how, source),
        Some(name) => print(&asked.how, name, source),
    }
}

/// Lists the jobs that wait in a cluster: `source` returns the cluster for this policy and this system.
pub(super) fn print_waiting(
    asked: &ExplainOptions,
    source: impl FnOnce(&LoadedPolicy, &str) -> Result<SnapshotSource, CommandError>,
) -> Result<Exit, CommandError> {
    waiting::print(&asked.by, asked.output, source)
}

/// Explains the decisions about a cluster: `source` returns the cluster for this policy and this system.
pub(super) fn print(
    asked: &ExplainOptions,
    name: &str,
    source: impl FnOnce(&LoadedPolicy, &str) -> Result<SnapshotSource, CommandError>,
) -> Result<Exit, CommandError> {
    let look = |opened: &mut ClusterSession| {
        let meant = opened.names()?.find(name)?;
        opened.explain_pods(&meant.names())?;
        Ok(meant)
    };
    let (record, jobs, meant) = asked.by.decide_once(ExplainMode::Chosen, source, look)?;
    let answer = ExplanationReport::of(name, meant, &record);
    match asked.output {
        TextOrJson::Text => page::page(&answer, &record, &jobs).print()?,
        TextOrJson::Json => print_json(&answer)?,
    }
    Ok(Exit::Success)
}
