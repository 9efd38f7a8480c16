//! The input of a search.

use super::branches::Branch;
use super::limits::PlanInvariants;
use super::refused::{is_placement_rejected, rejected_victim};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::DecisionTrace;
use crate::laws::{ActiveLaw, Denial, LawContext, Laws, Preemptor};
use crate::model::{
    Amounts, CapacityScan, Cluster, NodeInfo, NodeIx, NodeSet, NominatedConstraints, PlansInFlight, PodInfo, PodIx,
    ResourceRequest,
};

/// The input of a search.
pub struct PreemptionContext<'a> {
    /// The preemptor.
    pub preemptor: &'a Preemptor,
    /// The gangs that are planned together, that of the preemptor first. The laws must hold for each of them.
    pub gangs: &'a [Preemptor],
    /// The laws in force.
    pub laws: &'a Laws,
    /// The plans in flight.
    pub ledger: &'a PlansInFlight,
    /// The victims and placements that the host refused in earlier plans.
    pub refuted: &'a Refuted,
    /// The branch that the plan follows. The plan evicts some candidates from the start, as far as it needs their capacity, and spares others (see
    /// [`least_harm`](super::least_harm)).
    pub branch: &'a Branch,
    /// Where the explanations are recorded.
    pub notes: &'a mut DecisionTrace,
}

