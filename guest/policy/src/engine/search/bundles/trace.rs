//! Explanations of candidates and their nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::elastic_first::is_elastic;
use super::fit::Fit;
use super::short::that_counts;
use super::{BundleSearchInput, VictimBundle};
use crate::contract::{Outcome, Subject};
use crate::engine::DecisionTrace;
use crate::engine::reasons::{NEEDED, NODE_SUFFICES, ROOM_IS_COMING};
use crate::engine::search::node_dry_run::{NodeDryRun, PodToPlace};
use crate::engine::search::trace::{self, ReprieveObstacle, overcommit};
use crate::laws::ReasonFacts;
use crate::model::{Amounts, Cluster, DomainCountOverlay, NO_PODS, NodeIx, PodIx, PodLocation, Trial};

/// The places of the candidates.
pub type FormerLocations = BTreeMap<PodIx, PodLocation>;

/// Returns the places of the pods of these bundles. Empty unless explanations are recorded.
pub fn former_locations(cluster: &Cluster, notes: &DecisionTrace, levels: &[Vec<VictimBundle>]) -> FormerLocations {
    if !notes.is_recording() {
        return FormerLocations::new();
    }
    let pods = levels.iter().flatten().flat_map(|bundle| &bundle.pods);
    pods.filter_map(|ix| Some((*ix, cluster.pod(*ix)?.state.location))).collect()
}

/// Explains the unprotected pods of a job that cannot be evicted as a whole.
pub fn explain_inseparable_pods(
    cluster: &Cluster,
    notes: &mut DecisionTrace,
    victim_search: &BundleSearchInput<'_>,
    free: &[PodIx],
) {
    if !notes.is_recording() {
        return;
    }
    for ix in free {
        let Some(pod) = cluster.pod(*ix) else { continue };
        match pod.attributes.job.and_then(|job| cluster.elastic(job)) {
            Some(_) if is_elastic(cluster, *ix) => {}
            Some(_) => {
                notes.explain_unneeded(*ix, "whole-job");
            }
            None => {
                if let Some((rule, denial)) =
                    victim_search.first_denial(cluster, &victim_search.rules.single_victim_filters, *ix, None)
                {
                    notes.record_denial(cluster, Subject::Pod(ix.0), Outcome::Spared, &rule, &denial);
                }
            }
        }
    }
}

/// Explains that idle capacity and the capacity of leaving pods are enough.
pub fn explain_no_evictions(cluster: &Cluster, notes: &mut DecisionTrace, fit: &Fit) {
    notes.record(Subject::Preemptor, Outcome::Chosen, &ROOM_IS_COMING, || ReasonFacts::case("gang"));
    notes.explain_plan(cluster, &fit.placements, &[]);
}

/// Explains which law no plan for the gang would respect, whatever it evicts.
pub fn explain_unlawful_plan(cluster: &Cluster, notes: &mut DecisionTrace, victim_search: &BundleSearchInput<'_>) {
    let needed = cluster.members_to_complete(&victim_search.preemptor.pods);
    if let Some((rule, denial)) = victim_search.failed_with_requests(cluster, &needed) {
        notes.record_denial(cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
    }
}

/// Explains for every node what it lacks for a pod of the gang after all evictions, or that it fits one.
pub fn explain_no_node(
    cluster: &Cluster,
    notes: &mut DecisionTrace,
    victim_search: &BundleSearchInput<'_>,
    levels: &[Vec<VictimBundle>],
) {
    let preemptor = victim_search.may_preempt.iter().find(|ix| victim_search.preemptor.pods.contains(ix));
    let Some((asker, pod)) = preemptor.and_then(|ix| Some((*ix, cluster.pod(*ix)?))) else { return };
    let ask = PodToPlace {
        pod: asker,
        request: pod.request(),
        what_if: &DomainCountOverlay::default(),
        earlier: &NO_PODS,
        plan_invariants: None,
    };
    let may: BTreeSet<PodIx> = levels.iter().flatten().flat_map(|bundle| bundle.pods.iter().copied()).collect();
    for (ix, node) in cluster.nodes().filter(|(ix, _)| cluster.eligible(pod.requirements.shape, *ix)) {
        let requested = ask.request.iter().map(|(resource, _)| resource);
        let short = that_counts(cluster, requested, |resource| node.free.get(resource) < ask.request.get(resource));
        let (candidates, others): (Vec<PodIx>, Vec<PodIx>) = node.pods.iter().partition(|pod| may.contains(pod));
        let dry_run = NodeDryRun::new(cluster, (ix, node), node.free.clone(), candidates.iter().copied(), 0);
        let lacks_room = dry_run.capacity_after_all_evictions.lacks(pod.request()).is_some();
        if lacks_room || dry_run.violation_after(cluster, &ask, &candidates).is_some() {
            let denial = |ix| {
                Some((ix, victim_search.first_denial(cluster, &victim_search.rules.victim_filters, ix, Some(&short))?))
            };
            let barred = others.into_iter().filter_map(denial).collect();
            trace::explain_insufficient_node(cluster, notes, (&dry_run, &ask), barred);
            continue;
        }
        let detail = || trace::cost_facts(cluster, &candidates, "one-pod");
        notes.record(Subject::Node(ix.0), Outcome::Enough, &NODE_SUFFICES, detail);
        for ix in candidates {
            notes.explain_unneeded(ix, "gang-incomplete");
        }
    }
}

/// Explains why each victim is needed, in a trial without the victims and with the gang on its nodes. Also explains that the other candidates are not
/// needed.
pub fn explain_victims(
    trial: &mut Trial<'_>,
    notes: &mut DecisionTrace,
    victim_search: &BundleSearchInput<'_>,
    fit: &Fit,
    places: &FormerLocations,
) {
    for (level, victims) in fit.victims.iter().enumerate() {
        for ix in victims {
            let Some(place) = places.get(ix) else { continue };
            let before = trial.savepoint();
            trial.set_location(*ix, *place);
            let pods: Vec<PodIx> = fit.placements.iter().map(|(ix, _)| *ix).collect();
            let cluster = trial.cluster();
            let lack = place.node().and_then(|node| overcommit(cluster, node, &pods, &Amounts::default()));
            let disallowed = || victim_search.first_violation(cluster, &fit.placements).map(ReprieveObstacle::InterPod);
            let broken = || {
                victim_search
                    .failed_with_placements(cluster, &pods)
                    .map(|(rule, denial)| ReprieveObstacle::Law(rule, denial))
            };
            match lack.map(ReprieveObstacle::Insufficient).or_else(disallowed).or_else(broken) {
                Some(why) => notes.explain_needed(cluster, *ix, &why),
                None => {
                    let case = if level == 0 { "shrinks" } else { "whole-gang" };
                    notes.record(Subject::Pod(ix.0), Outcome::Chosen, &NEEDED, || ReasonFacts::case(case));
                }
            }
            trial.rewind(before);
        }
    }
    let victims: Vec<(PodIx, NodeIx)> =
        fit.victims.iter().flatten().filter_map(|ix| Some((*ix, places.get(ix)?.node()?))).collect();
    for ix in places.keys().filter(|ix| victims.iter().all(|(victim, _)| victim != *ix)) {
        notes.explain_unneeded(*ix, "others-suffice");
    }
}
