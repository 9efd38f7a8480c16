//! Plans: what a search or a step of a cycle found, and how it becomes a plan of the contract.

use std::collections::BTreeSet;

use super::Engine;
use crate::contract::{self, Eviction, Placement, PolicyError, Victim};
use crate::engine::reasons::PLAN;
use crate::engine::search::PlanObstacle;
use crate::laws::ReasonFacts;
use crate::laws::harm::broken_gangs;
use crate::model::{Cluster, NodeIx, PodIx};

/// A plan that would work, before it has a number.
#[derive(Debug, Clone)]
pub struct PlanDraft {
    /// The preemptor: the first pod that the plan is for.
    pub lead: PodIx,
    /// The node of each pod.
    pub nominations: Vec<(PodIx, NodeIx)>,
    /// The victims, without the pods that are evicted only together with another victim.
    pub victims: Vec<PodIx>,
    kind: PlanKind,
}

/// The kind of a plan: how it frees capacity.
#[derive(Debug, Clone, Copy)]
enum PlanKind {
    /// Victims are chosen by node.
    ByNode,
    /// Victims are chosen by job; the number counts their jobs.
    ByJob(usize),
    /// Pods of the gang itself give up the nodes that they reserve at Permit.
    Rearranged,
}

impl PlanDraft {
    /// Creates a plan whose victims are chosen by node.
    pub fn by_node(lead: PodIx, nominations: Vec<(PodIx, NodeIx)>, victims: Vec<PodIx>) -> PlanDraft {
        PlanDraft { lead, nominations, victims, kind: PlanKind::ByNode }
    }

    /// Creates a plan whose victims are chosen by job.
    pub fn by_job(cluster: &Cluster, lead: PodIx, nominations: Vec<(PodIx, NodeIx)>, victims: Vec<PodIx>) -> PlanDraft {
        let job = |ix: &PodIx| cluster.members(*ix).map(|(member, _)| member).min();
        let jobs: BTreeSet<Option<PodIx>> = victims.iter().map(job).collect();
        PlanDraft { lead, nominations, victims, kind: PlanKind::ByJob(jobs.len()) }
    }

    /// Returns the plan as one whose capacity comes from pods of the gang itself.
    pub fn rearranged(self) -> PlanDraft {
        PlanDraft { kind: PlanKind::Rearranged, ..self }
    }

    /// Returns the plan if it has a node for each of these pods. Otherwise the error names the first pod without a node.
    pub fn require_nodes_for(self, pods: &[PodIx]) -> Result<PlanDraft, PlanObstacle> {
        let has_node = |ix: &&PodIx| self.nominations.iter().any(|(pod, _)| pod == *ix);
        match pods.iter().find(|ix| !has_node(ix)) {
            Some(pod) => Err(PlanObstacle::NoNode { pod: *pod, planned: self.nominations.len() }),
            None => Ok(self),
        }
    }

    /// Returns what happens, in numbers, and which gangs are no longer complete.
    fn detail(&self, cluster: &Cluster, gone: &[PodIx]) -> ReasonFacts {
        let victims = gone.len();
        let detail = match (self.kind, victims) {
            (PlanKind::Rearranged, _) => ReasonFacts::case("rearranged"),
            (PlanKind::ByJob(jobs), _) => ReasonFacts::case("jobs").count("jobs", jobs),
            (PlanKind::ByNode, 0) => ReasonFacts::case("none"),
            (PlanKind::ByNode, _) => ReasonFacts::default(),
        };
        let detail = detail.count("victims", victims).count("pods", self.nominations.len());
        let broken = broken_gangs(cluster, gone);
        if broken.is_empty() {
            return detail;
        }
        let gangs = broken.iter().map(|(job, _)| format!("`{}/{}`", job.key.0, job.key.1));
        let detail = detail.text("broken", join_names(gangs.collect()));
        let left = broken.iter().flat_map(|(_, left)| left).map(|pod| format!("`{}`", pod.name));
        let left: Vec<String> = left.collect();
        if left.is_empty() { detail } else { detail.text("left", join_names(left)) }
    }
}

impl Engine {
    /// Enters a plan in the ledger and converts it into a plan of the contract, with its marks.
    pub(super) fn register_plan(&mut self, plan: &PlanDraft) -> Result<contract::Plan, PolicyError> {
        let system = self.system.as_ref().ok_or(PolicyError::NotConfigured)?;
        let (eviction, marks) = (system.eviction(), system.marks(&self.cluster, plan.lead));
        // When a pod that is only marked is deleted later, its eviction set is deleted with it. A host that deletes pods itself must delete the set,
        // too.
        let victims: Vec<PodIx> = match eviction {
            Eviction::Soft => self.cluster.expand_disruption_groups(&plan.victims).into_owned(),
            Eviction::Delete => {
                let sets = plan.victims.iter().flat_map(|head| self.cluster.eviction_set(*head));
                let mut seen = BTreeSet::new();
                sets.filter(|ix| seen.insert(*ix)).collect()
            }
        };
        self.trace.resume(plan.lead);
        if self.trace.is_recording() {
            let at = |ix: &PodIx| Some((*ix, self.cluster.pod(*ix)?.node()?));
            let places: Vec<(PodIx, NodeIx)> = victims.iter().filter_map(at).collect();
            self.trace.explain_plan(&self.cluster, &plan.nominations, &places);
        }
        let preemptors = plan.nominations.iter().map(|(pod, _)| *pod).collect();
        Ok(contract::Plan {
            id: self.plans_in_flight.add_proposed(preemptors, victims.clone()),
            preemptor: plan.lead.0,
            nominations: plan.nominations.iter().copied().map(placement).collect(),
            victims: victims.iter().map(|pod| Victim { pod: pod.0, eviction }).collect(),
            marks,
            reason: PLAN.reason(plan.detail(&self.cluster, &victims)),
        })
    }
}

/// The maximum number of names that a reason lists.
const MAX_LISTED_NAMES: usize = 8;

/// Joins these names into one text, at most as many as a reason lists.
fn join_names(mut names: Vec<String>) -> String {
    names.sort_unstable();
    let more = names.len().saturating_sub(MAX_LISTED_NAMES);
    names.truncate(MAX_LISTED_NAMES);
    let names = names.join(", ");
    if more == 0 { names } else { format!("{names} and {more} more") }
}

/// Converts a pod and its node into the numbers of the host.
pub fn placement((pod, node): (PodIx, NodeIx)) -> Placement {
    Placement { pod: pod.0, node: node.0 }
}
