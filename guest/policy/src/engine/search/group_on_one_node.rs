//! Group on one node: the search of YuniKorn's preemption.
//!
//! On each node, the search gathers the best group of victims that makes room for the preemptor under every limit. Free room and the room
//! of leaving pods count. A larger group breaks a broken floor even more, so it is not tried. The same order chooses between the groups
//! of a node and between nodes: fewest pods that should be spared, then as the law about nodes says. Groups without such pods are tried
//! on all nodes first.
//!
//! Gathering is depth-first with bounds ([`gather`]): ordinary pods first, then the least important. Pods that are equal for the laws are
//! tried in one order only. It stops on a node after some thousand steps; only then can it miss a group, or the best one.

mod gather;
mod held;
mod nodes;
mod trace;

use super::node_dry_run::{NodeDryRun, PodToPlace};
use super::outlook::CostLowerBound;
use super::{PlanDraft, PlanObstacle, PreemptionContext, PreemptionSearch};
use crate::laws::{LawContext, Laws, MOST, NodeCost, Preemptor, VictimGroupLaws, WEIGHTY_REASON};
use crate::model::{Cluster, DomainCountOverlay, NO_PODS, NodeIx, PodInfo, PodIx, Trial};
use nodes::GroupCandidateNodes;

/// The bounds of reluctance, attempt by attempt: pods without a reason to be spared, then also those with the lighter reason, then all.
const LEVELS: [i64; 3] = [0, WEIGHTY_REASON - 1, i64::MAX];

/// The bound of a search on one node.
#[derive(Clone, Copy)]
struct GroupSearchBound {
    /// The most reluctance with which a single victim may be taken.
    max_penalty: i64,
    /// The reluctance bound of the attempt before, which found nothing; negative for the first attempt.
    previous_max_penalty: i64,
    /// The maximum cost of a group: the cost of the best group on the nodes before.
    cost: NodeCost,
}

impl GroupSearchBound {
    /// Creates a bound by reluctance alone.
    fn of_penalty(reluctance: i64) -> GroupSearchBound {
        let tried = LEVELS.into_iter().filter(|level| *level < reluctance).max().unwrap_or(-1);
        GroupSearchBound { max_penalty: reluctance, previous_max_penalty: tried, cost: MOST }
    }
}

/// A node and the victims there.
struct GroupCandidate {
    node: NodeIx,
    victims: Vec<PodIx>,
    cost: NodeCost,
}

/// The search for the smallest group of victims on one node.
pub struct SmallestGroupSearch<'l> {
    /// The floors, and which victims are the last resort.
    pub group: &'l VictimGroupLaws,
}

impl PreemptionSearch for SmallestGroupSearch<'_> {
    /// Returns the preemptor alone, as pods are planned one by one. Empty: the pod does not wait for a node.
    fn pods(&self, cluster: &Cluster, _: &Laws, preemptor: PodIx) -> Vec<PodIx> {
        cluster.pod(preemptor).filter(|pod| pod.is_schedulable()).map(|_| preemptor).into_iter().collect()
    }

    fn nominations_block_all_priorities(&self) -> bool {
        true
    }

    /// Returns `false`: no nomination is lost to another pod, because the reservation guarantees that the nominated pod runs on that node.
    fn may_take_nomination_of(&self, _: &Preemptor, _: &PodInfo) -> bool {
        false
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {
        plan_group(cluster, context, self.group)
    }
}

/// Returns a plan for the preemptor, or the obstacle.
fn plan_group(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    group: &VictimGroupLaws,
) -> Result<PlanDraft, PlanObstacle> {
    let request = cluster.pod(context.preemptor.pod).map(|pod| pod.request().clone()).unwrap_or_default();
    cluster.prepare_search([&request]);
    let leaving = context.leaving(cluster);
    let outlook = CostLowerBound::new(cluster, context, &leaving, [&request]);
    let mut trial = Trial::new(cluster);
    leaving.iter().for_each(|(ix, _)| trial.evict(*ix));
    trial.nested().prepare_search([&request]);
    let cluster = trial.cluster();
    let ask = PodToPlace {
        pod: context.preemptor.pod,
        request: &request,
        what_if: &DomainCountOverlay::default(),
        earlier: &NO_PODS,
        plan_invariants: None,
    };
    let mut nodes = GroupCandidateNodes::new(cluster, context, (group, &ask), outlook);
    if context.preemptor.required_node_reservation.is_none()
        && let Some(node) = nodes.first_fitting(cluster, context)
        && case(cluster, context, &[]).first_failed_check(&context.laws.preconditions.resolvable).is_none()
    {
        return Err(PlanObstacle::NodeWillFit(node));
    }
    let Some(best) = nodes.cheapest(cluster, context) else {
        return Err(nodes.obstacle(cluster, context));
    };
    if context.notes.is_recording() {
        trace::explain_group(cluster, context, group, (&ask, &nodes.dry_runs()), &best);
    }
    Ok(PlanDraft::by_node(context.preemptor.pod, vec![(context.preemptor.pod, best.node)], best.victims))
}

fn case<'a>(cluster: &'a Cluster, context: &PreemptionContext<'a>, group: &'a [PodIx]) -> LawContext<'a> {
    LawContext { victims: group, ..context.preemptor.context_for_plan(cluster, context.ledger) }
}
