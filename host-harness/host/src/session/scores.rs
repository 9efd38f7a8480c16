//! The host's own scores, kept from one pod to the next.

use std::collections::BTreeMap;

use lictor_contract::{NodeId, Pod};

use super::scoring::NodeScorer;
use crate::cluster::Mirror;
use crate::verify::Occupancy;

/// The maximum number of cached scores, a byte each.
const MAX_CACHED_SCORES: usize = 16 << 20;

/// The cached scores of all nodes, by the requests of the pod. A node is scored again only where its load has changed.
#[derive(Debug, Default)]
pub(super) struct ScoreCache(BTreeMap<Vec<i128>, CachedScores>);

/// The scores for one request, by node number, after so many changes.
#[derive(Debug, Default)]
struct CachedScores {
    changes: u64,
    scores: Vec<u8>,
}

impl ScoreCache {
    /// Returns the scores of all nodes for a pod, by node number. The score of a number without a node has no meaning.
    pub(super) fn scores_for(&mut self, mirror: &Mirror, occupancy: &Occupancy, pod: &Pod) -> &[u8] {
        let scoring = NodeScorer::of(mirror, occupancy, pod);
        let request: Vec<i128> = scoring.resources.iter().map(|resource| scoring.request.get(*resource)).collect();
        let nodes = mirror.node_numbers();
        if !self.0.contains_key(&request) && self.0.len().saturating_mul(nodes) > MAX_CACHED_SCORES {
            self.0.clear();
        }
        let scored = self.0.entry(request).or_default();
        let known = scored.scores.len();
        scored.scores.resize(nodes, 0);
        match occupancy.changed_since(scored.changes).filter(|_| known > 0) {
            Some(changed) => {
                let new = (known..nodes).filter_map(|node| NodeId::try_from(node).ok());
                changed.iter().copied().chain(new).for_each(|node| scored.score(&scoring, node));
            }
            None => mirror.nodes().for_each(|node| scored.score(&scoring, node.id)),
        }
        scored.changes = occupancy.changes();
        &scored.scores
    }
}

impl CachedScores {
    fn score(&mut self, scoring: &NodeScorer<'_>, node: NodeId) {
        let slot = usize::try_from(node).ok().and_then(|index| self.scores.get_mut(index));
        if let Some((slot, node)) = slot.zip(scoring.mirror.node(node)) {
            *slot = u8::try_from(scoring.score(node)).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::testing::{ClusterFixture, node, object, on, pod};

    #[test]
    fn scores_that_are_kept_are_those_that_are_worked_out_anew() {
        let mut world =
            ClusterFixture::of((0..5).map(|n| node(&format!("n{n}"), 4)).chain([pod("a", 1, 0), pod("b", 2, 0)]));
        let mut kept = ScoreCache::default();
        for round in 0..40_u32 {
            let name = format!("n{}", round % 7);
            match round % 4 {
                0 => world
                    .mirror
                    .upsert(object(on(&name, pod(&format!("p{}", round % 9), [1, 2, 3][round as usize % 3], 0)))),
                1 => {
                    world.mirror.remove(&format!("Pod/default/p{}", round % 5));
                }
                2 => world.mirror.upsert(object(node(&name, [3, 4, 5, 6, 7][round as usize % 5]))),
                _ => {
                    world.mirror.remove(&format!("Node/n{}", round % 3));
                }
            }
            world.sync();
            for name in ["default/a", "default/b"] {
                let preemptor = world.mirror.pod(world.pod(name)).unwrap();
                let plain = NodeScorer::of(&world.mirror, &world.occupancy, preemptor);
                let scores = kept.scores_for(&world.mirror, &world.occupancy, preemptor);
                for node in world.mirror.nodes() {
                    assert_eq!(
                        i64::from(scores[node.id as usize]),
                        plain.score(node),
                        "{round}: {name} on {}",
                        node.name
                    );
                }
            }
        }
    }
}
