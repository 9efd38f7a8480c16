//! Group on one node: the search of YuniKorn's preemption.
//!
//! On each node, a group of pods is gathered whose going makes room for the asking pod, with what is free and what is leaving
//! anyway counted, and under every limit. A group that breaks a floor is not made larger: that only breaks it more. Then every pod that is
//! not needed is reprieved, so that nobody of the group goes in vain. Groups without pods that should be spared are looked for
//! on all nodes before others; of several groups one is chosen.
//!
//! The gathering tries the least important first and turns back where that leads nowhere; pods that are alike for the laws are
//! tried once. It gives a node up after [`STEPS`] steps: the only way in which a group that exists can be missed.

mod trace;

use super::node_dry_run::NodeDryRun;
use super::reprieve::without_reprieve;
use super::{Obstacle, Plan, PreemptionContext, Search};
use crate::laws::{Case, Gate, Group, Laws, NodeCost, NodeVictims, Preemptor};
use crate::model::{Cluster, Node, NodeIx, Pod, PodIx, Request, Trial};

/// So many groups are looked at on one node, at most.
const STEPS: u32 = 4096;

/// A node that can be freed.
struct PreemptionCandidate {
    node: NodeIx,
    victims: Vec<PodIx>,
    /// What is lost there, and the rank of the node.
    loss: (NodeCost, u64),
}

/// The search for the smallest group of victims on one node.
pub struct GroupOnOneNode<'l> {
    /// What a group is gathered by.
    pub group: &'l Group,
}

impl Search for GroupOnOneNode<'_> {
    /// Pods are planned one by one.
    fn pods(&self, cluster: &Cluster, _: &Laws, preemptor: PodIx) -> Vec<PodIx> {
        cluster.pod(preemptor).filter(|pod| pod.is_schedulable()).map(|_| preemptor).into_iter().collect()
    }

    fn promises_are_firm(&self) -> bool {
        true
    }

    /// A nomination is lost only to a DaemonSet pod that may run on no other node.
    fn outranks(&self, preemptor: &Preemptor, nominated: &Pod) -> bool {
        preemptor.required_node_reservation.is_some() && nominated.required_node_reservation().is_none()
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<Plan, Obstacle> {
        plan_group(cluster, context, self.group)
    }
}

/// A plan for the asking pod; or what stood in the way.
fn plan_group(cluster: &mut Cluster, context: &mut PreemptionContext<'_>, group: &Group) -> Result<Plan, Obstacle> {
    let holds_a_node = |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| pod.place.node().is_some());
    let leaving = cluster.pods().map(|(ix, _)| ix).filter(|ix| holds_a_node(ix) && context.is_leaving(cluster, *ix));
    let leaving: Vec<PodIx> = leaving.collect();
    let mut trial = Trial::new(cluster);
    leaving.into_iter().for_each(|ix| trial.evict(ix));
    let cluster = trial.cluster();
    let request = cluster.pod(context.preemptor.pod).map(|pod| pod.request.clone()).unwrap_or_default();
    let dry_runs = dry_runs(cluster, context, group, &request);
    if context.preemptor.required_node_reservation.is_none()
        && let Some(dry_run) = dry_runs.iter().find(|dry_run| dry_run.room.lacks(&request).is_none())
        && context.laws.gates.iter().all(|gate| (gate.holds)(&case(cluster, context, &[])).is_ok())
    {
        return Err(Obstacle::Coming(dry_run.node));
    }
    for reasons in 0..4 {
        let mut best: Option<PreemptionCandidate> = None;
        for dry_run in &dry_runs {
            let found = offer(cluster, context, group, &request, dry_run, reasons);
            best = best.into_iter().chain(found).min_by_key(|offer| offer.loss);
        }
        if let Some(best) = best {
            if context.notes.are_on() {
                trace::found(cluster, context, group, (&request, &dry_runs), &best);
            }
            return Ok(Plan::by_node(context.preemptor.pod, vec![(context.preemptor.pod, best.node)], best.victims));
        }
    }
    if context.notes.are_on() {
        dry_runs.iter().for_each(|dry_run| trace::unfit(cluster, context, group, &request, dry_run));
    }
    let everybody: Vec<PodIx> = dry_runs.iter().flat_map(NodeDryRun::pods).collect();
    let case = case(cluster, context, &everybody);
    let broken = context.laws.limits.iter().find_map(|limit| Some((limit.rule, (limit.holds)(&case).err()?)));
    let nowhere = Obstacle::NoNode { pod: context.preemptor.pod, planned: 0 };
    Err(broken.map_or(nowhere, |(rule, denial)| Obstacle::Law(rule, denial)))
}

fn case<'a>(cluster: &'a Cluster, context: &PreemptionContext<'a>, group: &'a [PodIx]) -> Case<'a> {
    Case { group, ..context.preemptor.planning(cluster, context.ledger) }
}

