//! `kubectl lictor`: the command under the name `kubectl-lictor` is a plugin of kubectl. It reads the cluster itself.

use std::env;
use std::path::Path;

use clap::{Args, Parser, Subcommand};
use lictor_decide::system::choose;

use super::choice::LoadedPolicy;
use super::decide::{self, SnapshotSource};
use super::exit::Exit;
use super::explain;
use super::failure::CommandError;
use super::live::{self, ClusterArgs};
use super::view;

/// The name under which kubectl finds it.
const NAME: &str = "kubectl-lictor";

/// The name of the cluster in messages.
const CLUSTER: &str = "the cluster";

/// Decide about the cluster of the kubeconfig, as Lictor would; nothing is written
#[derive(Parser)]
#[command(name = NAME, bin_name = "kubectl lictor", version, max_term_width = 120, disable_help_subcommand = true)]
struct KubectlPlugin {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Subcommand)]
enum PluginCommand {
    Decide(PluginDecideArgs),
    Explain(PluginExplainArgs),
    View(PluginViewArgs),
}

/// Decide about the pending pods of the cluster: which pods are bound, held, nominated, evicted or refused, and by which law
#[derive(Args)]
struct PluginDecideArgs {
    #[command(flatten)]
    access: ClusterArgs,
    #[command(flatten)]
    how: decide::DecideOptions,
}

/// Say why one pod, or one job, is where it is
#[derive(Args)]
struct PluginExplainArgs {
    /// The pod, or the job of some: `namespace/name`, or `name` where that is clear; without it, the jobs that wait are listed
    #[arg(value_name = "POD|JOB")]
    name: Option<String>,
    #[command(flatten)]
    access: ClusterArgs,
    #[command(flatten)]
    how: explain::ExplainOptions,
}

/// Look at the cluster in the terminal: how full its nodes and queues are, which pods wait and why, and which pods would be evicted
#[derive(Args)]
struct PluginViewArgs {
    #[command(flatten)]
    access: ClusterArgs,
    #[command(flatten)]
    how: view::ViewOptions,
}

/// Returns whether this process was called as the plugin.
pub(super) fn is_meant() -> bool {
    env::args_os().next().is_some_and(|called| is_name(Path::new(&called)))
}

fn is_name(called: &Path) -> bool {
    called.file_stem().is_some_and(|name| name == NAME)
}

/// Runs the plugin.
pub(super) fn run() -> Result<Exit, CommandError> {
    match KubectlPlugin::parse().command {
        PluginCommand::Decide(PluginDecideArgs { access, how }) => {
            decide::print(&how, |chosen, system| read(&access, chosen, system))
        }
        PluginCommand::Explain(PluginExplainArgs { name, access, how }) => {
            let source = |chosen: &LoadedPolicy, system: &str| read(&access, chosen, system);
            match name {
                Some(name) => explain::print(&how, &name, source),
                None => explain::print_waiting(&how, source),
            }
        }
        PluginCommand::View(PluginViewArgs { access, how }) => {
            view::print(&how, |chosen, system| read(&access, chosen, system))
        }
    }
}

/// Reads the cluster, as far as the system reads it. Without a system the cluster is read twice: first only the objects by which a system is chosen.
fn read(access: &ClusterArgs, chosen: &LoadedPolicy, system: &str) -> Result<SnapshotSource, CommandError> {
    let described = chosen.start()?.describe()?;
    let mut system = system.to_owned();
    if system.is_empty() && described.systems.len() > 1 {
        let cluster = live::cluster(access, &decide::deciding_kinds(&described))?;
        system = choose(&SnapshotSource::Text(CLUSTER, cluster).read()?.objects, &described).system;
    }
    let system = &*system;
    Ok(SnapshotSource::Text(CLUSTER, live::cluster(access, &decide::interests(chosen, system)?)?))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        KubectlPlugin::command().debug_assert();
    }

    #[test]
    fn it_is_the_plugin_by_its_name_alone() {
        assert!(is_name(Path::new("/usr/local/bin/kubectl-lictor")) && is_name(Path::new("kubectl-lictor")));
        assert!(!is_name(Path::new("/usr/local/bin/lictor")) && !is_name(Path::new("kubectl-lictor-view")));
    }
}
