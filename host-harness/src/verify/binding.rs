//! What is bound is there, waits for a node, may run on it and has room on it, all bindings of one answer together.

use std::collections::BTreeMap;

use lictor_policy::contract::{NodeId, Placement, PodId};

use super::{Ground, Violation, distinct, eligible, fits, pending};

/// Whether pods may be bound; else the first invariant that the bindings break.
///
/// Whoever is still on the node takes room on it, leaving or not. Room that is promised to nominated pods is the policy's to
/// give: a pod of higher standing may take it.
pub fn bindings(ground: &Ground<'_>, bindings: &[Placement]) -> Result<(), Violation> {
    let mut by_node: BTreeMap<NodeId, Vec<PodId>> = BTreeMap::new();
    for binding in bindings {
        ground
            .mirror
            .pod(binding.pod)
            .ok_or(Violation::UnknownPod(binding.pod))?;
        ground
            .mirror
            .node(binding.node)
            .ok_or(Violation::UnknownNode(binding.node))?;
        by_node.entry(binding.node).or_default().push(binding.pod);
    }
    distinct::placements(ground, bindings)?;
    pending::placements(ground, bindings)?;
    eligible::placements(ground, bindings)?;
    by_node
        .iter()
        .try_for_each(|(node, comers)| fits::room(ground, *node, |_| true, &[], comers))
}
