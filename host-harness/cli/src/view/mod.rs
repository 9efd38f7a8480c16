//! `lictor view`: a cluster in a page of the browser, where that is built in, or in the terminal.

#[cfg(not(feature = "page"))]
mod off;
#[cfg(feature = "page")]
mod on;
mod pools;
mod text;

use std::path::PathBuf;

use clap::Args;

use super::decide::PolicySelectionArgs;
use super::exit::Exit;
use super::failure::CommandError;
use super::snapshot::Files;
#[cfg(not(feature = "page"))]
use off::show;
#[cfg(feature = "page")]
use on::show;
pub(super) use text::print;

/// Look at a cluster: how full its nodes and queues are, which running pods are safe, which pods wait and why, and which pods would be
/// evicted. In a page of the browser, which decides by itself and shows recordings, too; in the terminal with `--text`, or where the page is
/// not built in
#[derive(Debug, Args)]
pub(super) struct ViewArgs {
    #[command(flatten)]
    snapshots: Files,
    #[command(flatten)]
    how: ViewOptions,
    /// Show it in the terminal
    #[arg(long)]
    text: bool,
    /// Write the page with this cluster inside to a file, for others to open: it needs no server
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    export: Option<PathBuf>,
    /// Follow a recording while it is written on this machine, by `lictor run --record FILE` or `lictor serve --record FILE`: the page shows
    /// each moment when it is there. Nothing is written to it
    #[arg(long, conflicts_with_all = ["text", "export"])]
    live: bool,
    /// Print the address of the page and do not open it
    #[arg(long, conflicts_with_all = ["text", "export"])]
    no_open: bool,
    /// Serve the page at this port of the loopback address [default: any that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, conflicts_with_all = ["text", "export"])]
    port: u16,
}

/// The options of a view that do not depend on where the cluster is read from.
#[derive(Debug, Args)]
pub(super) struct ViewOptions {
    #[command(flatten)]
    by: PolicySelectionArgs,
    /// In the terminal, show at most so many nodes, the fullest first, and so many jobs and pods that are safe or may be evicted
    #[arg(long, value_name = "N", default_value_t = 40)]
    nodes: usize,
}

/// Shows a cluster.
pub(super) fn run(asked: &ViewArgs) -> Result<Exit, CommandError> {
    let asks_for_page = asked.export.is_some() || asked.live || asked.no_open || asked.port != 0;
    if asked.text || !(cfg!(feature = "page") || asks_for_page) {
        return print(&asked.how, |_, _| Ok(asked.snapshots.source()));
    }
    show(asked)
}
