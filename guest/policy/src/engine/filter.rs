//! Filter: which nodes take this pod?

mod verdicts;

use std::collections::BTreeSet;

use verdicts::NodeFitCodes;

use crate::contract::*;
use crate::model::{
    Amounts, CapacityScan, Cluster, DomainCountOverlay, Insufficient, NodeInfo, NodeIx, NominatedConstraints, PodIx,
    ReservationAllocation, ResourceRequest, ShapeIx,
};

use super::closed_nominations::{closed_to, is_above_a_nomination};
use super::{Engine, room, search};

/// The verdict on a node number that no node has.
const NO_NODE: room::NodeFit = room::NodeFit::Ineligible;

/// A pod in an attempt, with what decides whether a node takes it.
#[derive(Clone, Copy)]
struct FilterRequest<'a> {
    pod: PodIx,
    /// Whether capacity that is promised to any other pod is kept.
    blocks_all_priorities: bool,
    /// Pods of lower priority whose promised capacity is kept, too.
    closed_nominations: &'a BTreeSet<PodIx>,
    request: &'a ResourceRequest,
    /// The amounts that the pod takes of the node: its request, or what is left of the request with a reservation there.
    net_request: &'a ResourceRequest,
    may_use_reservation: bool,
    /// The nominated pods, where constraints between pods concern this pod.
    nominated_constraints: Option<&'a NominatedConstraints>,
}

impl Engine {
    /// Implements `placement.filter`: returns the verdict of each node on a pod, and the obstacles that the verdicts name.
    pub fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        let (firm, ix) = (search::for_laws(self.laws()?).nominations_block_all_priorities(), PodIx(pod));
        let pod = self.cluster.pod(ix).ok_or(PolicyError::UnknownPod(pod))?;
        let (shape, request) = (pod.requirements.shape, pod.request().clone());
        let closed = if firm { BTreeSet::new() } else { self.closed_to(ix)? };
        self.cluster.prepare_scan(&request);
        let may_use_reservation = self.cluster.may_use_reservation(ix);
        let nominated = self
            .cluster
            .nominated_constraints_for(ix, |node| blocking_nominations(&self.cluster, node, (ix, firm, &closed)));
        let others = self.cluster.has_inter_pod_terms(ix).then_some(&nominated);
        let ask = FilterRequest {
            pod: ix,
            blocks_all_priorities: firm,
            closed_nominations: &closed,
            request: &request,
            net_request: &request,
            may_use_reservation,
            nominated_constraints: others,
        };
        let verdicts = scan(&self.cluster, shape, &ask);
        self.trace.resume(ix);
        if self.trace.is_recording() {
            self.explain_all_nodes(&ask, &verdicts);
        }
        let obstacles = verdicts.distinct.iter().map(|verdict| verdict.obstacle(&self.cluster)).collect();
        Ok(NodeVerdicts { codes: verdicts.codes, obstacles })
    }

    /// Returns the nominated pods of lower priority whose promised capacity is closed to a pod and its job.
    fn closed_to(&mut self, ix: PodIx) -> Result<BTreeSet<PodIx>, PolicyError> {
        if !is_above_a_nomination(&self.cluster, ix) {
            return Ok(BTreeSet::new());
        }
        self.recompute();
        let Engine { system, cluster, plans_in_flight: ledger, .. } = self;
        let laws = system.as_ref().ok_or(PolicyError::NotConfigured)?.laws();
        Ok(closed_to((cluster, ledger), laws, ix))
    }

    /// Explains for every node why it does not take a pod.
    fn explain_all_nodes(&mut self, ask: &FilterRequest<'_>, verdicts: &NodeFitCodes) {
        for (at, code) in (0u32..).map(NodeIx).zip(&verdicts.codes) {
            let Some(verdict) = verdicts.decode(*code) else { continue };
            let reservation = ask.reservation(&self.cluster, at);
            self.explain_node(at, &ask.with_reservation(reservation.as_ref()), verdict);
        }
    }

    /// Explains why a node does not take a pod, with the amounts of both. Where the pod may not run on the node, only the host knows why.
    fn explain_node(&mut self, ix: NodeIx, ask: &FilterRequest<'_>, verdict: room::NodeFit) {
        let Some(node) = self.cluster.node(ix) else { return };
        let lack = match verdict {
            room::NodeFit::Fits | room::NodeFit::Ineligible => return,
            room::NodeFit::PinnedForDaemonPod | room::NodeFit::InterPod(_) | room::NodeFit::ReservedElsewhere => None,
            room::NodeFit::InsufficientAllocatable(_) => {
                room::InsufficientResources::of(&node.allocatable, ask.request)
            }
            room::NodeFit::InsufficientFree(_) => room::InsufficientResources::of(&node.free, ask.net_request),
            room::NodeFit::NominatedToOthers(_) => {
                let promised = blocking_nominations(&self.cluster, node, ask.nomination_filter());
                room::InsufficientResources::of(&free_after_nominated(&self.cluster, node, &promised), ask.net_request)
            }
        };
        let reason = verdict.obstacle(&self.cluster).reason;
        let reason = match lack {
            Some(lack) => lack.detail(&self.cluster).reason(&reason.code),
            None => reason,
        };
        self.trace.add(Subject::Node(ix.0), Outcome::Barred, || reason);
    }
}

