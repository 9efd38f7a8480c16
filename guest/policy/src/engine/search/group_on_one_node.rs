//! Group on one node: the search of YuniKorn's preemption.
//!
//! On each node, the search gathers a group of victims that makes room for the preemptor under every limit. Free room and the room of
//! leaving pods count. A larger group breaks a broken floor even more, so it is not tried. Then every needless victim is reprieved.
//! Groups without protected pods are tried on all nodes first. The order of nodes chooses among the groups.
//!
//! Gathering is depth-first, the least important pod first. Of pods that are equal for the laws only the first is tried. It stops on a
//! node after [`STEPS`] steps; only then can it miss a group.

mod trace;

use super::node_dry_run::{Ask, NodeDryRun};
use super::reprieve::without_reprieve;
use super::{Obstacle, Plan, PreemptionContext, Search};
use crate::laws::{Case, Gate, Group, Laws, NodeCost, NodeVictims, Preemptor};
use crate::model::{Cluster, InterPodLack, Node, NodeIx, Pod, PodIx, Request, Trial, WhatIf};

/// The maximum number of groups that are tried on one node.
const STEPS: u32 = 4096;

/// A node and the victims there.
struct PreemptionCandidate {
    node: NodeIx,
    victims: Vec<PodIx>,
    /// The cost, and the rank of the node.
    loss: (NodeCost, u64),
}

/// The search for the smallest group of victims on one node.
pub struct GroupOnOneNode<'l> {
    /// The floors, and which victims are the last resort.
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

/// A plan for the preemptor, or the obstacle.
fn plan_group(cluster: &mut Cluster, context: &mut PreemptionContext<'_>, group: &Group) -> Result<Plan, Obstacle> {
    let holds_a_node = |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| pod.place.node().is_some());
    let leaving = cluster.pods().map(|(ix, _)| ix).filter(|ix| holds_a_node(ix) && context.is_leaving(cluster, *ix));
    let leaving: Vec<PodIx> = leaving.collect();
    let mut trial = Trial::new(cluster);
    leaving.into_iter().for_each(|ix| trial.evict(ix));
    let cluster = trial.cluster();
    let request = cluster.pod(context.preemptor.pod).map(|pod| pod.request.clone()).unwrap_or_default();
    let dry_runs = dry_runs(cluster, context, group, &request);
    let ask = Ask { pod: context.preemptor.pod, request: &request, what_if: &WhatIf::default(), limits: None };
    let takes = |dry_run: &&NodeDryRun| {
        dry_run.room.lacks(&request).is_none() && dry_run.lack_without(cluster, &ask, &[]).is_none()
    };
    if context.preemptor.required_node_reservation.is_none()
        && let Some(dry_run) = dry_runs.iter().find(takes)
        && case(cluster, context, &[]).first_broken(&context.laws.gates).is_none()
    {
        return Err(Obstacle::Coming(dry_run.node));
    }
    for reasons in 0..4 {
        let mut best: Option<PreemptionCandidate> = None;
        for dry_run in &dry_runs {
            let found = offer(cluster, context, group, &ask, dry_run, reasons);
            best = best.into_iter().chain(found).min_by_key(|offer| offer.loss);
        }
        if let Some(best) = best {
            if context.notes.are_on() {
                trace::found(cluster, context, group, (&ask, &dry_runs), &best);
            }
            return Ok(Plan::by_node(context.preemptor.pod, vec![(context.preemptor.pod, best.node)], best.victims));
        }
    }
    if context.notes.are_on() {
        dry_runs.iter().for_each(|dry_run| trace::unfit(cluster, context, group, &ask, dry_run));
    }
    let all: Vec<PodIx> = dry_runs.iter().flat_map(NodeDryRun::pods).collect();
    let broken = case(cluster, context, &all).first_broken(&context.laws.limits);
    let nowhere = Obstacle::NoNode { pod: context.preemptor.pod, planned: 0 };
    Err(broken.map_or(nowhere, |(rule, denial)| Obstacle::Law(rule, denial)))
}

