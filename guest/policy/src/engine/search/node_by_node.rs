//! Node by node: the search of kube-scheduler's default preemption.
//!
//! On each node that could take the pod: everybody is taken away who may make way, and put back as long as the pod still fits, those
//! first whose disruption budget is exhausted, of these and of the others the more important first. Of the nodes that come out of
//! this, one is chosen.
//!
//! Upstream `pkg/scheduler/framework/preemption` and `plugins/defaultpreemption`: dryRunPreemption, SelectVictimsOnNode,
//! filterPodsWithPDBViolation, pickOneNodeForPreemption. Upstream begins at a random node and stops when it has seen enough; here it
//! begins at the first by name, so that the answer is the same each time.

mod told;

use super::remove_all_put_back::plan_job;
use super::tell::Full;
use super::{Obstacle, Plan, PreemptionContext, Search};
use crate::laws::{NodeCost, NodeVictims, Preemptor, Sample};
use crate::model::{Amounts, Cluster, Node, NodeIx, PodIx, Request};

/// A node that could be freed.
struct PreemptionCandidate {
    node: NodeIx,
    victims: Vec<PodIx>,
    violations: usize,
    /// What is lost there, and the rank of the node.
    loss: (NodeCost, u64),
}

/// The search node by node, for one pod. A gang that needs more of its pods is planned as a whole.
pub struct NodeByNode {
    /// How many nodes that offer a plan are looked at.
    pub sample: Sample,
}

impl Search for NodeByNode {
    /// A gang is planned as far as it needs to be complete, the preemptor first: evicting for less would help no pod, and evicting for
    /// more is not called for.
    fn needed(&self, cluster: &Cluster, preemptor: &Preemptor) -> Vec<PodIx> {
        let gang = preemptor.job.and_then(|job| cluster.job(job)).and_then(|job| job.gang());
        let minimum = gang.map_or(0, |gang| usize::try_from(gang.minimum).unwrap_or(usize::MAX));
        let members = cluster.members(preemptor.pod);
        let held = members.filter(|(_, pod)| pod.place.node().is_some() && !pod.terminating).count();
        // A pod with a nomination keeps it within the plan: another pod in its place would be planned beside it.
        let is_promised = |ix: PodIx| cluster.pod(ix).is_some_and(|pod| pod.nominated.is_some());
        let mut pods = preemptor.pods.clone();
        pods.sort_by_key(|ix| (*ix != preemptor.pod, !is_promised(*ix)));
        pods.truncate(minimum.saturating_sub(held).max(1));
        pods
    }

    /// Only the preemptor: the plan of other pods of its gang may be under way.
    fn gives_up(&self, preemptor: &Preemptor, _: bool) -> Vec<PodIx> {
        vec![preemptor.pod]
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<Plan, Obstacle> {
        match context.preemptor.pods.len() {
            0 | 1 => plan_pod(cluster, context, self.sample),
            _ => plan_job(cluster, context),
        }
    }
}

/// A plan for the asking pod; or what stood in the way.
fn plan_pod(cluster: &Cluster, context: &mut PreemptionContext<'_>, sample: Sample) -> Result<Plan, Obstacle> {
    let preemptor = context.preemptor.pod;
    let mut nodes: Vec<(NodeIx, &Node)> =
        cluster.nodes().filter(|(ix, _)| context.may_run(cluster, preemptor, *ix)).collect();
    let request = cluster.pod(preemptor).map(|pod| pod.request.clone()).unwrap_or_default();
    nodes.retain(|(_, node)| node.allocatable.lacks(&request).is_none());
    nodes.sort_unstable_by_key(|(_, node)| node.rank);
    let enough = sample.of(nodes.len());
    let mut offers: Vec<PreemptionCandidate> = Vec::new();
    for (at, (ix, node)) in nodes.iter().enumerate() {
        offers.extend(offer(cluster, context, *ix, node, &request));
        if offers.len() >= enough && offers.iter().any(|offer| offer.violations == 0) {
            told::not_looked_at(context, nodes.get(at.saturating_add(1)..).unwrap_or_default(), offers.len());
            break;
        }
    }
    if context.notes.are_on() {
        told::offers(cluster, context, &offers, &request);
    }
    let Some(best) = offers.into_iter().min_by_key(|offer| offer.loss) else {
        return Err(Obstacle::NoNode { pod: preemptor, planned: 0 });
    };
    let victims = best.victims.into_iter().filter(|ix| !context.is_leaving(cluster, *ix)).collect();
    Ok(Plan::by_node(preemptor, vec![(preemptor, best.node)], victims))
}

/// What freeing a node would cost; none where it cannot be freed.
fn offer(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    ix: NodeIx,
    node: &Node,
    request: &Request,
) -> Option<PreemptionCandidate> {
    let mut candidates: Vec<PodIx> = Vec::new();
    for pod in &node.pods {
        if context.may_make_way(cluster, *pod) {
            candidates.push(*pod);
        }
    }
    let mut room = node.free.clone();
    for other in context.promised(cluster, node) {
        room.subtract(&other.request);
    }
    for candidate in &candidates {
        room.add(&cluster.frees(*candidate));
    }
    if candidates.is_empty() || room.lacks(request).is_some() {
        if context.notes.are_on() {
            context.tell_full(cluster, &Full { node: ix, candidates: &candidates, room: &room, request });
        }
        return None;
    }
    candidates.sort_unstable_by(|a, b| match (cluster.pod(*a), cluster.pod(*b)) {
        (Some(a), Some(b)) => (context.laws.put_back.compare)(cluster, a, b),
        _ => a.cmp(b),
    });
    // Who is leaving anyway is put back last: nobody else goes for it.
    let (leaving, staying): (Vec<PodIx>, Vec<PodIx>) =
        candidates.iter().partition(|ix| context.is_leaving(cluster, **ix));
    let (protected, open) = cluster.split_by_budget(&staying);
    let mut victims = reprieve(cluster, &mut room, request, &protected);
    let violations = victims.len();
    victims.extend(reprieve(cluster, &mut room, request, &open));
    victims.extend(reprieve(cluster, &mut room, request, &leaving));
    let loss = (context.laws.node_choice.loss)(&NodeVictims { cluster, victims: &victims, violations, reasons: 0 });
    Some(PreemptionCandidate { node: ix, victims, violations, loss: (loss, node.rank) })
}

/// Puts back whom one can beside the asker; who is left is returned.
fn reprieve(cluster: &Cluster, room: &mut Amounts, request: &Request, candidates: &[PodIx]) -> Vec<PodIx> {
    let mut victims = Vec::new();
    for ix in candidates {
        let frees = cluster.frees(*ix);
        room.subtract(&frees);
        if room.lacks(request).is_some() {
            room.add(&frees);
            victims.push(*ix);
        }
    }
    victims
}
