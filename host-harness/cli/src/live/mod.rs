//! `lictor run`: decides in a living cluster. The code for clusters is built in with the feature `live` only.

#[cfg(feature = "live")]
mod dump;
#[cfg(feature = "live")]
mod explain;
#[cfg(not(feature = "live"))]
mod off;
#[cfg(feature = "live")]
mod on;
#[cfg(feature = "live")]
mod open;
mod operations;
mod order;
#[cfg(feature = "live")]
mod ordered;
#[cfg(feature = "live")]
mod serving;
#[cfg(feature = "live")]
mod upgrade;

use std::path::PathBuf;

use clap::Args;

use super::arguments::SystemArgs;
use super::choice::PolicyArgs;
use super::replacing::{REPLACING, ReplacementArgs};
use operations::OperationsArgs;

#[cfg(feature = "live")]
pub(super) use dump::cluster;
#[cfg(feature = "live")]
pub(super) use explain::explain;
#[cfg(not(feature = "live"))]
pub(super) use off::{cluster, explain, listen, run, upgrade};
#[cfg(feature = "live")]
pub(super) use on::run;
pub(super) use order::{LiveUpgradeArgs, UpgradeRequest};
#[cfg(feature = "live")]
pub(super) use ordered::upgrade;
#[cfg(feature = "live")]
pub(super) use serving::listen;

/// Splits `namespace/name`.
fn namespaced(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("write `namespace/name`".to_owned()),
    }
}

/// The heading of the options in the help.
const CLUSTER: &str = "The cluster";

/// Decide in a living cluster: hold pods by the gate `lictor.dev/admission`, plan, evict, and let them go, for kube-scheduler to bind them
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    in_force: SystemArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    mode: RunModeArgs,
    /// Record the inputs, the answers of the policy and the commands for `lictor replay`; a recording that is there is appended to
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Replace the policy as this ConfigMap, `namespace/name`, says: its annotation `lictor.dev/component` names a component, or says `data` for
    /// the one in the ConfigMap itself
    #[arg(long, value_name = "NAME", value_parser = namespaced, conflicts_with = "record", help_heading = REPLACING)]
    policy_map: Option<(String, String)>,
    #[command(flatten)]
    replacing: ReplacementArgs,
    #[command(flatten)]
    access: ClusterArgs,
    #[command(flatten)]
    operations: OperationsArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    /// How many requests may be under way at once
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1000),
        help_heading = CLUSTER)]
    requests: u16,
    /// Delete a pod that was let go and that kube-scheduler has refused for so many seconds, where a ReplicaSet or StatefulSet makes another
    /// and it never ran. Its work begins anew elsewhere. Pods of a Job, and pods without a controller, are never deleted
    #[arg(long, value_name = "SECONDS", default_value = "never", value_parser = grace, help_heading = CLUSTER)]
    refused_grace: UnschedulableGrace,
    /// The format of the log, on the standard error; RUST_LOG says how much of it
    #[arg(long, value_enum, default_value = "text")]
    log: LogFormat,
}

/// The options for what is carried out in the cluster.
#[derive(Debug, Args)]
struct RunModeArgs {
    /// Carry nothing out: say what would be done to the pods that the gate holds
    #[arg(long, conflicts_with = "observe")]
    dry_run: bool,
    /// Carry nothing out: say what the laws would do to all pending pods, with or without the gate. Any scheduler may run at the same time
    #[arg(long)]
    observe: bool,
}

/// The options for the checkpoint.
#[derive(Debug, Args)]
struct CheckpointArgs {
    /// Keep what the cluster does not show in this file, and continue from it
    #[arg(long, value_name = "FILE", help_heading = CLUSTER)]
    checkpoint: Option<PathBuf>,
    /// Keep it in this ConfigMap, `namespace/name`, instead
    #[arg(long, value_name = "NAME", value_parser = namespaced, conflicts_with = "checkpoint", help_heading = CLUSTER)]
    checkpoint_map: Option<(String, String)>,
}

/// The options for access to the cluster.
#[derive(Debug, Clone, Args)]
pub(super) struct ClusterArgs {
    /// The kubeconfig [default: $KUBECONFIG, ~/.kube/config, or the service account of the pod]
    #[arg(long, value_name = "FILE", help_heading = CLUSTER)]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig [default: the current one]
    #[arg(long, value_name = "NAME", help_heading = CLUSTER)]
    context: Option<String>,
}

/// The time for which a pod that was let go may be refused, in seconds. `None`: forever.
#[derive(Debug, Clone, Copy)]
struct UnschedulableGrace(
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "what is asked for is refused"))] Option<u32>,
);

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

fn grace(text: &str) -> Result<UnschedulableGrace, String> {
    match text {
        "never" => Ok(UnschedulableGrace(None)),
        number => number
            .parse()
            .map(|seconds| UnschedulableGrace(Some(seconds)))
            .map_err(|_| "write a number, or `never`".to_owned()),
    }
}
