//! Reservation allocation: waiting pods and the reservations whose room they may use.
//!
//! A pod that uses a reservation takes from the node only what it requests beyond the rest of the reservation. On each node a pod uses at
//! most one reservation: the first by name that covers the pod whole, else the first that covers a part of it. A reservation that is leaving
//! takes no pod.

use super::*;

/// The use of a reservation by a pod: the reservation, and what the pod takes of the node in addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservationAllocation {
    /// The reservation.
    pub reservation: PodIx,
    /// What the pod requests beyond what is left in the reservation.
    pub beyond_reservation: ResourceRequest,
}

impl Cluster {
    /// Checks whether there may be a reservation that a pod would use.
    pub fn may_use_reservation(&self, ix: PodIx) -> bool {
        self.ext.koordinator.eligible_owners.contains_key(&ix)
            || self.pod(ix).is_some_and(|pod| pod.attributes.reservation.is_some())
    }

    /// Returns the reservation that a pod would use on a node: the one that the pod names, else one that is open to it. `None`: it uses none there.
    pub fn reservation_allocation(&self, ix: PodIx, node: NodeIx) -> Option<ReservationAllocation> {
        let pod = self.pod(ix)?;
        if let Some(named) = pod.attributes.reservation {
            return self.reservation_on(named, node).map(|(at, held)| self.allocate_inside(pod, node, named, at, held));
        }
        let mut part = None;
        for name in self.ext.koordinator.eligible_owners.get(&ix).into_iter().flatten() {
            let Some((at, held)) = self.reservation_on(*name, node) else { continue };
            let reservation_allocation = self.allocate_inside(pod, node, *name, at, held);
            if reservation_allocation.beyond_reservation == *pod.request()
                || !self.admits_pod(*name, node, held, &reservation_allocation.beyond_reservation)
            {
                continue;
            }
            if reservation_allocation.beyond_reservation == ResourceRequest::default() {
                return Some(reservation_allocation);
            }
            part = part.or(Some(reservation_allocation));
        }
        part
    }

    /// Checks whether the terms of a reservation admit a pod that would take these amounts from the node in addition.
    fn admits_pod(&self, name: NameId, node: NodeIx, held: &PodInfo, beside: &ResourceRequest) -> bool {
        let Some(terms_of) = self.ext.koordinator.terms.get(&name) else { return false };
        let taken = terms_of.once && self.pods_in_reservation(name, node).next().is_some();
        // A reservation reserves amounts, not a place among the pods of the node.
        let mut nominated_on = held.request().iter().filter(|(resource, _)| self.resource_name(*resource) != "pods");
        let exceeds = terms_of.strict && nominated_on.any(|(resource, _)| beside.get(resource) > 0);
        !taken && !exceeds
    }

    /// Returns the reservation of this name, if it is bound to a node and not leaving.
    fn reservation_on(&self, name: NameId, node: NodeIx) -> Option<(PodIx, &PodInfo)> {
        let reservation_group =
            self.pods.reservation_groups.get(&name)?.iter().filter_map(|ix| Some((*ix, self.pod(*ix)?)));
        let mut here =
            reservation_group.filter(|(_, pod)| pod.state.location == PodLocation::Bound(node) && !pod.is_leaving());
        here.find(|(_, pod)| pod.name.kind == PodKind::Reservation)
    }

    /// Returns the pods that use a reservation of a node.
    pub(super) fn pods_in_reservation(&self, name: NameId, node: NodeIx) -> impl Iterator<Item = (PodIx, &PodInfo)> {
        let members = self.pods.reservation_groups.get(&name).into_iter().flatten();
        let pods = members.filter_map(|ix| Some((*ix, self.pod(*ix)?)));
        pods.filter(move |(_, pod)| pod.name.kind == PodKind::Pod && pod.node() == Some(node))
    }

    fn allocate_inside(
        &self,
        pod: &PodInfo,
        node: NodeIx,
        name: NameId,
        at: PodIx,
        held: &PodInfo,
    ) -> ReservationAllocation {
        let used = ResourceRequest::new(
            self.pods_in_reservation(name, node).flat_map(|(_, pod)| pod.request().iter()).collect(),
        );
        let left = |resource| held.request().get(resource).saturating_sub(used.get(resource)).max(0);
        let beside = pod.request().iter().map(|(resource, asked)| (resource, asked.saturating_sub(left(resource))));
        ReservationAllocation { reservation: at, beyond_reservation: ResourceRequest::new(beside.collect()) }
    }
}
