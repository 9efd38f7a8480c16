//! What the volumes of a pod demand of its node.

use std::collections::BTreeSet;

use super::{Ineligible, LabelRequirement, NodeProperties, NodeTerm};

/// The labels with the zone and the region of a node or a volume; the older names last.
pub(crate) const ZONES: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
];

/// A demand of a volume, or of the claim for a volume, on the node of the pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VolumeDemand {
    /// No node satisfies the demand.
    NoNode {
        /// The case of the reason `host/eligible`.
        case: &'static str,
        /// The claim.
        claim: String,
    },
    /// One of the terms of the volume that the claim is bound to.
    BoundVolume(BTreeSet<NodeTerm>),
    /// One of the terms under which a volume exists or can be provisioned.
    Volume(BTreeSet<NodeTerm>),
    /// The zone and the region of the volume. A node without any zone label satisfies the demand.
    Zones(BTreeSet<LabelRequirement>),
    /// One of the terms under which a driver has enough storage left.
    Capacity(BTreeSet<NodeTerm>),
    /// No node of these names. The driver can attach no more volumes there, or a volume that the pod shares with other pods is attached elsewhere.
    Attachable(BTreeSet<String>),
}

impl VolumeDemand {
    /// Checks whether a node satisfies the demand.
    ///
    /// # Errors
    /// `Volume` with the case of the reason.
    pub(super) fn check(&self, node: &NodeProperties) -> Result<(), Ineligible> {
        let one_holds = |terms: &BTreeSet<NodeTerm>| terms.iter().any(|term| term.matches(&node.name, &node.labels));
        let case = match self {
            VolumeDemand::NoNode { case, claim } => return Err(Ineligible::Volume(case, claim.clone())),
            VolumeDemand::BoundVolume(terms) if !one_holds(terms) => "bound-volume",
            VolumeDemand::Volume(terms) if !one_holds(terms) => "volume",
            VolumeDemand::Zones(zones) if !in_zones(zones, node) => "zone",
            VolumeDemand::Capacity(terms) if !one_holds(terms) => "capacity",
            VolumeDemand::Attachable(full) if full.contains(&node.name) => "attachments",
            _ => return Ok(()),
        };
        Err(Ineligible::Volume(case, String::new()))
    }
}

/// Returns whether a node is in these zones and regions. A node without a label of zone or region is in all of them. Where the node lacks an older
/// label of the volume, the newer label of the node is compared (upstream plugins/volumezone).
fn in_zones(zones: &BTreeSet<LabelRequirement>, node: &NodeProperties) -> bool {
    let is_in = |zone: &LabelRequirement| {
        let newer = zone.key.replace("failure-domain.beta.kubernetes.io", "topology.kubernetes.io");
        let key = if node.labels.contains_key(&zone.key) { &zone.key } else { &newer };
        LabelRequirement { key: key.clone(), test: zone.test.clone() }.matches(&node.labels)
    };
    !ZONES.iter().any(|key| node.labels.contains_key(*key)) || zones.iter().all(is_in)
}
