//! Which of the nodes that take a pod it gets: the one that is left least allocated.

use std::cmp::Reverse;

use lictor_policy::contract::{Node, Pod, ResourceId};

use crate::cluster::Mirror;
use crate::verify::{Load, Occupancy, allocatable};

/// The best score.
const FULL: i128 = 100;

/// The resources that count.
const SCORED: [&str; 2] = ["cpu", "memory"];

/// Scores nodes for one pod.
pub(super) struct Scoring<'a> {
    mirror: &'a Mirror,
    occupancy: &'a Occupancy,
    request: Load,
    resources: Vec<ResourceId>,
}

impl<'a> Scoring<'a> {
    /// For this pod.
    pub(super) fn of(mirror: &'a Mirror, occupancy: &'a Occupancy, pod: &Pod) -> Scoring<'a> {
        let mut request = Load::default();
        request.add(&pod.requests);
        let scored = (0..).zip(mirror.resources()).filter(|(_, known)| SCORED.contains(&known.name.as_str()));
        Scoring { resources: scored.map(|(resource, _)| resource).collect(), mirror, occupancy, request }
    }

    /// The score of a node, 0 to 100: the share that would be left free, the mean over cpu and memory, rounded down each.
    pub(super) fn score(&self, node: &Node) -> i128 {
        let shares = self.resources.iter().map(|resource| {
            let has = i128::from(allocatable(self.mirror, node, *resource));
            let taken = self.occupancy.load(node.id).map_or(0, |load| load.get(*resource));
            let free = has.saturating_sub(taken).saturating_sub(self.request.get(*resource)).max(0);
            free.saturating_mul(FULL).checked_div(has).unwrap_or(0)
        });
        let sum = shares.fold(0i128, i128::saturating_add);
        i128::try_from(self.resources.len()).ok().and_then(|count| sum.checked_div(count)).unwrap_or(0)
    }

    /// The node with the best score; of equals, the first by name.
    pub(super) fn best<'n>(&self, nodes: impl Iterator<Item = &'n Node>) -> Option<&'n Node> {
        nodes.max_by_key(|node| (self.score(node), Reverse(node.name.as_str())))
    }
}
