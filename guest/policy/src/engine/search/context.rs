//! What a search has to go by.

use super::refused::{is_placement_refused, refused_victim};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::Notes;
use crate::laws::{Denial, Laws, Preemptor, Rule};
use crate::model::{Amounts, Cluster, Ledger, Node, NodeIx, Pod, PodIx};

/// What a search has to go by.
pub struct PreemptionContext<'a> {
    /// Who asks.
    pub preemptor: &'a Preemptor,
    /// The laws in force.
    pub laws: &'a Laws,
    /// The plans under way.
    pub ledger: &'a Ledger,
    /// What the host refused of earlier plans.
    pub refuted: &'a Refuted,
    /// Where to record what the laws say.
    pub notes: &'a mut Notes,
}

impl PreemptionContext<'_> {
    /// Whether a pod holds its node only until it is gone.
    pub(super) fn is_leaving(&self, cluster: &Cluster, ix: PodIx) -> bool {
        cluster.pod(ix).is_some_and(|pod| pod.is_leaving()) || self.ledger.is_victim(ix)
    }

    /// The pods of other jobs for which room is kept on a node before the preemptor may have it.
    pub(super) fn promised<'c>(&self, cluster: &'c Cluster, node: &'c Node) -> impl Iterator<Item = &'c Pod> {
        let own = &self.preemptor.pods;
        cluster.promised(node, self.preemptor.pod).filter(move |(ix, _)| !own.contains(ix)).map(|(_, pod)| pod)
    }

    /// Whether every guard allows the eviction of a pod.
    pub(super) fn may_make_way(&mut self, cluster: &Cluster, ix: PodIx) -> bool {
        if cluster.pod(ix).is_none() {
            return false;
        }
        let barring = self.barring(cluster, ix);
        if let Some((rule, denial)) = &barring {
            self.notes.denial(cluster, Subject::Pod(ix.0), Outcome::Spared, rule, denial);
        }
        barring.is_none()
    }

    /// The first guard that denies the eviction of a pod, or the host, where it refused the pod as a victim.
    pub(super) fn barring(&self, cluster: &Cluster, ix: PodIx) -> Option<(Rule, Denial)> {
        let pod = cluster.pod(ix)?;
        let case = self.preemptor.planning(cluster, self.ledger);
        let denied =
            self.laws.guards.iter().find_map(|guard| Some((guard.rule, (guard.admits)(&case, ix, pod).err()?)));
        denied.or_else(|| refused_victim(self.refuted, cluster, ix))
    }

    /// The first limit that does not hold in a trial where the pods of the job have their nodes.
    pub(super) fn broken_limit(&self, cluster: &Cluster) -> Option<(Rule, Denial)> {
        let case = self.preemptor.placed(cluster, self.ledger);
        self.laws.limits.iter().find_map(|limit| (limit.holds)(&case).err().map(|denial| (limit.rule, denial)))
    }

    /// Whether a pod may be planned onto a node, regardless of the other pods.
    pub(super) fn may_run(&self, cluster: &Cluster, pod: PodIx, node: NodeIx) -> bool {
        !is_placement_refused(self.refuted, pod, node)
            && cluster.pod(pod).is_some_and(|pod| cluster.eligible(pod.shape, node))
    }

    /// The room of a node beside what is promised to pods of other jobs.
    pub(super) fn unpromised(&self, cluster: &Cluster, node: &Node) -> Amounts {
        let mut room = node.free.clone();
        self.promised(cluster, node).for_each(|other| room.subtract(&other.request));
        room
    }

    /// Candidates in the order in which they are reprieved.
    pub(super) fn in_reprieve_order(&self, cluster: &Cluster, mut candidates: Vec<PodIx>) -> Vec<PodIx> {
        candidates.sort_unstable_by(|a, b| match (cluster.pod(*a), cluster.pod(*b)) {
            (Some(a), Some(b)) => (self.laws.put_back.compare)(cluster, a, b),
            _ => a.cmp(b),
        });
        candidates
    }
}
