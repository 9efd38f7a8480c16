//! Nodes of one size and with the same taints, as one row.

use std::collections::BTreeMap;

use lictor_contract::quantity::readable;
use lictor_host::cluster::Mirror;
use lictor_picture::{DrawnNode, Picture, ratio};

use crate::page::{TextPage, keep_whole, table_of};

/// The taints of nodes by name, each as kubectl shows it.
pub(super) type Taints = BTreeMap<String, Vec<String>>;

/// Reads the taints of the nodes of a cluster.
pub(super) fn taints(mirror: &Mirror) -> Taints {
    mirror.nodes().map(|node| (node.name.clone(), mirror.taints(node.id))).collect()
}

/// Shows the pools of a cluster, the largest first. A cluster whose nodes are all different has none.
pub(super) fn render_pools(page: &mut TextPage, picture: &Picture, taints: &Taints) {
    let pools = pools(&picture.nodes, taints);
    if pools.len() == picture.nodes.len() {
        return;
    }
    page.heading("Pools, with the least, the median and the most that is used of a node");
    let has_taints = pools.iter().any(|pool| !pool.taints.is_empty());
    let titles = ["NODES", "POOL"].map(str::to_owned).into_iter();
    let titles = titles.chain(picture.resources.iter().map(|name| name.to_uppercase()));
    let titles: Vec<String> = titles.chain(has_taints.then(|| "TAINTS".to_owned())).collect();
    let mut rows = table_of(titles.iter().map(String::as_str));
    for pool in &pools {
        let cells = picture.resources.iter().enumerate().map(|(at, name)| pool.cell(at, name));
        let taints = has_taints.then(|| pool.taints.join(", "));
        rows.add_row([pool.nodes.len().to_string(), pool.label()].into_iter().chain(cells).chain(taints));
    }
    (0..titles.len()).for_each(|column| keep_whole(&mut rows, column));
    page.table(2, rows);
}

/// Nodes of one size and with the same taints.
struct Pool<'a> {
    taints: &'a [String],
    /// The nodes by name, at least one.
    nodes: Vec<&'a DrawnNode>,
}

/// Returns the pools, the largest first, equal ones by the name of their first node.
fn pools<'a>(nodes: &'a [DrawnNode], taints: &'a Taints) -> Vec<Pool<'a>> {
    let mut pools: BTreeMap<(&[i64], &[String]), Vec<&DrawnNode>> = BTreeMap::new();
    for node in nodes {
        let taints = taints.get(&node.name).map(Vec::as_slice).unwrap_or_default();
        pools.entry((&node.allocatable, taints)).or_default().push(node);
    }
    let mut pools: Vec<Pool<'a>> = pools.into_iter().map(|((_, taints), nodes)| Pool { taints, nodes }).collect();
    let name = |pool: &Pool<'a>| pool.nodes.first().map(|node| node.name.as_str());
    pools.sort_by(|one, other| other.nodes.len().cmp(&one.nodes.len()).then(name(one).cmp(&name(other))));
    pools
}

impl Pool<'_> {
    /// Returns the name of the only node, or the first and the last.
    fn label(&self) -> String {
        match self.nodes.as_slice() {
            [first, .., last] => format!("{} ... {}", first.name, last.name),
            nodes => nodes.iter().map(|node| node.name.as_str()).collect(),
        }
    }

    /// Returns the used part of one resource and what each node has of it. `-`: the nodes have nothing of the resource.
    fn cell(&self, at: usize, resource: &str) -> String {
        let has = self.nodes.first().and_then(|node| node.allocatable.get(at)).copied().unwrap_or(0);
        let mut used: Vec<i128> = self.nodes.iter().map(|node| ratio(node.usage_of(at), has, 100)).collect();
        used.sort_unstable();
        let median = used.get(used.len().saturating_sub(1) / 2);
        let (Some(least), Some(median), Some(most)) = (used.first(), median, used.last()) else { return String::new() };
        match (has, self.nodes.len()) {
            (0, _) => "-".to_owned(),
            (_, 1) => format!("{least} % of {}", readable(resource, has)),
            _ => format!("{least}/{median}/{most} % of {}", readable(resource, has)),
        }
    }
}

#[cfg(test)]
mod tests {
    use lictor_picture::NodeUsage;

    use super::*;

    /// Returns a node with this many thousandths of cores, and with so many in use.
    fn node(name: &str, allocatable: i64, used: i64) -> DrawnNode {
        let held = vec![NodeUsage { queue: 0, priority: 0, pods: 1, amounts: vec![used, 0] }];
        DrawnNode { name: name.to_owned(), allocatable: vec![allocatable, 0], held }
    }

    #[test]
    fn nodes_of_one_size_and_with_the_same_taints_are_a_pool() {
        let four = |name, used| node(name, 4000, used);
        let nodes = [four("a1", 1000), four("a2", 4000), four("a3", 2000), node("b1", 8000, 4000), four("c1", 0)];
        let taints = Taints::from([("c1".to_owned(), vec!["gpu:NoSchedule".to_owned()])]);
        let pools = pools(&nodes, &taints);
        let rows: Vec<(String, String)> = pools.iter().map(|pool| (pool.label(), pool.cell(0, "cpu"))).collect();
        let row = |label: &str, cell: &str| (label.to_owned(), cell.to_owned());
        assert_eq!(rows, [row("a1 ... a3", "25/50/100 % of 4"), row("b1", "50 % of 8"), row("c1", "0 % of 4")]);
        assert_eq!(pools.first().unwrap().cell(1, "nvidia.com/gpu"), "-");
        assert_eq!(pools.last().unwrap().taints, ["gpu:NoSchedule"]);
    }
}
