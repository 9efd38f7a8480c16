//! The further pods of a gang that a node takes after evictions for one of the pods.
//!
//! Nodes are priced for one pod of a gang at a time. Of nodes on which evictions cost the same, the one that takes more of the further pods
//! saves evictions for those pods. Without this order a gang evicts a pod for each of its pods on the first node, although one eviction on
//! another node makes room for the whole gang (ruling 3.3b of Volcano: fewest jobs, then fewest pods).

use super::attempt::GangPlacement;
use super::fit::fits;
use crate::model::{ClassIx, MissingMembers, NodeIx, PodInfo, PodIx, ResourceIx, ResourceRequest, ShapeIx};

/// The maximum number of equivalence classes that are examined.
const CLASSES: usize = 8;

/// The pods of a gang after the one that is placed.
pub(super) struct RemainingPods<'a> {
    /// The pods, in the order in which they are placed.
    pub(super) pods: &'a [PodIx],
    /// The shortage of the gang once the pod is placed.
    pub(super) lacking: &'a MissingMembers,
}

/// Pods of one equivalence class that a gang lacks and that no node takes without further evictions.
pub(super) struct FurtherPods {
    class: ClassIx,
    shape: ShapeIx,
    request: ResourceRequest,
    count: usize,
}

impl FurtherPods {
    fn of(pod: &PodInfo) -> FurtherPods {
        FurtherPods {
            class: pod.requirements.class,
            shape: pod.requirements.shape,
            request: pod.request().clone(),
            count: 0,
        }
    }

    /// Returns how many of the pods fit into a free capacity, at most all.
    pub(super) fn count_fitting(&self, room: impl Fn(ResourceIx) -> i64) -> usize {
        let mut fit = self.count;
        for (resource, amount) in self.request.iter() {
            let room = room(resource);
            // Usually a node takes one pod of a gang, so the first resource ends this.
            if room < amount {
                return 0;
            }
            let times = room.checked_div(amount).and_then(|times| usize::try_from(times).ok());
            fit = fit.min(times.unwrap_or(usize::MAX));
        }
        fit
    }
}

impl GangPlacement<'_, '_, '_> {
    /// Returns the further pods for which a gang needs evictions if it needs some for this pod. Empty for a pod with constraints between pods: there,
    /// free capacity does not say what a node takes.
    pub(super) fn further_pods(&self, ix: PodIx, rest: &RemainingPods<'_>) -> Vec<FurtherPods> {
        let cluster = self.trial.cluster();
        let Some(class) =
            cluster.pod(ix).filter(|_| !cluster.has_inter_pod_terms(ix)).map(|pod| pod.requirements.class)
        else {
            return Vec::new();
        };
        let (mut lacking, mut all) = (rest.lacking.clone(), Vec::<FurtherPods>::new());
        for other in rest.pods.iter().filter(|other| !cluster.has_inter_pod_terms(**other)) {
            let Some(pod) = cluster.pod(*other).filter(|pod| lacking.take(pod)) else { continue };
            let at = all.iter().position(|further| further.class == pod.requirements.class).unwrap_or(all.len());
            if at == all.len() && at < CLASSES {
                all.push(FurtherPods::of(pod));
            }
            if let Some(further) = all.get_mut(at) {
                further.count = further.count.saturating_add(1);
            }
        }
        // No node takes pods of the same class: they come after this pod.
        let takes = |further: &FurtherPods, node: NodeIx| fits(cluster, further.shape, node, &further.request);
        let idle = self.nodes_with_evictions.iter().chain(self.open_nodes);
        all.retain(|further| further.class == class || !idle.clone().any(|node| takes(further, *node)));
        all
    }

    /// Returns the number of further pods that fit on a node together with a pod of this request.
    pub(super) fn fitting_further_pods(&self, further: &[FurtherPods], at: NodeIx, request: &ResourceRequest) -> usize {
        let cluster = self.trial.cluster();
        let Some(node) = cluster.node(at).filter(|_| !further.is_empty()) else { return 0 };
        let (mut free, mut all) = (node.free.clone(), 0usize);
        free.subtract(request);
        for one in further.iter().filter(|one| cluster.eligible(one.shape, at)) {
            let count = one.count_fitting(|resource| free.get(resource));
            for _ in 0..count {
                free.subtract(&one.request);
            }
            all = all.saturating_add(count);
        }
        all
    }
}
