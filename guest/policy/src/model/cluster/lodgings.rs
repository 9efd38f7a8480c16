//! Lodgings: waiting pods and the reservations whose room they may use.
//!
//! A pod that uses a reservation takes of the node only what it asks for beyond what is left inside. Per node it uses at most one:
//! the first by name that holds it whole, else the first that holds a part of it. A reservation that is leaving takes nobody.

use super::*;

/// A reservation on a node, and what a pod that uses it takes of the node beside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lodging {
    /// The reservation.
    pub reservation: PodIx,
    /// What the pod asks for beyond what is left in it.
    pub beside: Request,
}

impl Cluster {
    /// Replaces the terms of all reservations.
    pub fn set_leases(&mut self, leases: BTreeMap<Symbol, Lease>) {
        self.leases = leases;
    }

    /// A waiting pod may use these reservations, in the order of their names.
    pub fn set_tenant(&mut self, pod: PodIx, reservations: Vec<Symbol>) {
        match reservations.is_empty() {
            true => self.tenants.remove(&pod),
            false => self.tenants.insert(pod, reservations),
        };
    }

    /// Whether there may be a reservation that a pod would use.
    pub fn may_lodge(&self, ix: PodIx) -> bool {
        self.tenants.contains_key(&ix) || self.pod(ix).is_some_and(|pod| pod.traits.inside.is_some())
    }

    /// The reservation that a pod would use on a node: the one it names itself; else one that is open to it.
    pub fn lodging(&self, ix: PodIx, node: NodeIx) -> Result<Option<Lodging>, Overflow> {
        let Some(pod) = self.pod(ix) else { return Ok(None) };
        if let Some(named) = pod.traits.inside {
            return self
                .reservation_on(named, node)
                .map(|(at, held)| self.lodge(pod, node, named, at, held))
                .transpose();
        }
        let mut part = None;
        for name in self.tenants.get(&ix).into_iter().flatten() {
            let Some((at, held)) = self.reservation_on(*name, node) else { continue };
            let lodging = self.lodge(pod, node, *name, at, held)?;
            if lodging.beside == pod.request || !self.takes(*name, node, held, &lodging.beside) {
                continue;
            }
            if lodging.beside == Request::default() {
                return Ok(Some(lodging));
            }
            part = part.or(Some(lodging));
        }
        Ok(part)
    }

    /// Whether the terms of a reservation let a pod in that would take this from the node beside.
    fn takes(&self, name: Symbol, node: NodeIx, held: &Pod, beside: &Request) -> bool {
        let Some(lease) = self.leases.get(&name) else { return false };
        let taken = lease.once && self.inside(name, node).next().is_some();
        // It reserves room, not a place among the pods.
        let mut reserved = held.request.iter().filter(|(resource, _)| self.resource_name(*resource) != "pods");
        let exceeds = lease.strict && reserved.any(|(resource, _)| beside.get(resource) > 0);
        !taken && !exceeds
    }

    /// The reservation of this name, where it holds room on a node and is to stay.
    fn reservation_on(&self, name: Symbol, node: NodeIx) -> Option<(PodIx, &Pod)> {
        let family = self.families.get(&name)?.iter().filter_map(|ix| Some((*ix, self.pod(*ix)?)));
        let mut here = family.filter(|(_, pod)| pod.place == Place::Bound(node) && !pod.is_leaving());
        here.find(|(_, pod)| pod.name.kind == Kind::Reservation)
    }

    /// The pods that use a reservation of a node.
    fn inside(&self, name: Symbol, node: NodeIx) -> impl Iterator<Item = &Pod> {
        let family = self.families.get(&name).into_iter().flatten().filter_map(|ix| self.pod(*ix));
        family.filter(move |pod| pod.name.kind == Kind::Pod && pod.place.node() == Some(node))
    }

    fn lodge(&self, pod: &Pod, node: NodeIx, name: Symbol, at: PodIx, held: &Pod) -> Result<Lodging, Overflow> {
        let used = Request::new(self.inside(name, node).flat_map(|pod| pod.request.iter()).collect())?;
        let left = |resource| held.request.get(resource).saturating_sub(used.get(resource)).max(0);
        let beside = pod.request.iter().map(|(resource, asked)| (resource, asked.saturating_sub(left(resource))));
        Ok(Lodging { reservation: at, beside: Request::new(beside.collect())? })
    }
}
