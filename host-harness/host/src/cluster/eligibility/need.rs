//! What the volumes of a pod demand of its node.

use std::collections::BTreeSet;

use super::{Ineligible, Requirement, Term, Terrain};

/// The labels that say in which zone and region a node or a volume is; the older names last.
pub(crate) const ZONES: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
];

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
    /// One of the terms under which a driver has enough storage left.
    Capacity(BTreeSet<Term>),
    /// No node of these names: its driver can attach no more volumes there, and a volume that the pod shares with others is not there.
    Attachable(BTreeSet<String>),
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
            Need::Capacity(terms) if !one_holds(terms) => "capacity",
            Need::Attachable(full) if full.contains(&node.name) => "attachments",
            _ => return Ok(()),
        };
        Err(Ineligible::Volume(case, String::new()))
    }
}

/// Whether a node is in these zones and regions. A node without any zone and region is in all. An older label of a volume is compared with
/// the newer one of a node that has no older one (upstream plugins/volumezone).
fn in_zones(zones: &BTreeSet<Requirement>, node: &Terrain) -> bool {
    let is_in = |zone: &Requirement| {
        let newer = zone.key.replace("failure-domain.beta.kubernetes.io", "topology.kubernetes.io");
        let key = if node.labels.contains_key(&zone.key) { &zone.key } else { &newer };
        Requirement { key: key.clone(), test: zone.test.clone() }.holds(&node.labels)
    };
    !ZONES.iter().any(|key| node.labels.contains_key(*key)) || zones.iter().all(is_in)
}