impl<'a> FilterRequest<'a> {
    /// Returns the fields that decide which nominated pods keep their capacity from the pod.
    fn nomination_filter(&self) -> (PodIx, bool, &BTreeSet<PodIx>) {
        (self.pod, self.blocks_all_priorities, self.closed_nominations)
    }

    /// Returns the reservation that the pod would use on a node. `None`: it uses none there.
    fn reservation(&self, cluster: &Cluster, node: NodeIx) -> Option<ReservationAllocation> {
        if self.may_use_reservation { cluster.reservation_allocation(self.pod, node) } else { None }
    }

    /// Returns the same ask with the smaller amounts that the pod takes where it uses this reservation.
    fn with_reservation<'b>(&'b self, reservation: Option<&'b ReservationAllocation>) -> FilterRequest<'b> {
        FilterRequest {
            net_request: reservation.map_or(self.net_request, |reservation| &reservation.beyond_reservation),
            ..*self
        }
    }
}

/// Returns the verdicts of all nodes on a pod. Dense lists decide most nodes; a node itself is read only where more than its capacity counts.
#[inline(never)]
fn scan(cluster: &Cluster, shape: ShapeIx, ask: &FilterRequest<'_>) -> NodeFitCodes {
    let (rooms, eligible) = (cluster.scan(ask.request), cluster.eligible_node_bits(shape));
    // A pod that uses a reservation needs less free capacity than it requests, so the lists would be wrong.
    let lists_decide = !ask.may_use_reservation && CapacityScan::supports(ask.request);
    let any_may_be_kept = ask.blocks_all_priorities && cluster.required_node_reservations().next().is_some();
    let lacking = rooms.first_insufficient(cluster.node_span());
    let meant = |lacking| match rooms.decode(lacking) {
        Some(Insufficient::Allocatable(resource)) => room::NodeFit::InsufficientAllocatable(resource),
        Some(Insufficient::Free(resource)) => room::NodeFit::InsufficientFree(resource),
        None => room::NodeFit::Fits,
    };
    let (mut verdicts, mut inside) = (NodeFitCodes::with_capacity(lacking.len()), Vec::new());
    for (word, lacking) in lacking.chunks(CapacityScan::WORD).enumerate() {
        let takes_part = eligible.get(word).copied().unwrap_or(0) & rooms.present(word);
        let by_node =
            if any_may_be_kept || ask.nominated_constraints.is_some() { u64::MAX } else { rooms.nominated(word) };
        if lists_decide && by_node == 0 && takes_part.count_ones().try_into() == Ok(lacking.len()) {
            verdicts.push_scan_codes(lacking, meant);
            continue;
        }
        for (bit, lacking) in (0u32..).zip(lacking) {
            if (takes_part >> bit) & 1 == 0 {
                verdicts.push(NO_NODE);
            } else if !lists_decide || *lacking == 0 && (by_node >> bit) & 1 == 1 {
                let (verdict, uses_reservation) = evaluate_node(cluster, verdicts.next(), ask);
                if uses_reservation && verdict == room::NodeFit::Fits {
                    inside.push(verdicts.codes.len());
                }
                verdicts.push(verdict);
            } else {
                verdicts.push_scan_code(*lacking, meant);
            }
        }
    }
    if !inside.is_empty() {
        verdicts.prefer_reservations(&inside);
    }
    verdicts
}

