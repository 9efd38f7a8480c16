//! Bundles: the search of a system in which jobs are evicted, not pods.
//!
//! What idle room and room that others leave anyway is enough for costs nobody anything. Beyond that, bundles of pods are evicted: first
//! steps by which elastic jobs shrink, then single pods that their gangs can spare, then whole gangs. No level is touched before all
//! of the one below is used up; of each level as few jobs as possible are evicted, then as few pods, then the least important. Elastic pods
//! go first: which other pods are evicted is judged with them gone. No pod is evicted unless every pod that the gang lacks then has a node.

mod attempt;
mod bundle;
mod choose;
mod clear;
mod elastic_first;
mod feasibility;
mod finish;
mod fit;
mod trace;

use std::collections::BTreeSet;

pub use bundle::Bundle;

use super::refused::{is_placement_refused, refused_victim};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::plan::Plan;
use crate::engine::reasons::NO_NODE;
use crate::engine::{Ledger, Notes, Preemptor};
use crate::laws::{Case, Denial, Gate, Guard, Laws, Order, ReclaimRules, Rule};
use crate::model::{Cluster, NodeIx, PodIx, Trial};

/// How many levels of bundles there are.
pub const LEVELS: usize = 3;

/// What a search goes by.
pub struct VictimSearch<'a> {
    /// The gang that waits, with all its pods that wait, in order.
    pub preemptor: &'a Preemptor,
    /// The laws in force.
    pub laws: &'a Laws,
    /// The plans under way.
    pub ledger: &'a Ledger,
    /// The laws of this pursuit.
    pub rules: &'a ReclaimRules,
    /// The order of the pods of a job.
    pub tasks: Order,
    /// The pods for which others may be evicted.
    pub may: &'a BTreeSet<PodIx>,
    /// Only pods of the gang's own queue are evicted.
    pub own_only: bool,
    /// What the host refused of earlier plans.
    pub refuted: &'a Refuted,
}

impl VictimSearch<'_> {
    fn case<'c>(&'c self, cluster: &'c Cluster) -> Case<'c> {
        self.preemptor.admission(cluster, self.ledger)
    }

    /// The first of these laws that denies the eviction of a pod, or the host, where it refused the pod as a victim.
    fn barring(&self, cluster: &Cluster, guards: &[Guard], ix: PodIx) -> Option<(Rule, Denial)> {
        let pod = cluster.pod(ix)?;
        let case = self.case(cluster);
        let denied = guards.iter().find_map(|guard| Some((guard.rule, (guard.admits)(&case, ix, pod).err()?)));
        denied.or_else(|| refused_victim(self.refuted, cluster, ix))
    }

    /// Whether the host takes a pod on a node, as far as is known.
    fn is_open(&self, pod: PodIx, node: NodeIx) -> bool {
        !is_placement_refused(self.refuted, pod, node)
    }

    /// The first limit that does not hold with what these pods ask for, who have no nodes yet.
    fn broken_by_asking(&self, cluster: &Cluster, pods: &[PodIx]) -> Option<(Rule, Denial)> {
        self.first_broken(cluster, pods, Preemptor::planning)
    }

    /// The first limit that does not hold with these pods on their nodes.
    fn broken(&self, cluster: &Cluster, pods: &[PodIx]) -> Option<(Rule, Denial)> {
        self.first_broken(cluster, pods, Preemptor::placed)
    }

    fn first_broken(
        &self,
        cluster: &Cluster,
        pods: &[PodIx],
        case: for<'c> fn(&'c Preemptor, &'c Cluster, &'c Ledger) -> Case<'c>,
    ) -> Option<(Rule, Denial)> {
        let preemptor = Preemptor::of(cluster, self.laws, self.preemptor.pod, pods.to_vec());
        let holds = |limit: &Gate, preemptor: &Preemptor| (limit.holds)(&case(preemptor, cluster, self.ledger));
        preemptor.and_then(|preemptor| {
            self.rules.limits.iter().find_map(|limit| Some((limit.rule, holds(limit, &preemptor).err()?)))
        })
    }
}

/// Looks for a plan for all that a gang lacks, in a trial where those that are leaving are gone. Where there is one, the trial is
/// left as it will be then; else as it was, and what stood in the way is said.
pub fn plan(trial: &mut Trial<'_>, notes: &mut Notes, victim_search: &VictimSearch<'_>) -> Result<Plan, Denial> {
    const NOBODY: Denial = Denial::Case("gang");
    let open = fit::open_nodes(trial.cluster(), victim_search);
    let bound = feasibility::FeasibilityBound::new(trial.cluster(), victim_search);
    let search = choose::Search { victim_search, open: &open, bound: &bound, levels: Vec::new() };
    let nobody = vec![Vec::new(); LEVELS];
    if let Ok(fit) = search.fit(trial, &nobody) {
        trace::nobody(trial.cluster(), notes, &fit);
        return Ok(found(trial.cluster(), victim_search, fit));
    }
    if victim_search.may.is_empty() {
        return Err(NOBODY);
    }
    let levels = bundle::gather(trial.cluster(), notes, victim_search);
    let search = choose::Search { victim_search, open: &open, bound: &bound, levels };
    let Some(chosen) = search.choose(trial) else {
        notes.denial(trial.cluster(), Subject::Preemptor, Outcome::Barred, &NO_NODE, &NOBODY);
        if notes.are_on() {
            trace::nowhere(trial.cluster(), notes, victim_search, &search.levels);
        }
        return Err(NOBODY);
    };
    let places = trace::places(trial.cluster(), notes, &search.levels);
    let Ok(fit) = search.fit(trial, &chosen) else { return Err(NOBODY) };
    if notes.are_on() {
        trace::found(trial, notes, victim_search, &fit, &places);
    }
    Ok(found(trial.cluster(), victim_search, fit))
}

fn found(cluster: &Cluster, victim_search: &VictimSearch<'_>, fit: fit::Fit) -> Plan {
    let victims: Vec<PodIx> = fit.victims.into_iter().flatten().collect();
    Plan::by_job(cluster, victim_search.preemptor.pod, fit.placements, victims)
}
