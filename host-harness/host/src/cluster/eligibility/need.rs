//! What the volumes of a pod demand of its node.

use std::collections::BTreeSet;

use super::{Ineligible, Requirement, Term, Terrain};

/// What a volume, or the claim for one, demands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// No node will do.
    Nowhere {
        /// The case of the reason `host/eligible`.
        case: &'static str,
        /// The claim.
        claim: String,
    },
    /// One of the terms of the volume that the claim is bound to.
    BoundVolume(BTreeSet<Term>),
    /// One of the terms under which a volume is there, or can be made.
    Volume(BTreeSet<Term>),
    /// The zone and the region of the volume, where the node has any.
    Zones(BTreeSet<Requirement>),
}

impl Need {
    /// Whether a node is what is demanded.
    pub(super) fn judge(&self, node: &Terrain) -> Result<(), Ineligible> {
        let one_holds = |terms: &BTreeSet<Term>| terms.iter().any(|term| term.holds(&node.name, &node.labels));
        let case = match self {
            Need::Nowhere { case, claim } => return Err(Ineligible::Volume(case, claim.clone())),
            Need::BoundVolume(terms) if !one_holds(terms) => "bound-volume",
            Need::Volume(terms) if !one_holds(terms) => "volume",
            Need::Zones(zones) if !in_zones(zones, node) => "zone",
            _ => return Ok(()),
        };
        Err(Ineligible::Volume(case, String::new()))
    }
}

/// Whether a node is in these zones and regions; a node without any is in all.
fn in_zones(zones: &BTreeSet<Requirement>, node: &Terrain) -> bool {
    let has_none = zones.iter().all(|zone| !node.labels.contains_key(&zone.key));
    has_none || zones.iter().all(|zone| zone.holds(&node.labels))
}
