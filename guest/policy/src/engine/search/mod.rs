//! The searches for a plan. A search knows no rule: it asks the laws.

mod branches;
pub mod bundles;
mod choices;
mod context;
mod dry_runs;
mod group_on_one_node;
mod least_harm;
mod limits;
mod members;
mod node_by_node;
mod node_dry_run;
mod node_victims;
mod outlook;
mod plan_stands;
mod rearranged;
mod refused;
mod remove_all_then_reprieve;
mod reprieve;
mod reprieve_job;
mod shortlist;
mod trace;

pub use branches::Branch;
pub use context::PreemptionContext;
pub use members::{has_nominated_capacity, without_unsupported};
pub use plan_stands::plan_stands;
pub use rearranged::{completes_without, without_victims};

use super::cycle::JobBundleSearch;
use super::plan::PlanDraft;
use crate::laws::{self, ActiveLaw, Denial, Laws, Preemptor};
use crate::model::{Cluster, NodeIx, PodInfo, PodIx};
use group_on_one_node::SmallestGroupSearch;
use node_by_node::NodeByNode;
use remove_all_then_reprieve::WholeJobSearch;

/// A kind of search: which pods it plans together, which nominations it respects, and what follows if it finds no plan.
pub trait PreemptionSearch {
    /// Returns the pods that one attempt decides about: by default the pending pods of the job, the most important first.
    fn pods(&self, cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
        pending_members_with(cluster, laws, preemptor)
    }

    /// Returns the gangs that are planned together with the job of the preemptor, which is the first of them; they are not joined yet.
    fn gangs_to_plan(&self, _: &Cluster, _: &Laws, preemptor: Preemptor) -> Vec<Preemptor> {
        vec![preemptor]
    }

    /// Returns whether a plan may be looked for in an attempt for a pod: the pods that the plan must be for may preempt.
    fn could_plan(&self, cluster: &Cluster, _: &Laws, pod: PodIx) -> bool {
        cluster.pod(pod).is_some_and(|pod| pod.attributes.may_preempt)
    }

    /// Returns the gang with the pods that PreFilter checks.
    fn gang_at_prefilter(&self, _: &Cluster, gang: Preemptor) -> Preemptor {
        gang
    }

    /// Returns the gang with the pods for which a plan is needed, in the order in which they are planned.
    fn gang_to_plan(&self, _: &Cluster, gang: Preemptor) -> Preemptor {
        gang
    }

    /// Checks whether a nomination holds against pods of every priority.
    fn nominations_block_all_priorities(&self) -> bool {
        false
    }

    /// Checks whether a nominated pod loses its nomination if a plan nominates the preemptor to the same node. A pod of the same gang never does: pods
    /// have left for each nomination of a gang (ruling R87 of coscheduling).
    fn may_take_nomination_of(&self, preemptor: &Preemptor, nominated: &PodInfo) -> bool {
        let is_own = preemptor.job.is_some() && nominated.attributes.job == preemptor.job;
        nominated.priority() < preemptor.priority && !is_own
    }

    /// Returns the pods that lose their nominations if there is no plan. `_searched`: the search ran.
    fn withdrawn_on_failure(&self, preemptor: &Preemptor, _searched: bool) -> Vec<PodIx> {
        preemptor.pods.clone()
    }

    /// Searches for a plan for the preemptor. The error is the obstacle.
    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle>;
}

/// Returns the search that a table of laws names.
pub fn for_laws(laws: &Laws) -> Box<dyn PreemptionSearch + '_> {
    match &laws.search {
        laws::SearchKind::RemoveAllThenReprieve => Box::new(WholeJobSearch),
        laws::SearchKind::NodeByNode(sample) => Box::new(NodeByNode { min_candidates: *sample }),
        laws::SearchKind::SmallestGroupOnNode(group) => Box::new(SmallestGroupSearch { group }),
        laws::SearchKind::JobBundles => Box::new(JobBundleSearch),
    }
}

/// Returns the pending pods of a job, the most important first, without those that no law judges ([`without_unsupported`]).
pub fn pending_members(cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
    let mut waiting: Vec<_> = cluster.members(preemptor).filter(|(_, member)| member.is_schedulable()).collect();
    laws.queue_order.sort_job(cluster, &mut waiting);
    without_unsupported(cluster, laws, waiting.into_iter().map(|(member, _)| member).collect())
}

/// Returns the pending pods of the job of a pod that is tried; that pod alone, where the others do without it.
pub fn pending_members_with(cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
    let pods = pending_members(cluster, laws, preemptor);
    let is_apart = cluster.pod(preemptor).is_some_and(PodInfo::is_schedulable) && !pods.contains(&preemptor);
    if is_apart { vec![preemptor] } else { pods }
}

/// The obstacle to a plan.
#[derive(Debug, Clone)]
pub enum PlanObstacle {
    /// No node fits a pod of the job, even after evicting every candidate.
    NoNode {
        /// The first pod that has no node.
        pod: PodIx,
        /// The number of pods of the job that got a node before it.
        planned: usize,
    },
    /// This node has free capacity without evictions once the leaving pods have left.
    NodeWillFit(NodeIx),
    /// All pods have free capacity without evictions once the leaving pods have left.
    GangWillFit,
    /// This waiting pod of another quota would evict the pods of the plan at once.
    WouldBeReclaimed(PodIx),
    /// A law denies, even after evicting every candidate.
    Law(ActiveLaw, Denial),
}
