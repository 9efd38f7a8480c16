//! Bundles: the search of a system in which jobs are evicted, not pods.
//!
//! Idle room and the room of leaving pods are used first. Then bundles of pods are evicted, by level: first steps by which elastic jobs shrink, then
//! single pods above the minimum of their gangs, then whole gangs. A level is used only if the levels below are not enough. On each level the fewest
//! jobs are evicted, then the fewest pods, then the least important ones; of jobs that leave whole the fewest gangs, then those that lose the least
//! work. Other victims are judged after the evictions of elastic pods. No pod is evicted unless every pod that the gang lacks then has a node.

mod attempt;
mod bundle;
mod candidates;
mod choose;
mod clear;
mod due;
mod elastic_first;
mod evict;
mod exchange;
mod feasibility;
mod finish;
mod fit;
mod further;
mod least_loss;
mod owed;
mod price;
mod reprieve_gangs;
mod short;
mod thrift;
mod trace;

use std::collections::BTreeSet;

pub use bundle::VictimBundle;

use super::refused::{is_placement_rejected, rejected_victim};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::plan::PlanDraft;
use crate::engine::reasons::NO_NODE;
use crate::engine::{DecisionTrace, PlansInFlight, Preemptor};
use crate::laws::{ActiveLaw, Denial, LawContext, Laws, PodComparator, ReclaimRules, VictimFilter};
use crate::model::{
    Cluster, DomainCountOverlay, InterPodViolation, NodeIx, NominatedConstraints, PodIx, ResourceIx, Trial,
};

/// The number of levels.
pub const BUNDLE_LEVELS: usize = 3;

/// The level of the gangs that are evicted whole.
const WHOLE_GANG_LEVEL: usize = 2;

/// The input of the search.
pub struct BundleSearchInput<'a> {
    /// The gang and its pending pods, in order.
    pub preemptor: &'a Preemptor,
    /// The laws in force.
    pub laws: &'a Laws,
    /// The plans in flight.
    pub ledger: &'a PlansInFlight,
    /// The laws of this action.
    pub rules: &'a ReclaimRules,
    /// The order of the pods of a job.
    pub tasks: PodComparator,
    /// The pods of the gang for which others may be evicted.
    pub may_preempt: &'a BTreeSet<PodIx>,
    /// Whether only pods of the own queue may be evicted.
    pub only_own_queue: bool,
    /// The victims and placements that the host refused in earlier plans.
    pub refuted: &'a Refuted,
    /// The cluster without the pods of others that wait for promised nodes.
    pub without_promised: &'a DomainCountOverlay,
    /// The pods of others that must stay allowed on their promised nodes, by the constraints between pods.
    pub promised_pods: &'a [(PodIx, NodeIx)],
}

