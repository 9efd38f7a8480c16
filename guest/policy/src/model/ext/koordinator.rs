//! Koordinator: on which terms pods use the room of reservations.

use std::collections::BTreeMap;

use crate::model::{Cluster, NameId, PodIx};

/// The terms of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservationTerms {
    /// Whether one pod at most may use the reservation.
    pub once: bool,
    /// Whether a pod must fit into what the reservation has of its resources, without taking more of them from the node.
    pub strict: bool,
}

/// The tables of Koordinator.
#[derive(Debug, Clone, Default)]
pub struct KoordinatorTables {
    /// The terms of reservations, by name.
    pub terms: BTreeMap<NameId, ReservationTerms>,
    /// The reservations that pending pods may use, by name.
    pub eligible_owners: BTreeMap<PodIx, Vec<NameId>>,
}

impl Cluster {
    /// Replaces the terms of all reservations.
    pub fn set_reservation_terms(&mut self, terms: BTreeMap<NameId, ReservationTerms>) {
        self.ext.koordinator.terms = terms;
    }

    /// Sets the reservations that a pending pod may use, in the order of their names.
    pub fn set_eligible_owner(&mut self, pod: PodIx, reservations: Vec<NameId>) {
        let owners = &mut self.ext.koordinator.eligible_owners;
        match reservations.is_empty() {
            true => owners.remove(&pod),
            false => owners.insert(pod, reservations),
        };
    }
}
