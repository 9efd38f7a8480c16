//! The host's own scores: the node that is left least allocated is the best.

use lictor_contract::{Node, Pod, ResourceId};

use crate::cluster::Mirror;
use crate::verify::{Occupancy, RequestTotals, allocatable};

/// The best score.
pub(super) const MAX_SCORE: i64 = 100;

/// The penalty of a node where a promise to another pod would be broken: more than any score.
pub(super) const BROKEN_NOMINATION_PENALTY: i64 = MAX_SCORE.saturating_add(1);

/// The resources that are scored.
const SCORED: [&str; 2] = ["cpu", "memory"];

/// A scorer of nodes for one pod.
pub(super) struct NodeScorer<'a> {
    pub(super) mirror: &'a Mirror,
    occupancy: &'a Occupancy,
    pub(super) request: RequestTotals,
    pub(super) resources: Vec<ResourceId>,
}

impl<'a> NodeScorer<'a> {
    /// Creates a scorer for this pod.
    pub(super) fn of(mirror: &'a Mirror, occupancy: &'a Occupancy, pod: &Pod) -> NodeScorer<'a> {
        let mut request = RequestTotals::default();
        request.add(&pod.template.requests);
        let scored = (0..).zip(mirror.resources()).filter(|(_, known)| SCORED.contains(&known.name.as_str()));
        NodeScorer { resources: scored.map(|(resource, _)| resource).collect(), mirror, occupancy, request }
    }

    /// Returns the score of a node, 0 to 100: the mean over cpu and memory of the shares that would be left free, each rounded down.
    pub(super) fn score(&self, node: &Node) -> i64 {
        let load = self.occupancy.load(node.id);
        let shares = self.resources.iter().map(|resource| {
            let has = allocatable(self.mirror, node, *resource);
            let taken = load.map_or(0, |load| load.get(*resource));
            free_share(i128::from(has).saturating_sub(taken).saturating_sub(self.request.get(*resource)).max(0), has)
        });
        let sum = shares.fold(0i64, i64::saturating_add);
        let count = i64::try_from(self.resources.len()).ok();
        count.and_then(|count| sum.checked_div(count)).unwrap_or(0)
    }
}

/// Returns the free share in hundredths, rounded down. A 128-bit division is used only where 64 bits are too few, because it takes many times as
/// long.
fn free_share(free: i128, has: i64) -> i64 {
    match i64::try_from(free).ok().and_then(|free| free.checked_mul(MAX_SCORE)) {
        Some(hundredfold) => hundredfold.checked_div(has).unwrap_or(0),
        None => {
            let share = free.saturating_mul(i128::from(MAX_SCORE)).checked_div(i128::from(has));
            share.and_then(|share| i64::try_from(share).ok()).unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::verify::testing::{ClusterFixture, node, on, pod};

    /// Returns the score of `n1` for a pod of one core and no memory.
    fn score(objects: Vec<serde_json::Value>) -> i64 {
        let world = ClusterFixture::of(objects.into_iter().chain([pod("a", 1, 0)]));
        let preemptor = world.mirror.pod(world.pod("default/a")).unwrap();
        let node = world.mirror.node(world.node("n1")).unwrap();
        NodeScorer::of(&world.mirror, &world.occupancy, preemptor).score(node)
    }

    #[test]
    fn a_share_is_the_same_in_64_bits_and_in_128() {
        let plain = |free: i128, has: i64| free.saturating_mul(100).checked_div(i128::from(has)).unwrap_or(0);
        let most = i64::MAX / 100;
        for has in [0, 1, 3, 7, 100, most, most + 1, i64::MAX] {
            for free in [0, 1, 2, has / 3, has / 2, has - has.min(1), has] {
                assert_eq!(
                    i128::from(free_share(i128::from(free), has)),
                    plain(i128::from(free), has),
                    "{free} of {has}"
                );
            }
        }
    }

    #[test]
    fn it_is_the_mean_share_that_would_be_left_free() {
        // cpu: (4 - 0 - 1) * 100 / 4 = 75; memory: none is requested or in use: 100. (75 + 100) / 2 = 87.
        assert_eq!(score(vec![node("n1", 4)]), 87);
        // cpu: (4 - 2 - 1) * 100 / 4 = 25. (25 + 100) / 2 = 62.
        assert_eq!(score(vec![node("n1", 4), on("n1", pod("v", 2, 0))]), 62);
        // cpu: nothing is left, and less than nothing counts as nothing. 100 / 2 = 50.
        assert_eq!(score(vec![node("n1", 4), on("n1", pod("v", 4, 0)), on("n1", pod("w", 4, 0))]), 50);
        assert_eq!(score(vec![node("n1", 0)]), 50);
    }
}