impl BundleSearchInput<'_> {
    /// Returns the first of these laws that denies the eviction of a pod; or the host, if it refused the pod as a victim. `short`: the
    /// resources that must be freed, if they are known.
    fn first_denial(
        &self,
        cluster: &Cluster,
        guards: &[VictimFilter],
        ix: PodIx,
        short: Option<&[ResourceIx]>,
    ) -> Option<(ActiveLaw, Denial)> {
        let case = LawContext { short_resources: short, ..self.preemptor.context_for_plan(cluster, self.ledger) };
        let denied = case.first_denial(guards, ix);
        denied.or_else(|| rejected_victim(self.refuted, cluster, ix))
    }

    /// Checks that the host has not refused a pod on a node.
    fn is_not_refuted(&self, pod: PodIx, node: NodeIx) -> bool {
        !is_placement_rejected(self.refuted, pod, node)
    }

    /// Returns whether the other pods allow a pod of the gang on a node. That must hold without and with the pods that wait for promised nodes, and
    /// these must stay allowed.
    fn is_allowed(&self, cluster: &Cluster, pod: PodIx, node: NodeIx) -> bool {
        let allowed = |what_if: &DomainCountOverlay| cluster.inter_pod_allows(pod, node, what_if).is_ok();
        let displaces = || cluster.displaces_any((pod, node), &DomainCountOverlay::default(), self.promised_pods);
        !cluster.has_inter_pod_terms(pod)
            || allowed(&DomainCountOverlay::default()) && allowed(self.without_promised) && !displaces()
    }

    /// Returns why the other pods do not allow pods of the gang on their nodes. An eviction may take its promised node from another pod, too: a
    /// spread constraint counts the fewest pods of a domain.
    fn first_violation(&self, cluster: &Cluster, placed: &[(PodIx, NodeIx)]) -> Option<InterPodViolation> {
        let first = |what_if: &DomainCountOverlay| {
            cluster.first_inter_pod_violation(placed, what_if, &NominatedConstraints::default())
        };
        let of_gang =
            first(&DomainCountOverlay::default()).or_else(|| first(self.without_promised)).map(|(_, lack)| lack);
        let stays = |(ix, node): &(PodIx, NodeIx)| cluster.stays_allowed(*ix, *node);
        of_gang.or_else(|| (!self.promised_pods.iter().all(stays)).then_some(InterPodViolation::Nominated))
    }

    /// Returns the first limit that does not hold with the requests of these pods, which have no nodes yet. `None`: all hold.
    fn failed_with_requests(&self, cluster: &Cluster, pods: &[PodIx]) -> Option<(ActiveLaw, Denial)> {
        self.first_failed_check(cluster, pods, Preemptor::context_for_plan)
    }

    /// Returns the first limit that does not hold with these pods on their nodes. `None`: all hold.
    fn failed_with_placements(&self, cluster: &Cluster, pods: &[PodIx]) -> Option<(ActiveLaw, Denial)> {
        self.first_failed_check(cluster, pods, Preemptor::context_after_plan)
    }

    fn first_failed_check(
        &self,
        cluster: &Cluster,
        pods: &[PodIx],
        case: for<'c> fn(&'c Preemptor, &'c Cluster, &'c PlansInFlight) -> LawContext<'c>,
    ) -> Option<(ActiveLaw, Denial)> {
        let preemptor = Preemptor::of(cluster, self.laws, self.preemptor.pod, pods.to_vec())?;
        case(&preemptor, cluster, self.ledger).first_failed_check(&self.rules.plan_invariants)
    }
}

/// Plans all pods that a gang lacks, in a trial without the leaving pods. With a plan, the trial is left as the cluster will be then. Otherwise it is
/// unchanged, and the obstacle is returned.
pub fn plan(
    trial: &mut Trial<'_>,
    notes: &mut DecisionTrace,
    victim_search: &BundleSearchInput<'_>,
) -> Result<PlanDraft, Denial> {
    const GANG_DOES_NOT_FIT: Denial = Denial::Case("gang");
    let open = fit::open_nodes(trial.cluster(), victim_search);
    let bound = feasibility::FeasibilityBound::new(trial.cluster(), victim_search);
    let search = choose::BundleChooser { victim_search, open_nodes: &open, bound: &bound, levels: Vec::new() };
    let nobody = vec![Vec::new(); BUNDLE_LEVELS];
    if let Ok(fit) = search.fit(trial, &nobody, &thrift::Caps::new()) {
        trace::explain_no_evictions(trial.cluster(), notes, &fit);
        return Ok(finish_plan(trial.cluster(), victim_search, fit));
    }
    if victim_search.may_preempt.is_empty() {
        return Err(GANG_DOES_NOT_FIT);
    }
    let levels = bundle::gather(trial.cluster(), notes, victim_search);
    let search = choose::BundleChooser { victim_search, open_nodes: &open, bound: &bound, levels };
    let Some((chosen, caps)) = search.choose(trial) else {
        notes.record_denial_and_hint(
            trial.cluster(),
            Subject::Preemptor,
            Outcome::Barred,
            &NO_NODE,
            &GANG_DOES_NOT_FIT,
        );
        trace::explain_unlawful_plan(trial.cluster(), notes, victim_search);
        if notes.is_recording() {
            trace::explain_no_node(trial.cluster(), notes, victim_search, &search.levels);
        }
        return Err(GANG_DOES_NOT_FIT);
    };
    let places = trace::former_locations(trial.cluster(), notes, &search.levels);
    let Ok(fit) = search.fit(trial, &chosen, &caps) else { return Err(GANG_DOES_NOT_FIT) };
    if notes.is_recording() {
        trace::explain_victims(trial, notes, victim_search, &fit, &places);
    }
    Ok(finish_plan(trial.cluster(), victim_search, fit))
}

fn finish_plan(cluster: &Cluster, victim_search: &BundleSearchInput<'_>, fit: fit::Fit) -> PlanDraft {
    let victims: Vec<PodIx> = fit.victims.into_iter().flatten().collect();
    PlanDraft::by_job(cluster, victim_search.preemptor.pod, fit.placements, victims)
}