/// Returns the verdict of a node, read from the node itself, and whether the pod uses a reservation there.
#[cold]
fn evaluate_node(cluster: &Cluster, ix: NodeIx, ask: &FilterRequest<'_>) -> (room::NodeFit, bool) {
    let Some(node) = cluster.node(ix) else { return (NO_NODE, false) };
    let reservation = ask.reservation(cluster, ix);
    let verdict = check_node(cluster, (ix, node), &ask.with_reservation(reservation.as_ref()));
    let verdict =
        ask.nominated_constraints.map_or(verdict, |others| check_inter_pod(cluster, (ask.pod, ix), others, verdict));
    (verdict, reservation.is_some())
}

/// Returns the verdict of a node on the capacity for a pod, keeping what is promised to others.
#[inline]
fn check_node(cluster: &Cluster, (ix, node): (NodeIx, &NodeInfo), ask: &FilterRequest<'_>) -> room::NodeFit {
    if let Some(resource) = node.allocatable.lacks(ask.request) {
        return room::NodeFit::InsufficientAllocatable(resource);
    }
    if let Some(resource) = node.free.lacks(ask.net_request) {
        return room::NodeFit::InsufficientFree(resource);
    }
    if ask.blocks_all_priorities && cluster.is_pinned_for_other(ix, node, ask.pod) {
        return room::NodeFit::PinnedForDaemonPod;
    }
    if node.nominated.is_empty() { room::NodeFit::Fits } else { check_after_nominated(cluster, node, ask) }
}

/// Returns the verdict of a node with nominated pods on the capacity that is left for a pod. Kept out of the scan, as few nodes have any.
#[cold]
fn check_after_nominated(cluster: &Cluster, node: &NodeInfo, ask: &FilterRequest<'_>) -> room::NodeFit {
    let left = free_after_nominated(cluster, node, &blocking_nominations(cluster, node, ask.nomination_filter()));
    left.lacks(ask.net_request).map_or(room::NodeFit::Fits, room::NodeFit::NominatedToOthers)
}

/// Returns the verdict on a node with enough capacity, after the constraints between the pod, the other pods and the nominated pods.
#[cold]
fn check_inter_pod(
    cluster: &Cluster,
    (pod, node): (PodIx, NodeIx),
    nominated: &NominatedConstraints,
    verdict: room::NodeFit,
) -> room::NodeFit {
    match verdict {
        room::NodeFit::Fits | room::NodeFit::NominatedToOthers(_) => {
            let allowed = cluster.allows_with_nominated(pod, node, &DomainCountOverlay::default(), nominated);
            allowed.map_or_else(room::NodeFit::InterPod, |()| verdict)
        }
        _ => verdict,
    }
}

/// Returns the nominated pods whose capacity on a node is kept from a pod.
fn blocking_nominations(
    cluster: &Cluster,
    node: &NodeInfo,
    (pod, firm, closed): (PodIx, bool, &BTreeSet<PodIx>),
) -> Vec<PodIx> {
    if firm {
        return cluster.nominated_any_priority(node, pod).map(|(other, _)| other).collect();
    }
    let priority = cluster.pod(pod).map_or(i32::MIN, |pod| pod.priority());
    cluster.blocking_nominations_from(node, pod, priority, closed).map(|(other, _)| other).collect()
}

/// Returns the free capacity of a node less the requests of these nominated pods.
fn free_after_nominated(cluster: &Cluster, node: &NodeInfo, promised: &[PodIx]) -> Amounts {
    let mut left: Amounts = node.free.clone();
    for other in promised.iter().filter_map(|other| cluster.pod(*other)) {
        left.subtract(other.request());
    }
    left
}
