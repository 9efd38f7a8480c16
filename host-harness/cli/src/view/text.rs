//! A cluster in a terminal: how full its nodes and queues are.

use std::collections::BTreeMap;

use lictor_contract::quantity::exact;
use lictor_contract::{Amount, NodeId, Phase};
use lictor_host::cluster::Mirror;

use super::super::choice::Chosen;
use super::super::decide::{Explain, Source, text};
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::page::{Page, keep_whole, table_of};
use super::How;

/// How long a bar is, in characters.
const BAR: usize = 10;

/// Shows the cluster that the source has for this policy and this system.
pub(in super::super) fn print(
    how: &How,
    source: impl FnOnce(&Chosen, &str) -> Result<Source, Failure>,
) -> Result<Exit, Failure> {
    let (record, jobs, nodes) = how.by.once(Explain::No, source, |opened| Ok(Nodes::of(opened.session().mirror())))?;
    text::page(&record, &jobs, |page| nodes.tell(page, how.nodes)).print()?;
    Ok(Exit::Done)
}

/// What the nodes have, and what pods hold of it.
struct Nodes {
    /// The resources that are shown, by number.
    resources: Vec<(u32, String)>,
    nodes: Vec<Use>,
}

/// What pods hold of a node.
struct Use {
    name: String,
    pods: usize,
    /// What is held, and what there is, of each resource that is shown.
    amounts: Vec<(i64, i64)>,
}

impl Nodes {
    fn of(mirror: &Mirror) -> Nodes {
        let mut held: BTreeMap<NodeId, (usize, BTreeMap<u32, i64>)> = BTreeMap::new();
        for pod in mirror.pods().filter(|pod| !matches!(pod.phase, Phase::Succeeded | Phase::Failed)) {
            let Some(node) = pod.node else { continue };
            let (pods, amounts) = held.entry(node).or_default();
            *pods = pods.saturating_add(1);
            for Amount { resource, value } in &pod.template.requests {
                let sum = amounts.entry(*resource).or_default();
                *sum = sum.saturating_add(*value);
            }
        }
        let is_held = |number: u32| held.values().any(|(_, amounts)| amounts.get(&number).is_some_and(|sum| *sum > 0));
        let is_shown = |number: u32, name: &str| {
            let is_extended = name.contains('/') && !name.starts_with("hostport/");
            matches!(name, "cpu" | "memory") || is_extended && is_held(number)
        };
        let named = (0u32..).zip(mirror.resources()).map(|(number, resource)| (number, resource.name.clone()));
        let resources: Vec<(u32, String)> = named.filter(|(number, name)| is_shown(*number, name)).collect();
        let none = Default::default();
        let used = mirror.nodes().map(|node| {
            let (pods, held) = held.get(&node.id).unwrap_or(&none);
            let there = |number: u32| node.allocatable.iter().find(|amount| amount.resource == number);
            let amount = |(number, _): &(u32, String)| {
                (held.get(number).copied().unwrap_or(0), there(*number).map_or(0, |amount| amount.value))
            };
            Use { name: node.name.clone(), pods: *pods, amounts: resources.iter().map(amount).collect() }
        });
        let mut nodes: Vec<Use> = used.collect();
        // Stable: nodes that are equally full stay in the order of their names.
        nodes.sort_by(|one, other| one.name.cmp(&other.name));
        nodes.sort_by_key(|node| std::cmp::Reverse(node.fullest()));
        Nodes { resources, nodes }
    }

    fn tell(&self, page: &mut Page, most: usize) {
        if self.nodes.is_empty() {
            return;
        }
        page.heading("Nodes");
        let titles = self.resources.iter().map(|(_, name)| name.to_uppercase());
        let titles: Vec<String> = ["NODE".to_owned()].into_iter().chain(titles).chain(["PODS".to_owned()]).collect();
        let mut rows = table_of(titles.iter().map(String::as_str));
        for node in self.nodes.iter().take(most) {
            let cells = self.resources.iter().zip(&node.amounts).map(|((_, name), amounts)| cell(name, *amounts));
            rows.add_row([node.name.clone()].into_iter().chain(cells).chain([node.pods.to_string()]));
        }
        (0..titles.len()).for_each(|column| keep_whole(&mut rows, column));
        page.table(2, rows);
        let more = self.nodes.len().saturating_sub(most);
        if more > 0 {
            page.line(format!("  and {more} more that are less full"));
        }
    }
}

impl Use {
    /// How full it is by its scarcest resource, in thousandths.
    fn fullest(&self) -> i128 {
        self.amounts.iter().map(|(held, there)| share(*held, *there, 1000)).max().unwrap_or(0)
    }
}

/// The part of so many that is held.
fn share(held: i64, there: i64, of: i128) -> i128 {
    i128::from(held).saturating_mul(of).checked_div(there.into()).unwrap_or(0)
}

/// A bar, the part that is held, and what there is; nothing where a node has nothing of it.
fn cell(resource: &str, (held, there): (i64, i64)) -> String {
    if (held, there) == (0, 0) {
        return "-".to_owned();
    }
    let full = usize::try_from(share(held, there, 10)).unwrap_or(0).min(BAR);
    let bar = "█".repeat(full) + &"░".repeat(BAR.saturating_sub(full));
    format!("{bar} {:>3} % of {}", share(held, there, 100), exact(resource, there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_node() {
        assert_eq!(cell("cpu", (0, 4000)), "░░░░░░░░░░   0 % of 4");
        assert_eq!(cell("cpu", (1000, 4000)), "██░░░░░░░░  25 % of 4");
        assert_eq!(cell("memory", (4 << 30, 4 << 30)), "██████████ 100 % of 4Gi");
        // Pods may hold more than there is, where a node became smaller.
        assert_eq!(cell("cpu", (6000, 4000)), "██████████ 150 % of 4");
        assert_eq!(cell("example.com/gpu", (0, 0)), "-");
    }

    #[test]
    fn a_node_is_as_full_as_its_scarcest_resource() {
        let node = Use { name: "n".to_owned(), pods: 0, amounts: vec![(1, 4), (3, 4), (0, 0)] };
        assert_eq!(node.fullest(), 750);
    }
}
