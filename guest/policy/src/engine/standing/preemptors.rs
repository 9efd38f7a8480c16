//! The preemptors that are not in the cluster, of which the laws are asked.

use std::collections::BTreeSet;

use crate::laws::{Laws, SearchKind};
use crate::model::{Amounts, Cluster, PodKind, QueueIx, ResourceIx};

/// The highest priority that Kubernetes admits for a pod: that of `system-node-critical`.
const HIGHEST: i32 = 2_000_001_000;

/// The preemptors that might come for a running pod.
pub struct PossiblePreemptors {
    /// The highest priority of a pod.
    highest: i32,
    /// The queues that have no queue below.
    leaves: Vec<QueueIx>,
    /// The requests that preemptors may have besides that of the running pod.
    extra_requests: ExtraRequests,
}

/// The requests of preemptors.
enum ExtraRequests {
    /// Nothing else: no law about a candidate compares it with the request.
    None,
    /// A little of every resource, where a law looks for one resource of the preemptor that the victim or its gang uses.
    All(Amounts),
    /// A little of one resource, where a law examines each resource of the preemptor, so that another resource may protect the victim. The second
    /// field is the resource that counts pods, if pods request one.
    Each(Vec<ResourceIx>, Option<ResourceIx>),
}

impl PossiblePreemptors {
    /// Returns the preemptors of a cluster. Reads every pod and every queue.
    pub fn new(cluster: &Cluster, laws: &Laws) -> PossiblePreemptors {
        // A cluster from a file may have what Kubernetes does not admit.
        let pods = cluster.pods().filter(|(_, pod)| pod.name.kind == PodKind::Pod);
        let highest = pods.map(|(_, pod)| pod.priority()).max().unwrap_or(HIGHEST).max(HIGHEST);
        let parents: BTreeSet<QueueIx> = cluster.queues().filter_map(|(_, queue)| queue.parent).collect();
        let leaves = cluster.queues().map(|(ix, _)| ix).filter(|ix| !parents.contains(ix)).collect();
        let all = || (0u32..).take(cluster.resource_count()).map(ResourceIx);
        let others = match &laws.search {
            SearchKind::RemoveAllThenReprieve | SearchKind::NodeByNode(_) => ExtraRequests::None,
            SearchKind::JobBundles => ExtraRequests::All(all().fold(Amounts::default(), add_least)),
            SearchKind::SmallestGroupOnNode(_) => ExtraRequests::Each(all().collect(), cluster.resource_named("pods")),
        };
        PossiblePreemptors { highest, leaves, extra_requests: others }
    }

    /// Returns the highest priority: that of a reservation without a priority is the largest number (seed 20240201, Preemption Rule 1).
    pub fn highest(&self, kind: PodKind) -> i32 {
        match kind {
            PodKind::Pod => self.highest,
            PodKind::Reservation => i32::MAX,
        }
    }

    /// Checks that the cluster has queues.
    pub fn has_queues(&self) -> bool {
        !self.leaves.is_empty()
    }

    /// Returns the queues without queues below them, except this one.
    pub fn other_leaf_queues(&self, own: Option<QueueIx>) -> Vec<QueueIx> {
        self.leaves.iter().copied().filter(|queue| Some(*queue) != own).collect()
    }

    /// Returns the requests that preemptors of a pod with this request may have. A pod is safe if it is safe from each of them.
    pub fn requests(&self, running: &Amounts) -> Vec<Amounts> {
        match &self.extra_requests {
            ExtraRequests::None => vec![running.clone()],
            ExtraRequests::All(all) => vec![all.clone()],
            ExtraRequests::Each(resources, place) => {
                let place = place.filter(|place| running.get(*place) > 0);
                let base = place.into_iter().fold(Amounts::default(), add_least);
                let each = resources.iter().map(|resource| add_least(base.clone(), *resource));
                std::iter::once(running.clone()).chain(each).collect()
            }
        }
    }
}

/// Returns the amounts with the least amount of a resource.
fn add_least(mut amounts: Amounts, resource: ResourceIx) -> Amounts {
    amounts.set(resource, 1);
    amounts
}
