//! A plan in flight that stands: its pods are nominated, and can take their nodes in some order.

use super::PreemptionContext;
use super::members::{gang, members_missing, wants_all_members};
use crate::laws::Preemptor;
use crate::model::{Cluster, DomainCountOverlay, NodeIx, NominatedConstraints, PodIx, Trial};

/// The maximum number of times that pods are examined on their nodes, in all orders together.
const MAX_CHECKS: usize = 512;

/// Returns whether the plan in flight for a preemptor still works: enough pods of its gang are nominated, including the tried one, and they can take
/// their nodes in some order once the leaving pods have left.
pub fn plan_stands(cluster: &mut Cluster, context: &PreemptionContext<'_>) -> bool {
    let Some(promised) = nominated_with_nodes(cluster, context.preemptor) else { return false };
    let leaving = context.leaving(cluster);
    let mut trial = Trial::new(cluster);
    leaving.iter().for_each(|(ix, _)| trial.evict_set(*ix));
    let before = trial.savepoint();
    promised.iter().for_each(|(pod, node)| trial.place(*pod, *node));
    if context.failed_permit_check(trial.cluster()).or_else(|| context.failed_invariant(trial.cluster())).is_some() {
        return false;
    }
    trial.rewind(before);
    let nominated = context.nominated(trial.cluster());
    PlacementOrderSearch { context, nominated, remaining_checks: MAX_CHECKS }.in_some_order(&mut trial, &promised)
}

/// Returns the nominated pods of a gang with their nodes, if the plan that promised them is still enough: the tried pod is one of them, and as many
/// are nominated as a new plan would have to place. `None`: it is not enough. The last pod that a gang lacks was promised its node by a plan for
/// several pods, which counts on all leaving pods. A search for that pod alone may not count on them.
fn nominated_with_nodes(cluster: &Cluster, preemptor: &Preemptor) -> Option<Vec<(PodIx, NodeIx)>> {
    let promised = preemptor.pods.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?.state.nominated?)));
    let promised: Vec<(PodIx, NodeIx)> = promised.collect();
    let all = preemptor.pods.len();
    let enough = if wants_all_members(cluster, preemptor) { members_missing(cluster, preemptor).min(all) } else { all };
    let has_its_own = promised.iter().any(|(pod, _)| *pod == preemptor.pod);
    let is_of_several = all > 1 || gang(cluster, preemptor).is_some();
    (is_of_several && has_its_own && promised.len() >= enough).then_some(promised)
}

/// The search for an order in which nominated pods take their nodes.
struct PlacementOrderSearch<'a> {
    context: &'a PreemptionContext<'a>,
    /// The nominated pods of others.
    nominated: NominatedConstraints,
    /// The number of examinations that are left.
    remaining_checks: usize,
}

impl PlacementOrderSearch<'_> {
    /// Returns whether these pods can take their nodes in some order. `false` also where the examinations run out.
    fn in_some_order(&mut self, trial: &mut Trial<'_>, left: &[(PodIx, NodeIx)]) -> bool {
        left.is_empty()
            || left.iter().enumerate().any(|(at, next)| {
                if self.remaining_checks == 0 {
                    return false;
                }
                self.remaining_checks = self.remaining_checks.saturating_sub(1);
                if !self.fits(trial, *next) {
                    return false;
                }
                let before = trial.savepoint();
                trial.place(next.0, next.1);
                let others = left.iter().enumerate().filter(|(other, _)| *other != at);
                let others: Vec<(PodIx, NodeIx)> = others.map(|(_, other)| *other).collect();
                let stands = self.in_some_order(trial, &others);
                trial.rewind(before);
                stands
            })
    }

    /// Returns whether a pod fits on its node, keeping what is promised there to others.
    fn fits(&self, trial: &Trial<'_>, (pod, ix): (PodIx, NodeIx)) -> bool {
        let cluster = trial.cluster();
        let Some((node, request)) = cluster.node(ix).zip(cluster.pod(pod).map(|pod| pod.request())) else {
            return false;
        };
        self.context.is_node_eligible(cluster, pod, ix)
            && self.context.free_after_nominated(cluster, node).lacks(request).is_none()
            && cluster.allows_with_nominated(pod, ix, &DomainCountOverlay::default(), &self.nominated).is_ok()
    }
}