fn case<'a>(cluster: &'a Cluster, context: &PreemptionContext<'a>, group: &'a [PodIx]) -> Case<'a> {
    Case { group, ..context.preemptor.planning(cluster, context.ledger) }
}

/// The nodes that the preemptor may run on, with their candidates.
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
    let promised = |node: &Node| cluster.nominated_on(node, preemptor).map(|(ix, _)| ix).collect();
    let nominated = cluster.nominated_between(preemptor, promised);
    let mut dry_runs = Vec::with_capacity(nodes.len());
    for (ix, node) in nodes {
        let mut room = node.free.clone();
        for (_, other) in cluster.nominated_on(node, preemptor) {
            room.subtract(&other.request);
        }
        let held = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.place.node().is_some());
        let mut candidates: Vec<PodIx> = node.pods.iter().copied().filter(held).collect();
        candidates.retain(|pod| context.is_candidate(cluster, *pod));
        let candidates = context.in_reprieve_order(cluster, candidates);
        let nominated = nominated.clone();
        let mut dry_run = NodeDryRun { nominated, ..NodeDryRun::new(cluster, (ix, node), room, candidates, 0) };
        let case = context.preemptor.planning(cluster, context.ledger);
        for candidate in &mut dry_run.candidates {
            let pod = cluster.pod(candidate.pod);
            candidate.reluctance = pod.map_or(0, |pod| (group.last_resort.reasons)(&case, candidate.pod, pod));
        }
        dry_runs.push(dry_run);
    }
    dry_runs
}

/// The group on a node whose pods have no other reasons for protection than these.
fn offer(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    group: &Group,
    ask: &Ask<'_>,
    dry_run: &NodeDryRun,
    reasons: u8,
) -> Option<PreemptionCandidate> {
    let allowed = || dry_run.candidates.iter().filter(|candidate| candidate.reluctance & !reasons == 0);
    if allowed().fold(0, |all, candidate| all | candidate.reluctance) != reasons {
        // The same candidates as for fewer reasons: nothing was found with them.
        return None;
    }
    let mut search = GroupSearch { cluster, context, floors: &group.floors, ask, dry_run, steps: STEPS };
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
    ask: &'a Ask<'a>,
    dry_run: &'a NodeDryRun,
    steps: u32,
}

impl GroupSearch<'_> {
    /// Extends a group by some of the others until it suffices and keeps every floor. If that is impossible, the group is unchanged.
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
            if self.steps == 0 || !self.may_suffice(&all) {
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

    /// Whether the preemptor fits, under every limit, without the pods of a group, and the other pods allow it.
    fn suffices(&self, group: &[PodIx]) -> bool {
        self.has_room_without(group) && self.dry_run.lack_without(self.cluster, self.ask, group).is_none()
    }

    /// Whether some of the pods of a group may suffice: evicting more never helps where the preemptor needs one of them.
    fn may_suffice(&self, group: &[PodIx]) -> bool {
        let lack = || self.dry_run.lack_without(self.cluster, self.ask, group);
        self.has_room_without(group) && lack().is_none_or(|lack| lack == InterPodLack::Affinity)
    }

    fn has_room_without(&self, group: &[PodIx]) -> bool {
        let room = self.dry_run.without(self.cluster, group);
        let case = case(self.cluster, self.context, group);
        room.lacks(self.ask.request).is_none() && case.first_broken(&self.context.laws.limits).is_none()
    }

    fn keeps_floors(&self, group: &[PodIx]) -> bool {
        case(self.cluster, self.context, group).first_broken(self.floors).is_none()
    }

    /// Whether two pods are the same to every floor and limit, and to the preemptor.
    fn are_alike(&self, a: PodIx, b: PodIx) -> bool {
        let key = |ix| self.cluster.pod(ix).map(|pod| (pod.queue, &pod.request, pod.inter_pod));
        key(a) == key(b)
    }
}
