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
    firm: bool,
    /// Pods of lower priority whose promised capacity is kept, too.
    closed: &'a BTreeSet<PodIx>,
    request: &'a ResourceRequest,
    /// The amounts that the pod takes of the node: its request, or what is left of the request with a reservation there.
    takes: &'a ResourceRequest,
    may_use_reservation: bool,
    /// The nominated pods, where constraints between pods concern this pod.
    others: Option<&'a NominatedConstraints>,
}

impl Engine {
    /// Implements `placement.filter`: returns the verdict of each node on a pod, and the obstacles that the verdicts name.
    pub fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        let (firm, ix) = (search::of(self.laws()?).promises_are_firm(), PodIx(pod));
        let pod = self.cluster.pod(ix).ok_or(PolicyError::UnknownPod(pod))?;
        let (shape, request) = (pod.shape, pod.request.clone());
        let closed = if firm { BTreeSet::new() } else { self.closed_to(ix)? };
        self.cluster.prepare_scan(&request);
        let may_use_reservation = self.cluster.may_use_reservation(ix);
        let nominated = self.cluster.nominated_between(ix, |node| promised(&self.cluster, node, (ix, firm, &closed)));
        let others = self.cluster.is_between(ix).then_some(&nominated);
        let ask = FilterRequest {
            pod: ix,
            firm,
            closed: &closed,
            request: &request,
            takes: &request,
            may_use_reservation,
            others,
        };
        let verdicts = scan(&self.cluster, shape, &ask);
        if self.notes.are_on() {
            self.notes.resume(ix);
            self.tell_all(&ask, &verdicts);
        }
        let obstacles = verdicts.seen.iter().map(|verdict| verdict.obstacle(&self.cluster)).collect();
        Ok(NodeVerdicts { codes: verdicts.codes, obstacles })
    }

    /// Returns the nominated pods of lower priority whose promised capacity is closed to a pod and its job.
    fn closed_to(&mut self, ix: PodIx) -> Result<BTreeSet<PodIx>, PolicyError> {
        if !is_above_a_nomination(&self.cluster, ix) {
            return Ok(BTreeSet::new());
        }
        self.recompute();
        let Engine { system, cluster, ledger, .. } = self;
        let laws = system.as_ref().ok_or(PolicyError::NotConfigured)?.laws();
        Ok(closed_to((cluster, ledger), laws, ix))
    }

    /// Explains for every node why it does not take a pod.
    fn tell_all(&mut self, ask: &FilterRequest<'_>, verdicts: &NodeFitCodes) {
        for (at, code) in (0u32..).map(NodeIx).zip(&verdicts.codes) {
            let Some(verdict) = verdicts.meant(*code) else { continue };
            let reservation = ask.reservation(&self.cluster, at);
            self.tell(at, &ask.using(reservation.as_ref()), verdict);
        }
    }

    /// Explains why a node does not take a pod, with the amounts of both. Where the pod may not run on the node, only the host knows why.
    fn tell(&mut self, ix: NodeIx, ask: &FilterRequest<'_>, verdict: room::NodeFit) {
        let Some(node) = self.cluster.node(ix) else { return };
        let lack = match verdict {
            room::NodeFit::Fits | room::NodeFit::Ineligible => return,
            room::NodeFit::Kept | room::NodeFit::InterPod(_) | room::NodeFit::Elsewhere => None,
            room::NodeFit::TooSmall(_) => room::InsufficientResources::of(&node.allocatable, ask.request),
            room::NodeFit::Full(_) => room::InsufficientResources::of(&node.free, ask.takes),
            room::NodeFit::Promised(_) => {
                let promised = promised(&self.cluster, node, ask.keeps());
                room::InsufficientResources::of(&left(&self.cluster, node, &promised), ask.takes)
            }
        };
        let reason = verdict.obstacle(&self.cluster).reason;
        let reason = match lack {
            Some(lack) => lack.detail(&self.cluster).reason(&reason.code),
            None => reason,
        };
        self.notes.add(Subject::Node(ix.0), Outcome::Barred, || reason);
    }
}

impl<'a> FilterRequest<'a> {
    /// Returns the fields that decide which nominated pods keep their capacity from the pod.
    fn keeps(&self) -> (PodIx, bool, &BTreeSet<PodIx>) {
        (self.pod, self.firm, self.closed)
    }

    /// Returns the reservation that the pod would use on a node. `None`: it uses none there.
    fn reservation(&self, cluster: &Cluster, node: NodeIx) -> Option<ReservationAllocation> {
        if self.may_use_reservation { cluster.reservation_allocation(self.pod, node) } else { None }
    }

    /// Returns the same ask with the smaller amounts that the pod takes where it uses this reservation.
    fn using<'b>(&'b self, reservation: Option<&'b ReservationAllocation>) -> FilterRequest<'b> {
        FilterRequest { takes: reservation.map_or(self.takes, |reservation| &reservation.beside), ..*self }
    }
}

