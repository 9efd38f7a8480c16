//! The searches for a plan. Each knows how to look, none knows a rule: what is allowed is asked of the laws.

pub mod bundles;
mod choices;
mod group_on_one_node;
mod node_by_node;
mod node_dry_run;
mod put_back;
mod remove_all_put_back;
mod tell;

pub use group_on_one_node::plan_group;
pub use node_by_node::plan_pod;
pub use remove_all_put_back::plan_job;

use crate::contract::{Outcome, Placement, Subject};
use crate::engine::Notes;
use crate::laws::{Denial, Laws, Preemptor, Rule};
use crate::model::{Cluster, Ledger, Node, NodeIx, Pod, PodIx};

/// What a search has to go by.
pub struct PreemptionContext<'a> {
    /// Who asks.
    pub preemptor: &'a Preemptor,
    /// The laws in force.
    pub laws: &'a Laws,
    /// The plans under way.
    pub ledger: &'a Ledger,
    /// Placements that the host refused.
    pub refuted: &'a [Placement],
    /// Where to record what the laws say.
    pub notes: &'a mut Notes,
}

/// A plan that would work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Who gets which node.
    pub nominations: Vec<(PodIx, NodeIx)>,
    /// Who makes way.
    pub victims: Vec<PodIx>,
}

/// Why there is no plan.
#[derive(Debug, Clone)]
pub enum Obstacle {
    /// A pod of the job finds no node, even with everybody gone who may make way.
    NoNode {
        /// The pod.
        pod: PodIx,
        /// How many pods of the job had found one.
        planned: usize,
    },
    /// This node has room without a plan as soon as those are gone who are leaving anyway.
    Coming(NodeIx),
    /// A limit does not hold, even with everybody gone who may make way.
    Limit(Rule, Denial),
}

impl PreemptionContext<'_> {
    /// Whether a pod holds its node only until it is gone.
    fn is_leaving(&self, cluster: &Cluster, ix: PodIx) -> bool {
        cluster.pod(ix).is_some_and(|pod| pod.is_leaving()) || self.ledger.is_victim(ix)
    }

    /// The pods of other jobs for which room is kept on a node before the asker may have it.
    fn promised<'c>(&self, cluster: &'c Cluster, node: &'c Node) -> impl Iterator<Item = &'c Pod> {
        let own = &self.preemptor.pods;
        cluster.promised(node, self.preemptor.pod).filter(move |(ix, _)| !own.contains(ix)).map(|(_, pod)| pod)
    }

    /// Whether every guard lets a pod make way.
    fn may_make_way(&mut self, cluster: &Cluster, ix: PodIx) -> bool {
        if cluster.pod(ix).is_none() {
            return false;
        }
        let barring = self.barring(cluster, ix);
        if let Some((rule, denial)) = &barring {
            self.notes.denial(cluster, Subject::Pod(ix.0), Outcome::Spared, rule, denial);
        }
        barring.is_none()
    }

    /// The first guard that does not let a pod make way.
    fn barring(&self, cluster: &Cluster, ix: PodIx) -> Option<(Rule, Denial)> {
        let pod = cluster.pod(ix)?;
        let case = self.preemptor.planning(cluster, self.ledger);
        self.laws.guards.iter().find_map(|guard| Some((guard.rule, (guard.admits)(&case, ix, pod).err()?)))
    }

    /// The first limit that does not hold in a trial where the pods of the job have their nodes.
    fn broken_limit(&self, cluster: &Cluster) -> Option<(Rule, Denial)> {
        let case = self.preemptor.placed(cluster, self.ledger);
        self.laws.limits.iter().find_map(|limit| (limit.holds)(&case).err().map(|denial| (limit.rule, denial)))
    }

    /// Whether a pod may be planned onto a node, whoever else is there.
    fn may_run(&self, cluster: &Cluster, pod: PodIx, node: NodeIx) -> bool {
        let refuted = self.refuted.iter().any(|placement| placement.pod == pod.0 && placement.node == node.0);
        !refuted && cluster.pod(pod).is_some_and(|pod| cluster.eligible(pod.shape, node))
    }
}
