//! Koordinator: on which terms pods use the room of reservations.

use std::collections::BTreeMap;

use crate::model::{Cluster, PodIx, Symbol};

/// The terms of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservationTerms {
    /// One pod uses it, and no other beside.
    pub once: bool,
    /// What it reserves of a resource must do for a pod that asks for the resource: none is taken from the node beside.
    pub strict: bool,
}

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Reservations {
    /// The terms of reservations, by name.
    pub terms: BTreeMap<Symbol, ReservationTerms>,
    /// The reservations that pending pods may use, by name.
    pub eligible_owners: BTreeMap<PodIx, Vec<Symbol>>,
}

impl Cluster {
    /// Replaces the terms of all reservations.
    pub fn set_reservation_terms(&mut self, terms: BTreeMap<Symbol, ReservationTerms>) {
        self.ext.koordinator.terms = terms;
    }

    /// A pending pod may use these reservations, in the order of their names.
    pub fn set_eligible_owner(&mut self, pod: PodIx, reservations: Vec<Symbol>) {
        let owners = &mut self.ext.koordinator.eligible_owners;
        match reservations.is_empty() {
            true => owners.remove(&pod),
            false => owners.insert(pod, reservations),
        };
    }
}
