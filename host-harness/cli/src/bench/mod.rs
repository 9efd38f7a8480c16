//! `lictor bench`: how long a policy needs.

mod figures;
mod measure;
mod picture;
mod report;
mod told;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ArgPredicate;
use lictor_conformance::shape::ClusterSize;

use super::arguments;
use super::choice::PolicyArgs;
use super::exit::Exit;
use super::failure::CommandError;
use super::screen::{TextOrJson, print_json};
use figures::BenchmarkResults;
use measure::{measure, measure_snapshot};
use report::SpeedChange;
use told::text_of;

/// Measure how long a policy needs, natively and in the component, side by side
///
/// A shape is a cluster of full nodes, a job that must preempt and a pod that cannot: `SYSTEM-NODES`, such as `koordinator-5000` or
/// `yunikorn-1000`. The same shape is the same cluster on every machine. With `--snapshot` it is a cluster of yours: how long reading it,
/// telling it to the policy and one cycle take. Both sides must give the same answers.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// The shapes, `SYSTEM-NODES`; with a snapshot, none unless they are named
    #[arg(
        value_name = "SHAPE",
        default_values = ["koordinator-5000", "yunikorn-1000"],
        default_value_if("snapshot", ArgPredicate::IsPresent, None)
    )]
    shapes: Vec<ClusterSize>,
    /// A cluster: the output of `kubectl get nodes,pods,... -A -o json` (or yaml)
    #[arg(long, value_name = "FILE")]
    snapshot: Vec<PathBuf>,
    /// The system that decides in the snapshot [default: the first one of the policy]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, requires = "snapshot")]
    system: String,
    /// A YAML or JSON file with the arguments of the system
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,
    #[command(flatten)]
    sizes: ClusterSizeArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Compare with what an earlier run on this machine printed with `--output json`
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// A median that differs by more than this is faster or slower, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 10, requires = "baseline")]
    tolerance: u8,
    /// Write a picture of cost against size into this file (SVG); name shapes of several sizes
    #[arg(long, value_name = "FILE", conflicts_with = "snapshot")]
    picture: Option<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// The options for the sizes of a cluster of a shape.
#[derive(Debug, Args)]
struct ClusterSizeArgs {
    /// So many pods run on each node [default: what the field publishes figures for]
    #[arg(long, value_name = "N", conflicts_with = "snapshot", value_parser = clap::value_parser!(u16).range(1..=110))]
    pods_per_node: Option<u16>,
    /// Over so many queues, quotas or applications the pods are dealt
    #[arg(long, value_name = "N", conflicts_with = "snapshot", value_parser = clap::value_parser!(u16).range(1..=999))]
    queues: Option<u16>,
    /// So many pods the job has that is to get room
    #[arg(long, value_name = "N", conflicts_with = "snapshot", value_parser = clap::value_parser!(u16).range(1..=999))]
    gang: Option<u16>,
    /// So many disruption budgets cover pods, each those of one queue; only `kubernetes` and `coscheduling` read them
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "snapshot", value_parser = clap::value_parser!(u16).range(0..=999))]
    budgets: u16,
    /// What priorities and ages are drawn with
    #[arg(long, default_value_t = 1, conflicts_with = "snapshot")]
    seed: u64,
}

/// Measures the shapes and snapshots, and prints the figures.
pub(super) fn run(asked: &BenchArgs) -> Result<Exit, CommandError> {
    let before = asked.baseline.as_deref().map(read).transpose()?;
    if asked.sizes.budgets > 0 && !asked.shapes.iter().all(ClusterSize::reads_budgets) {
        return Err(CommandError::ConflictingOptions(
            "`--budgets` is of use with `kubernetes` and `coscheduling` only: no other system reads them",
        ));
    }
    let arguments = arguments::read(asked.args.as_deref())?;
    let chosen = asked.policy.load_policy()?;
    let component = chosen.source.component.as_ref().map(|component| component.sha256.clone());
    let beside = component.is_some().then_some(&chosen);
    let shapes = asked.shapes.iter().map(|shape| measure(&asked.sizes.apply(shape), &arguments, beside));
    let snapshots = asked.snapshot.iter().map(|file| measure_snapshot(file, (&asked.system, &arguments), beside));
    let figures = BenchmarkResults {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        optimised: !cfg!(debug_assertions),
        component,
        shapes: shapes.chain(snapshots).collect::<Result<_, _>>()?,
    };
    if let Some(file) = &asked.picture {
        draw(file, &figures)?;
    }
    let changes = before.map(|before| report::compare(&before, &figures, asked.tolerance));
    match asked.output {
        TextOrJson::Text => report::page(&figures, changes.as_deref()).print()?,
        TextOrJson::Json => print_json(&figures)?,
    }
    let is_slower = changes.iter().flatten().any(|change| change.verdict == SpeedChange::Slower);
    Ok(if is_slower { Exit::Failure } else { Exit::Success })
}

impl ClusterSizeArgs {
    /// Returns a shape with the sizes of the options.
    fn apply(&self, shape: &ClusterSize) -> ClusterSize {
        let or = |asked: Option<u16>, own| asked.map_or(own, usize::from);
        ClusterSize {
            system: shape.system,
            nodes: shape.nodes,
            pods_per_node: or(self.pods_per_node, shape.pods_per_node),
            queues: or(self.queues, shape.queues),
            gang: or(self.gang, shape.gang),
            budgets: usize::from(self.budgets),
            seed: self.seed,
        }
    }
}

fn read(file: &Path) -> Result<BenchmarkResults, CommandError> {
    let unreadable = |error| CommandError::Unreadable { file: file.display().to_string(), error };
    serde_json::from_str(&text_of(file)?).map_err(|error: serde_json::Error| unreadable(error.into()))
}

fn draw(file: &Path, figures: &BenchmarkResults) -> Result<(), CommandError> {
    let unwritable = |error| CommandError::Unwritable { file: file.display().to_string(), error };
    let svg = picture::picture(figures);
    let svg = svg.ok_or(CommandError::ConflictingOptions(
        "`--picture` shows cost against size: name shapes of more than one size",
    ))?;
    std::fs::write(file, svg).map_err(unwritable)
}
