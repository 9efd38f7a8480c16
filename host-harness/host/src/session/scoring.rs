//! The host's own scores: the node that is left least allocated is the best.

use lictor_contract::{Node, Pod, ResourceId};

use crate::cluster::Mirror;
use crate::verify::{Load, Occupancy, allocatable};

/// The best score.
pub(super) const FULL: i64 = 100;

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
    pub(super) fn score(&self, node: &Node) -> i64 {
        let shares = self.resources.iter().map(|resource| {
            let has = i128::from(allocatable(self.mirror, node, *resource));
            let taken = self.occupancy.load(node.id).map_or(0, |load| load.get(*resource));
            let free = has.saturating_sub(taken).saturating_sub(self.request.get(*resource)).max(0);
            free.saturating_mul(i128::from(FULL)).checked_div(has).unwrap_or(0)
        });
        let sum = shares.fold(0i128, i128::saturating_add);
        let mean = i128::try_from(self.resources.len()).ok().and_then(|count| sum.checked_div(count));
        mean.and_then(|mean| i64::try_from(mean).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::verify::testing::{World, node, on, pod};

    /// The score of `n1` for a pod of one core and no memory.
    fn score(objects: Vec<serde_json::Value>) -> i64 {
        let world = World::of(objects.into_iter().chain([pod("a", 1, 0)]));
        let preemptor = world.mirror.pod(world.pod("default/a")).unwrap();
        let node = world.mirror.node(world.node("n1")).unwrap();
        Scoring::of(&world.mirror, &world.occupancy, preemptor).score(node)
    }

    #[test]
    fn it_is_the_mean_share_that_would_be_left_free() {
        // cpu: (4 - 0 - 1) * 100 / 4 = 75; memory: nothing of it is asked for or taken: 100. (75 + 100) / 2 = 87.
        assert_eq!(score(vec![node("n1", 4)]), 87);
        // cpu: (4 - 2 - 1) * 100 / 4 = 25. (25 + 100) / 2 = 62.
        assert_eq!(score(vec![node("n1", 4), on("n1", pod("v", 2, 0))]), 62);
        // cpu: nothing left, and no less than nothing. 100 / 2 = 50.
        assert_eq!(score(vec![node("n1", 4), on("n1", pod("v", 4, 0)), on("n1", pod("w", 4, 0))]), 50);
        assert_eq!(score(vec![node("n1", 0)]), 50);
    }
}
