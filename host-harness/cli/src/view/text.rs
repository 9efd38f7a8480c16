//! A cluster in a terminal: the use of its nodes and queues.

use std::cmp::Reverse;

use lictor_contract::quantity::readable;
use lictor_decide::ClusterSession;
use lictor_decide::jobs::Memberships;
use lictor_picture::{DrawnNode, Picture, picture, ratio};

use super::super::choice::LoadedPolicy;
use super::super::decide::{ExplainMode, SnapshotSource, standing, text};
use super::super::exit::Exit;
use super::super::failure::CommandError;
use super::super::page::{TextPage, keep_whole, table_of};
use super::ViewOptions;
use super::pools::{render_pools, taints};

/// The length of a bar, in characters.
const BAR: usize = 10;

/// Shows a cluster: `source` returns the cluster for this policy and this system.
pub(in super::super) fn print(
    how: &ViewOptions,
    source: impl FnOnce(&LoadedPolicy, &str) -> Result<SnapshotSource, CommandError>,
) -> Result<Exit, CommandError> {
    // Of the pods only their amounts are shown: their nodes do not matter.
    let look = |opened: &mut ClusterSession| {
        opened.include_standings();
        let mirror = opened.session().mirror();
        Ok((picture(mirror, &Memberships::default()), taints(mirror)))
    };
    let (mut record, jobs, (drawn, taints)) = how.by.decide_once(ExplainMode::No, source, look)?;
    let standings = std::mem::take(&mut record.standings);
    let cluster = |page: &mut TextPage| {
        render_pools(page, &drawn, &taints);
        render_nodes(page, &drawn, how.nodes);
        standing::render_standings(page, &standings, &jobs, how.nodes);
    };
    text::page(&record, &jobs, cluster).print()?;
    Ok(Exit::Success)
}

/// Shows the nodes, at most `most` of them, the fullest first.
fn render_nodes(page: &mut TextPage, picture: &Picture, most: usize) {
    if picture.nodes.is_empty() {
        return;
    }
    page.heading("Nodes");
    let titles = picture.resources.iter().map(|name| name.to_uppercase());
    let titles: Vec<String> = ["NODE".to_owned()].into_iter().chain(titles).chain(["PODS".to_owned()]).collect();
    let mut rows = table_of(titles.iter().map(String::as_str));
    // Stable: nodes that are equally full stay in the order of their names.
    let mut nodes: Vec<&DrawnNode> = picture.nodes.iter().collect();
    nodes.sort_by_key(|node| Reverse(node.fullness()));
    for node in nodes.iter().take(most) {
        let amounts = node.allocatable.iter().enumerate().map(|(at, there)| (node.usage_of(at), *there));
        let cells = picture.resources.iter().zip(amounts).map(|(name, amounts)| cell(name, amounts));
        rows.add_row([node.name.clone()].into_iter().chain(cells).chain([node.pods().to_string()]));
    }
    (0..titles.len()).for_each(|column| keep_whole(&mut rows, column));
    page.table(2, rows);
    let more = nodes.len().saturating_sub(most);
    if more > 0 {
        page.line(format!("  and {more} more that are less full"));
    }
}

/// Returns a bar, the used percentage, and the amount of the node. `-`: the node has nothing of the resource.
fn cell(resource: &str, (held, there): (i64, i64)) -> String {
    if (held, there) == (0, 0) {
        return "-".to_owned();
    }
    let full = usize::try_from(ratio(held, there, 10)).unwrap_or(0).min(BAR);
    let bar = "█".repeat(full) + &"░".repeat(BAR.saturating_sub(full));
    format!("{bar} {:>3} % of {}", ratio(held, there, 100), readable(resource, there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_node() {
        assert_eq!(cell("cpu", (0, 4000)), "░░░░░░░░░░   0 % of 4");
        assert_eq!(cell("cpu", (1000, 4000)), "██░░░░░░░░  25 % of 4");
        assert_eq!(cell("memory", (4 << 30, 4 << 30)), "██████████ 100 % of 4Gi");
        // Pods may use more than the node has, where the node became smaller.
        assert_eq!(cell("cpu", (6000, 4000)), "██████████ 150 % of 4");
        assert_eq!(cell("example.com/gpu", (0, 0)), "-");
    }
}
