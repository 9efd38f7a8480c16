//! Group on one node: the search of YuniKorn's preemption.
//!
//! On each node, the search gathers a group of victims that makes room for the preemptor under every limit. Free room and the room of
//! leaving pods count. A larger group breaks a broken floor even more, so it is not tried. Then every needless victim is reprieved.
//! Groups without protected pods are tried on all nodes first. The order of nodes chooses among the groups.
//!
//! Gathering is depth-first, the least important pod first. Of pods that are equal for the laws only the first is tried. It stops on a
//! node after [`STEPS`] steps; only then can it miss a group.

mod nodes;
mod trace;

use std::collections::BTreeSet;

use super::node_dry_run::{Ask, NodeDryRun};
use super::outlook::Outlook;
use super::reprieve::without_reprieve;
use super::{Obstacle, Plan, PreemptionContext, Search};
use crate::laws::{Case, Gate, Group, Laws, NodeCost, NodeVictims, Preemptor};
use crate::model::{Cluster, InterPodLack, NodeIx, Pod, PodIx, Trial, WhatIf};
use nodes::Nodes;

/// The maximum number of groups that are tried on one node.
const STEPS: u32 = 4096;

/// A node and the victims there.
struct PreemptionCandidate {
    node: NodeIx,
    victims: Vec<PodIx>,
    cost: NodeCost,
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
    let request = cluster.pod(context.preemptor.pod).map(|pod| pod.request.clone()).unwrap_or_default();
    cluster.prepare_search([&request]);
    let leaving = context.leaving(cluster);
    let outlook = Outlook::new(cluster, context, &leaving, [&request]);
    let mut trial = Trial::new(cluster);
    leaving.iter().for_each(|(ix, _)| trial.evict(*ix));
    trial.inner().prepare_search([&request]);
    let cluster = trial.cluster();
    let ask = Ask {
        pod: context.preemptor.pod,
        request: &request,
        what_if: &WhatIf::default(),
        earlier: &BTreeSet::new(),
        limits: None,
    };
    let mut nodes = Nodes::new(cluster, context, (group, &ask), outlook);
    if context.preemptor.required_node_reservation.is_none()
        && let Some(node) = nodes.first_with_room(cluster, context)
        && case(cluster, context, &[]).first_broken(&context.laws.gates).is_none()
    {
        return Err(Obstacle::Coming(node));
    }
    let Some(best) = nodes.cheapest(cluster, context) else {
        return Err(nodes.obstacle(cluster, context));
    };
    if context.notes.are_on() {
        trace::found(cluster, context, group, (&ask, &nodes.dry_runs()), &best);
    }
    Ok(Plan::by_node(context.preemptor.pod, vec![(context.preemptor.pod, best.node)], best.victims))
}

fn case<'a>(cluster: &'a Cluster, context: &PreemptionContext<'a>, group: &'a [PodIx]) -> Case<'a> {
    Case { group, ..context.preemptor.waiting(cluster, context.ledger) }
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
    let (violations, earlier) = (0, &BTreeSet::new());
    let cost =
        (context.laws.node_choice.by.loss)(&NodeVictims { cluster, victims: &chosen, violations, reasons, earlier });
    Some(PreemptionCandidate { node: dry_run.node, victims: chosen, cost })
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