impl<'a> PreemptionContext<'a> {
    /// Returns the same input in another branch, and with another place for the explanations.
    pub(super) fn in_branch<'b>(&'b self, branch: &'b Branch, notes: &'b mut DecisionTrace) -> PreemptionContext<'b> {
        let PreemptionContext { preemptor, gangs, laws, ledger, refuted, .. } = *self;
        PreemptionContext { preemptor, gangs, laws, ledger, refuted, branch, notes }
    }

    /// Returns the same input for other gangs, and with another place for the explanations.
    pub(super) fn of<'b>(&'b self, gangs: &'b [Preemptor], notes: &'b mut DecisionTrace) -> PreemptionContext<'b> {
        let preemptor = gangs.first().unwrap_or(self.preemptor);
        PreemptionContext { preemptor, gangs, ..self.in_branch(self.branch, notes) }
    }

    /// Checks whether a pod leaves its node without a new plan: it is being deleted, or an accepted plan evicts it.
    pub(super) fn is_leaving(&self, cluster: &Cluster, ix: PodIx) -> bool {
        cluster.pod(ix).is_some_and(|pod| pod.is_leaving()) || self.ledger.is_victim(ix)
    }

    /// Returns the pods that leave their nodes without a new plan, by number.
    pub(super) fn leaving(&self, cluster: &Cluster) -> Vec<(PodIx, NodeIx)> {
        self.ledger.leaving(cluster).into_iter().filter_map(|ix| Some((ix, cluster.pod(ix)?.node()?))).collect()
    }

    /// Returns the pods of other jobs whose promised capacity on a node is kept from the preemptor. Gangs that are planned together count as having
    /// the lowest of their priorities.
    pub(super) fn blocking_nominations<'c>(
        &'c self,
        cluster: &'c Cluster,
        node: &'c NodeInfo,
    ) -> impl Iterator<Item = (PodIx, &'c PodInfo)> {
        let own = &self.preemptor.pods;
        let priority = self.gangs.iter().map(|gang| gang.priority).min().unwrap_or(self.preemptor.priority);
        let promised =
            cluster.blocking_nominations_from(node, self.preemptor.pod, priority, &self.preemptor.closed_nominations);
        promised.filter(move |(ix, _)| !own.contains(ix))
    }

    /// Checks whether every guard allows the eviction of a pod, and notes the first guard that does not.
    pub(super) fn check_candidate(&mut self, cluster: &Cluster, ix: PodIx) -> bool {
        if cluster.pod(ix).is_none() || self.is_spared(ix) {
            return false;
        }
        let first_denial = self.first_denial(cluster, ix);
        if let Some((rule, denial)) = &first_denial {
            self.notes.record_denial_and_hint(cluster, Subject::Pod(ix.0), Outcome::Spared, rule, denial);
        }
        first_denial.is_none()
    }

    /// Returns whether the branch spares a pod: other pods are enough.
    fn is_spared(&mut self, ix: PodIx) -> bool {
        let is_spared = self.branch.spared.contains(&ix);
        if is_spared {
            self.notes.explain_unneeded(ix, "others-suffice");
        }
        is_spared
    }

    /// Returns those of the pods whose eviction every guard allows, in the order of reprieve. Where quotas take back from each other, a pod is judged
    /// with the pods taken before it gone: first those that the branch evicts, then the least important ones.
    pub(super) fn candidates(&mut self, cluster: &Cluster, pods: impl IntoIterator<Item = PodIx>) -> Vec<PodIx> {
        let pods = pods.into_iter().filter(|ix| cluster.pod(*ix).is_some());
        if self.reclaims_in_turn() {
            return self.reclaim_candidates(cluster, pods.collect());
        }
        let candidates = pods.filter(|ix| self.check_candidate(cluster, *ix)).collect();
        self.in_reprieve_order(cluster, candidates)
    }

    /// Returns whether quotas take back from each other. Then each victim lowers what its quota uses, which matters to the next candidate.
    pub(super) fn reclaims_in_turn(&self) -> bool {
        self.gangs.iter().any(|gang| gang.is_within_min)
    }

    /// Returns pods in the order in which they are taken: first those that the branch evicts, then the least important.
    pub(super) fn in_reclaim_order(&self, cluster: &Cluster, pods: Vec<PodIx>) -> Vec<PodIx> {
        let mut pods = self.in_reprieve_order(cluster, pods);
        pods.reverse();
        pods.sort_by_key(|ix| !self.branch.evicted.contains(ix));
        pods
    }

    fn reclaim_candidates(&mut self, cluster: &Cluster, pods: Vec<PodIx>) -> Vec<PodIx> {
        let mut taken: Vec<PodIx> = Vec::new();
        for ix in self.in_reclaim_order(cluster, pods) {
            if self.is_spared(ix) {
                continue;
            }
            let group = cluster.expand_disruption_groups(&taken);
            let denied = self.gangs.iter().find_map(|gang| {
                let case = gang.context_for_plan(cluster, self.ledger);
                LawContext { victims: &group, ..case }.first_denial(&self.laws.victim_filters, ix)
            });
            match denied.or_else(|| rejected_victim(self.refuted, cluster, ix)) {
                Some((rule, denial)) => {
                    self.notes.record_denial_and_hint(cluster, Subject::Pod(ix.0), Outcome::Spared, &rule, &denial)
                }
                None => taken.push(ix),
            }
        }
        self.in_reprieve_order(cluster, taken)
    }

    /// Returns the limits of a plan for the preemptor alone, once these pods have left. `None`: no queue bounds the plan.
    pub(super) fn plan_invariants<'b>(&self, leaving: &'b [PodIx]) -> Option<PlanInvariants<'b>>
    where
        'a: 'b,
    {
        let (preemptor, ledger, laws) = (self.preemptor, self.ledger, self.laws.plan_invariants.as_slice());
        let has_limits = preemptor.part.queue.is_some() && !laws.is_empty();
        has_limits.then_some(PlanInvariants { preemptor, ledger, laws, leaving })
    }

    /// Returns the first guard that denies the eviction of a pod, or the refusal of the host to evict it. `None`: the pod may be evicted.
    pub(super) fn first_denial(&self, cluster: &Cluster, ix: PodIx) -> Option<(ActiveLaw, Denial)> {
        let guards = &self.laws.victim_filters;
        let denied =
            self.gangs.iter().find_map(|gang| gang.context_for_plan(cluster, self.ledger).first_denial(guards, ix));
        denied.or_else(|| rejected_victim(self.refuted, cluster, ix))
    }

    /// Returns the first limit that does not hold in a trial where all planned pods have their nodes. `None`: all hold.
    pub(super) fn failed_invariant(&self, cluster: &Cluster) -> Option<(ActiveLaw, Denial)> {
        self.gangs.iter().find_map(|gang| {
            gang.context_after_plan(cluster, self.ledger).first_failed_check(&self.laws.plan_invariants)
        })
    }

    /// Returns the first law of Permit that does not hold in a trial where all planned pods have their nodes. Such a plan would be in vain: its pods
    /// would not be bound.
    pub(super) fn failed_permit_check(&self, cluster: &Cluster) -> Option<(ActiveLaw, Denial)> {
        self.preemptor.context_after_plan(cluster, self.ledger).first_failed_check(&self.laws.preconditions.permit)
    }

    /// Checks whether a pod may be planned onto a node, regardless of the other pods.
    pub(super) fn is_node_eligible(&self, cluster: &Cluster, pod: PodIx, node: NodeIx) -> bool {
        !is_placement_rejected(self.refuted, pod, node)
            && cluster.pod(pod).is_some_and(|pod| cluster.eligible(pod.requirements.shape, node))
    }

    /// Returns the nodes that a pod may be planned onto and that are large enough for it when empty. The cluster must be prepared for the search.
    pub(super) fn large_enough(&self, cluster: &Cluster, pod: PodIx, request: &ResourceRequest) -> NodeSet {
        let Some(shape) = cluster.pod(pod).map(|pod| pod.requirements.shape) else { return NodeSet::default() };
        let words = cluster.scan(request).large_enough(cluster.node_span());
        let eligible = cluster.eligible_node_bits(shape);
        let mut large = NodeSet::of_words(words.iter().zip(eligible).map(|(large, eligible)| large & eligible));
        let is_large = |ix: NodeIx| cluster.node(ix).is_some_and(|node| node.allocatable.lacks(request).is_none());
        let looks_closer = !CapacityScan::supports(request) || !self.refuted.placements.is_empty();
        let nodes: Vec<NodeIx> = if looks_closer { large.iter().collect() } else { Vec::new() };
        for ix in nodes {
            if is_placement_rejected(self.refuted, pod, ix) || !is_large(ix) {
                large.remove(ix);
            }
        }
        large
    }

    /// Returns the free capacity of a node, less what is promised to pods of other jobs.
    pub(super) fn free_after_nominated(&self, cluster: &Cluster, node: &NodeInfo) -> Amounts {
        let mut room = node.free.clone();
        self.blocking_nominations(cluster, node).for_each(|(_, other)| room.subtract(other.request()));
        room
    }

    /// Returns the nominated pods of other jobs that a plan must leave allowed on their nodes.
    pub(super) fn nominated(&self, cluster: &Cluster) -> NominatedConstraints {
        let promised = |node: &NodeInfo| self.blocking_nominations(cluster, node).map(|(ix, _)| ix).collect();
        let asker = self.gangs.iter().flat_map(|gang| &gang.pods).find(|pod| cluster.has_inter_pod_terms(**pod));
        asker.map(|asker| cluster.nominated_constraints_for(*asker, promised)).unwrap_or_default()
    }

    /// Returns candidates in the order of reprieve.
    pub(super) fn in_reprieve_order(&self, cluster: &Cluster, mut candidates: Vec<PodIx>) -> Vec<PodIx> {
        candidates.sort_unstable_by(|a, b| match (cluster.pod(*a), cluster.pod(*b)) {
            (Some(a), Some(b)) => (self.laws.plan_orders.reprieve.compare)(cluster, a, b),
            _ => a.cmp(b),
        });
        candidates
    }

    /// Returns whether each pod must be judged by itself: everything is to be explained, the result for a pod depends on others, or some pods are not
    /// where the lists have them.
    pub(super) fn must_check_each_pod(&self, cluster: &Cluster) -> bool {
        self.notes.is_recording()
            || cluster.in_trial()
            || cluster.has_disruption_groups()
            || !self.refuted.victims.is_empty()
            || self.reclaims_in_turn()
            || self.laws.victim_filters.iter().any(|guard| guard.rule.about.depends_on_pod_identity)
    }
}
