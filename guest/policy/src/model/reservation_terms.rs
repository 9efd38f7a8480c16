//! Leases: on which terms pods use the room of a reservation.

/// The terms of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservationTerms {
    /// One pod uses it, and no other beside.
    pub once: bool,
    /// What it reserves of a resource must do for a pod that asks for the resource: none is taken from the node beside.
    pub strict: bool,
}