/// The nodes that the asking pod may run on, and who may go there.
fn dry_runs(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    group: &Group,
    request: &Request,
) -> Vec<NodeDryRun> {
    let preemptor = context.preemptor.pod;
    let fits = |ix: NodeIx, node: &Node| {
        context.may_run(cluster, preemptor, ix)
            && node.allocatable.lacks(request).is_none()
            && !cluster.is_reserved_for_another(ix, node, preemptor)
    };
    let nodes: Vec<(NodeIx, &Node)> = cluster.nodes().filter(|(ix, node)| fits(*ix, node)).collect();
    let mut dry_runs = Vec::with_capacity(nodes.len());
    for (ix, node) in nodes {
        let mut room = node.free.clone();
        for (_, other) in cluster.nominated_on(node, preemptor) {
            room.subtract(&other.request);
        }
        let held = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.place.node().is_some());
        let mut candidates: Vec<PodIx> = node.pods.iter().copied().filter(held).collect();
        candidates.retain(|pod| context.may_make_way(cluster, *pod));
        let candidates = context.in_reprieve_order(cluster, candidates);
        let mut dry_run = NodeDryRun::new(cluster, (ix, node), room, candidates, 0);
        let case = context.preemptor.planning(cluster, context.ledger);
        for candidate in &mut dry_run.candidates {
            let pod = cluster.pod(candidate.pod);
            candidate.reluctance = pod.map_or(0, |pod| (group.last_resort.reasons)(&case, candidate.pod, pod));
        }
        dry_runs.push(dry_run);
    }
    dry_runs
}

/// The group on a node with no other reasons to spare its pods than these; none where there is none.
fn offer(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    group: &Group,
    request: &Request,
    dry_run: &NodeDryRun,
    reasons: u8,
) -> Option<PreemptionCandidate> {
    let allowed = || dry_run.candidates.iter().filter(|candidate| candidate.reluctance & !reasons == 0);
    if allowed().fold(0, |all, candidate| all | candidate.reluctance) != reasons {
        // The same candidates as for fewer reasons: nothing was found with them.
        return None;
    }
    let mut search = GroupSearch { cluster, context, floors: &group.floors, request, dry_run, steps: STEPS };
    let mut chosen = Vec::new();
    // The least important first.
    let mut pods: Vec<PodIx> = allowed().map(|candidate| candidate.pod).collect();
    pods.reverse();
    if !search.gather(&mut chosen, &pods) {
        return None;
    }
    // The weightiest reason to spare a pod first, then the most important.
    let spare =
        |ix: &PodIx| allowed().find(|candidate| candidate.pod == *ix).map_or(0, |candidate| candidate.reluctance);
    let mut order = chosen.clone();
    order.reverse();
    order.sort_by_key(|ix| std::cmp::Reverse(spare(ix)));
    without_reprieve(order, |ix| {
        let without: Vec<PodIx> = chosen.iter().copied().filter(|other| other != ix).collect();
        let stays = search.suffices(&without);
        if stays {
            chosen = without;
        }
        stays
    });
    let reasons = chosen.iter().fold(0, |all, ix| all | spare(ix));
    let loss = (context.laws.node_choice.loss)(&NodeVictims { cluster, victims: &chosen, violations: 0, reasons });
    Some(PreemptionCandidate { node: dry_run.node, victims: chosen, loss: (loss, dry_run.rank) })
}

/// The search for a group on one node.
struct GroupSearch<'a> {
    cluster: &'a Cluster,
    context: &'a PreemptionContext<'a>,
    floors: &'a [Gate],
    request: &'a Request,
    dry_run: &'a NodeDryRun,
    steps: u32,
}

impl GroupSearch<'_> {
    /// Adds some of the others to a group that keeps every floor, so that it suffices and still does; false where that is not
    /// possible, and the group is as before.
    fn gather(&mut self, chosen: &mut Vec<PodIx>, others: &[PodIx]) -> bool {
        if self.suffices(chosen) {
            return true;
        }
        let mut open = Vec::with_capacity(others.len());
        for ix in others {
            chosen.push(*ix);
            if self.keeps_floors(chosen) {
                open.push(*ix);
            }
            chosen.pop();
        }
        for (at, ix) in open.iter().enumerate() {
            let (before, rest) = open.split_at_checked(at).unwrap_or_default();
            let all: Vec<PodIx> = chosen.iter().chain(rest).copied().collect();
            if self.steps == 0 || !self.suffices(&all) {
                return false;
            }
            if before.iter().any(|other| self.are_alike(*other, *ix)) {
                continue;
            }
            self.steps = self.steps.saturating_sub(1);
            chosen.push(*ix);
            if self.gather(chosen, rest.get(1..).unwrap_or_default()) {
                return true;
            }
            chosen.pop();
        }
        false
    }

    /// Whether there is room, and under every limit, when a group goes.
    fn suffices(&self, group: &[PodIx]) -> bool {
        let room = self.dry_run.without(self.cluster, group);
        let case = case(self.cluster, self.context, group);
        room.lacks(self.request).is_none() && self.context.laws.limits.iter().all(|limit| (limit.holds)(&case).is_ok())
    }

    fn keeps_floors(&self, group: &[PodIx]) -> bool {
        let case = case(self.cluster, self.context, group);
        self.floors.iter().all(|floor| (floor.holds)(&case).is_ok())
    }

    /// Whether two pods are the same to every floor and limit.
    fn are_alike(&self, a: PodIx, b: PodIx) -> bool {
        let key = |ix| self.cluster.pod(ix).map(|pod| (pod.queue, &pod.request));
        key(a) == key(b)
    }
}