/// Returns the verdicts of all nodes on a pod. Dense lists decide most nodes; a node itself is read only where more than its capacity counts.
#[inline(never)]
fn scan(cluster: &Cluster, shape: ShapeIx, ask: &FilterRequest<'_>) -> NodeFitCodes {
    let (rooms, eligible) = (cluster.scan(ask.request), cluster.eligible_words(shape));
    // A pod that uses a reservation needs less free capacity than it requests, so the lists would be wrong.
    let lists_decide = !ask.may_use_reservation && CapacityScan::takes(ask.request);
    let any_may_be_kept = ask.firm && cluster.required_node_reservations().next().is_some();
    let lacking = rooms.lacking(cluster.node_span());
    let meant = |lacking| match rooms.meant(lacking) {
        Some(Insufficient::AtAll(resource)) => room::NodeFit::TooSmall(resource),
        Some(Insufficient::Now(resource)) => room::NodeFit::Full(resource),
        None => room::NodeFit::Fits,
    };
    let (mut verdicts, mut inside) = (NodeFitCodes::with_capacity(lacking.len()), Vec::new());
    for (word, lacking) in lacking.chunks(CapacityScan::WORD).enumerate() {
        let takes_part = eligible.get(word).copied().unwrap_or(0) & rooms.present(word);
        let by_node = if any_may_be_kept || ask.others.is_some() { u64::MAX } else { rooms.nominated(word) };
        if lists_decide && by_node == 0 && takes_part.count_ones().try_into() == Ok(lacking.len()) {
            verdicts.push_numbers(lacking, meant);
            continue;
        }
        for (bit, lacking) in (0u32..).zip(lacking) {
            if (takes_part >> bit) & 1 == 0 {
                verdicts.push(NO_NODE);
            } else if !lists_decide || *lacking == 0 && (by_node >> bit) & 1 == 1 {
                let (verdict, uses_reservation) = of_node(cluster, verdicts.next(), ask);
                if uses_reservation && verdict == room::NodeFit::Fits {
                    inside.push(verdicts.codes.len());
                }
                verdicts.push(verdict);
            } else {
                verdicts.push_number(*lacking, meant);
            }
        }
    }
    if !inside.is_empty() {
        verdicts.send_inside(&inside);
    }
    verdicts
}

/// Returns the verdict of a node, read from the node itself, and whether the pod uses a reservation there.
#[cold]
fn of_node(cluster: &Cluster, ix: NodeIx, ask: &FilterRequest<'_>) -> (room::NodeFit, bool) {
    let Some(node) = cluster.node(ix) else { return (NO_NODE, false) };
    let reservation = ask.reservation(cluster, ix);
    let verdict = room(cluster, (ix, node), &ask.using(reservation.as_ref()));
    let verdict = ask.others.map_or(verdict, |others| beside(cluster, (ask.pod, ix), others, verdict));
    (verdict, reservation.is_some())
}

/// Returns the verdict of a node on the capacity for a pod, keeping what is promised to others.
#[inline]
fn room(cluster: &Cluster, (ix, node): (NodeIx, &NodeInfo), ask: &FilterRequest<'_>) -> room::NodeFit {
    if let Some(resource) = node.allocatable.lacks(ask.request) {
        return room::NodeFit::TooSmall(resource);
    }
    if let Some(resource) = node.free.lacks(ask.takes) {
        return room::NodeFit::Full(resource);
    }
    if ask.firm && cluster.is_reserved_for_another(ix, node, ask.pod) {
        return room::NodeFit::Kept;
    }
    if node.nominated.is_empty() { room::NodeFit::Fits } else { beside_promised(cluster, node, ask) }
}

/// Returns the verdict of a node with nominated pods on the capacity that is left for a pod. Kept out of the scan, as few nodes have any.
#[cold]
fn beside_promised(cluster: &Cluster, node: &NodeInfo, ask: &FilterRequest<'_>) -> room::NodeFit {
    let left = left(cluster, node, &promised(cluster, node, ask.keeps()));
    left.lacks(ask.takes).map_or(room::NodeFit::Fits, room::NodeFit::Promised)
}

/// Returns the verdict on a node with enough capacity, after the constraints between the pod, the other pods and the nominated pods.
#[cold]
fn beside(
    cluster: &Cluster,
    (pod, node): (PodIx, NodeIx),
    nominated: &NominatedConstraints,
    verdict: room::NodeFit,
) -> room::NodeFit {
    match verdict {
        room::NodeFit::Fits | room::NodeFit::Promised(_) => {
            let allowed = cluster.inter_pod_allows_beside(pod, node, &DomainCountOverlay::default(), nominated);
            allowed.map_or_else(room::NodeFit::InterPod, |()| verdict)
        }
        _ => verdict,
    }
}

/// Returns the nominated pods whose capacity on a node is kept from a pod.
fn promised(cluster: &Cluster, node: &NodeInfo, (pod, firm, closed): (PodIx, bool, &BTreeSet<PodIx>)) -> Vec<PodIx> {
    if firm {
        return cluster.nominated_on(node, pod).map(|(other, _)| other).collect();
    }
    let priority = cluster.pod(pod).map_or(i32::MIN, |pod| pod.priority());
    cluster.promised_from(node, pod, priority, closed).map(|(other, _)| other).collect()
}

/// Returns the free capacity of a node less the requests of these nominated pods.
fn left(cluster: &Cluster, node: &NodeInfo, promised: &[PodIx]) -> Amounts {
    let mut left: Amounts = node.free.clone();
    for other in promised.iter().filter_map(|other| cluster.pod(*other)) {
        left.subtract(&other.request);
    }
    left
}
