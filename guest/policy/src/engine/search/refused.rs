//! What the host refused of earlier plans: no search plans it again.

use crate::contract::Refuted;
use crate::engine::reasons::REFUSED_AS_VICTIM;
use crate::laws::{ActiveLaw, Denial};
use crate::model::{Cluster, NodeIx, PodIx};

/// Checks whether the host refused to place the pod on the node.
pub fn is_placement_rejected(refuted: &Refuted, pod: PodIx, node: NodeIx) -> bool {
    refuted.placements.iter().any(|placement| placement.pod == pod.0 && placement.node == node.0)
}

/// Returns a denial if the host refused the eviction of the pod, or of a pod that is evicted together with it. `None`: the host did not.
pub fn rejected_victim(refuted: &Refuted, cluster: &Cluster, pod: PodIx) -> Option<(ActiveLaw, Denial)> {
    // Nearly always nothing was refused, and this runs for every candidate of every node.
    if refuted.victims.is_empty() {
        return None;
    }
    let is_refused = cluster.eviction_set(pod).iter().any(|pod| refuted.victims.contains(&pod.0));
    is_refused.then_some((REFUSED_AS_VICTIM, Denial::Case("")))
}
