//! Reservations: room of a node that is held for pods to come, which then use it.
//!
//! A reservation and the pods inside it hold together what the larger of the two asks for, per resource: a pod inside takes
//! nothing more from the node, and frees nothing for others when it goes.

use super::*;

impl Cluster {
    /// Returns the pods evicted together with this pod: those inside a reservation, or all members of a group that is evicted whole. The pod itself
    /// is included.
    pub fn eviction_set(&self, ix: PodIx) -> Vec<PodIx> {
        let Some(pod) = self.pod(ix).filter(|pod| pod.name.kind == PodKind::Reservation) else {
            return self.disruption_group(ix).unwrap_or_else(|| vec![ix]);
        };
        let inside = self.other_group_members(ix, pod).map(|(inside, _)| inside);
        std::iter::once(ix).chain(inside).collect()
    }

    /// Returns the pods inside a reservation, on its node. Empty for a pod that is no reservation.
    pub fn pods_inside<'a>(&'a self, reservation: &'a PodInfo) -> impl Iterator<Item = (PodIx, &'a PodInfo)> {
        let name = match reservation.name.kind {
            PodKind::Reservation => self.names.get(&reservation.name.name),
            PodKind::Pod => None,
        };
        let there = name.zip(reservation.node());
        there.into_iter().flat_map(|(name, node)| self.pods_in_reservation(name, node))
    }

    /// Returns the reservation that a pod uses on its node. `None`: it uses none.
    pub fn reservation_of(&self, ix: PodIx) -> Option<PodIx> {
        let mut relatives = self.other_group_members(ix, self.pod(ix)?);
        relatives.find(|(_, other)| other.name.kind == PodKind::Reservation).map(|(reservation, _)| reservation)
    }

    /// Returns the amounts that become free on the node of a pod when its eviction set is evicted.
    pub fn freed_by_eviction(&self, ix: PodIx) -> ResourceRequest {
        let Some(pod) = self.pod(ix) else { return ResourceRequest::default() };
        if let Some(together) = self.freed_by_disruption_group(ix) {
            return together;
        }
        match (pod.name.kind, pod.node()) {
            (PodKind::Reservation, Some(node)) => {
                self.reservation_group_request(self.reservation_group_of(pod), node, None)
            }
            (PodKind::Pod, Some(_)) if pod.attributes.reservation.is_some() => self.marginal_request(ix),
            _ => pod.request().clone(),
        }
    }

    /// Returns the amounts that a pod adds to what is used on its node.
    pub(in crate::model) fn marginal_request(&self, ix: PodIx) -> ResourceRequest {
        let Some(pod) = self.pod(ix) else { return ResourceRequest::default() };
        let (Some(reservation_group), Some(node)) = (self.reservation_group_of(pod), pod.node()) else {
            return pod.request().clone();
        };
        let with = self.reservation_group_request(Some(reservation_group), node, None);
        let without = self.reservation_group_request(Some(reservation_group), node, Some(ix));
        ResourceRequest::new(
            with.iter().map(|(resource, n)| (resource, n.saturating_sub(without.get(resource)))).collect(),
        )
    }

    /// Returns the name of the reservation group of a pod: the reservation's own name, or that of the reservation that the pod is inside.
    pub(super) fn reservation_group_of(&self, pod: &PodInfo) -> Option<NameId> {
        match pod.name.kind {
            PodKind::Reservation => self.names.get(&pod.name.name),
            PodKind::Pod => pod.attributes.reservation,
        }
    }

    /// Returns the other members of the reservation group of a pod on the same node.
    fn other_group_members<'a>(&'a self, ix: PodIx, pod: &'a PodInfo) -> impl Iterator<Item = (PodIx, &'a PodInfo)> {
        let reservation_group = self
            .reservation_group_of(pod)
            .and_then(|reservation_group| self.pods.reservation_groups.get(&reservation_group));
        let members =
            reservation_group.map(Vec::as_slice).unwrap_or_default().iter().filter(move |other| **other != ix);
        let here = move |other: &&PodInfo| other.node().is_some() && other.node() == pod.node();
        members.filter_map(|other| Some((*other, self.pod(*other)?))).filter(move |(_, other)| here(other))
    }

    /// Returns the amounts that a reservation group uses on a node: per resource, the larger of what the reservation and what the pods inside
    /// request.
    pub(super) fn reservation_group_request(
        &self,
        reservation_group: Option<NameId>,
        node: NodeIx,
        without: Option<PodIx>,
    ) -> ResourceRequest {
        let members = reservation_group
            .and_then(|reservation_group| self.pods.reservation_groups.get(&reservation_group))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let here = members.iter().filter(|ix| Some(**ix) != without).filter_map(|ix| self.pod(*ix));
        let (mut nominated_on, mut inside) = (Vec::new(), Vec::new());
        for pod in here.filter(|pod| pod.node() == Some(node)) {
            let side = if pod.name.kind == PodKind::Reservation { &mut nominated_on } else { &mut inside };
            side.extend(pod.request().iter());
        }
        let (nominated_on, inside) = (ResourceRequest::new(nominated_on), ResourceRequest::new(inside));
        let more = inside.iter().map(|(resource, n)| (resource, n.saturating_sub(nominated_on.get(resource))));
        ResourceRequest::new(nominated_on.iter().chain(more).collect())
    }
}
