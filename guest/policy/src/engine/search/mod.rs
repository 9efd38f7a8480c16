//! The searches for a plan. Each knows how to look, none knows a rule: what is allowed is asked of the laws.

pub mod bundles;
mod choices;
mod context;
mod group_on_one_node;
mod node_by_node;
mod node_dry_run;
mod refused;
mod remove_all_put_back;
mod reprieve;
mod reprieve_job;
mod trace;

pub use context::PreemptionContext;

use super::cycle::JobByJob;
use super::plan::Plan;
use crate::laws::{self, Denial, Laws, Preemptor, Rule};
use crate::model::{Cluster, NodeIx, Pod, PodIx};
use group_on_one_node::GroupOnOneNode;
use node_by_node::NodeByNode;
use remove_all_put_back::WholeJob;

/// A way to look for a plan: which pods it plans together, which promises it keeps, and what follows where it finds nothing.
pub trait Search {
    /// The pods that are asked about together with a pod, itself among them where it waits: here all of its job that wait, the most
    /// important first.
    fn pods(&self, cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
        waiting(cluster, laws, preemptor)
    }

    /// The pods of these for which a plan is needed, in the order in which they are planned.
    fn needed(&self, _: &Cluster, preemptor: &Preemptor) -> Vec<PodIx> {
        preemptor.pods.clone()
    }

    /// Whether room that is promised to a pod is kept from every other pod, whatever their priority.
    fn promises_are_firm(&self) -> bool {
        false
    }

    /// Whether a pod loses its nomination to a node that a plan gives to the preemptor.
    fn outranks(&self, preemptor: &Preemptor, nominated: &Pod) -> bool {
        nominated.priority() < preemptor.priority
    }

    /// The pods whose nominations are void where there is no plan, whether one was looked for or not.
    fn gives_up(&self, preemptor: &Preemptor, _searched: bool) -> Vec<PodIx> {
        preemptor.pods.clone()
    }

    /// A plan for the preemptor; or what stands in the way.
    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<Plan, Obstacle>;
}

/// The search that the laws name.
pub fn of(laws: &Laws) -> Box<dyn Search + '_> {
    match &laws.search {
        laws::Search::RemoveAllPutBack => Box::new(WholeJob),
        laws::Search::NodeByNode(sample) => Box::new(NodeByNode { sample: *sample }),
        laws::Search::GroupOnOneNode(group) => Box::new(GroupOnOneNode { group }),
        laws::Search::Bundles => Box::new(JobByJob),
    }
}

/// The pods of a job that wait, the most important first.
pub fn waiting(cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
    let mut waiting: Vec<_> = cluster.members(preemptor).filter(|(_, member)| member.is_pending()).collect();
    laws.queue_order.sort(cluster, &mut waiting);
    waiting.into_iter().map(|(member, _)| member).collect()
}

/// Why there is no plan.
#[derive(Debug, Clone)]
pub enum Obstacle {
    /// A pod of the job finds no node, even with every candidate evicted.
    NoNode {
        /// The pod.
        pod: PodIx,
        /// How many pods of the job had found one.
        planned: usize,
    },
    /// This node has room without a plan as soon as the leaving pods are gone.
    Coming(NodeIx),
    /// All pods have room without a plan as soon as the leaving pods are gone.
    Room,
    /// A law does not hold, even with every candidate evicted.
    Law(Rule, Denial),
}
