//! `kubectl lictor`: the command under the name `kubectl-lictor` is a plugin of kubectl. It reads the cluster itself.

use std::env;
use std::path::Path;

use clap::{Args, Parser, Subcommand};
use lictor_decide::system::choose;

use super::choice::Chosen;
use super::decide::{self, Source};
use super::exit::Exit;
use super::explain;
use super::failure::Failure;
use super::live::{self, Access};
use super::view;

/// The name under which kubectl finds it.
const NAME: &str = "kubectl-lictor";

/// The name of the cluster in messages.
const CLUSTER: &str = "the cluster";

/// Decide about the cluster of the kubeconfig, as Lictor would; nothing is written
#[derive(Parser)]
#[command(name = NAME, bin_name = "kubectl lictor", version, max_term_width = 120, disable_help_subcommand = true)]
struct Plugin {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Decide(Decide),
    Explain(Explain),
    View(View),
}

/// Decide about the pending pods of the cluster: which pods are bound, held, nominated, evicted or refused, and by which law
#[derive(Args)]
struct Decide {
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    how: decide::How,
}

/// Say why one pod, or one job, is where it is
#[derive(Args)]
struct Explain {
    /// The pod, or the job of some: `namespace/name`, or `name` where that is clear
    #[arg(value_name = "POD|JOB")]
    name: String,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    how: explain::How,
}

/// Look at the cluster in the terminal: how full its nodes and queues are, which pods wait and why, and which pods would be evicted
#[derive(Args)]
struct View {
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    how: view::How,
}

/// Returns whether this process was called as the plugin.
pub(super) fn is_meant() -> bool {
    env::args_os().next().is_some_and(|called| is_name(Path::new(&called)))
}

fn is_name(called: &Path) -> bool {
    called.file_stem().is_some_and(|name| name == NAME)
}

/// Runs the plugin.
pub(super) fn run() -> Result<Exit, Failure> {
    match Plugin::parse().command {
        Command::Decide(Decide { access, how }) => decide::print(&how, |chosen, system| read(&access, chosen, system)),
        Command::Explain(Explain { name, access, how }) => {
            explain::print(&how, &name, |chosen, system| read(&access, chosen, system))
        }
        Command::View(View { access, how }) => view::print(&how, |chosen, system| read(&access, chosen, system)),
    }
}

/// Reads the cluster, as far as the system reads it. Without a system the cluster is read twice: first only the objects by which a system is chosen.
fn read(access: &Access, chosen: &Chosen, system: &str) -> Result<Source, Failure> {
    let described = chosen.start()?.describe()?;
    let mut system = system.to_owned();
    if system.is_empty() && described.systems.len() > 1 {
        let cluster = live::cluster(access, &decide::telling_kinds(&described))?;
        system = choose(&Source::Text(CLUSTER, cluster).read()?.objects, &described).system;
    }
    let system = &*system;
    Ok(Source::Text(CLUSTER, live::cluster(access, &decide::interests(chosen, system)?)?))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Plugin::command().debug_assert();
    }

    #[test]
    fn it_is_the_plugin_by_its_name_alone() {
        assert!(is_name(Path::new("/usr/local/bin/kubectl-lictor")) && is_name(Path::new("kubectl-lictor")));
        assert!(!is_name(Path::new("/usr/local/bin/lictor")) && !is_name(Path::new("kubectl-lictor-view")));
    }
}
