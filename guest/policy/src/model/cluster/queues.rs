//! The queue tree: replaced whole when its system changes it, and its books made anew.

use super::*;
use crate::model::queue::Adjustment;

impl Cluster {
    /// Sets the share that replaces the maximum of a queue for now.
    pub fn set_runtime(&mut self, queue: QueueIx, runtime: ResourceBound<Max>) {
        if let Some(queue) = self.queues.table.get_mut(queue) {
            queue.runtime_quota = Some(runtime);
        }
    }

    /// Returns the lowest queue that contains both queues. `None`: they have no common ancestor.
    pub fn common_ancestor(&self, a: QueueIx, b: QueueIx) -> Option<QueueIx> {
        self.path(Some(a)).map(|(ix, _)| ix).find(|ix| self.is_below(Some(b), *ix))
    }

    /// Checks whether a queue is `above` itself or below it.
    pub fn is_below(&self, queue: Option<QueueIx>, above: QueueIx) -> bool {
        self.path(queue).any(|(ix, _)| ix == above)
    }

    /// Returns the nearest queue, from a queue up, that has a guarantee of a resource, and the guarantee. `None`: no queue has one.
    pub fn nearest_guaranteeing_queue(
        &self,
        queue: Option<QueueIx>,
        resource: ResourceIx,
    ) -> Option<(QueueIx, &Queue, Guaranteed)> {
        self.path(queue).find_map(|(ix, queue)| Some((ix, queue, queue.bounds.guaranteed.get(resource)?)))
    }

    /// Returns the amount that is promised to waiting pods of a queue and of the queues below it, for one preemptibility and resource.
    pub fn nominated_request_below(
        &self,
        queue: QueueIx,
        preemptibility: Preemptibility,
        resource: ResourceIx,
        counts: impl Fn(PodIx) -> bool,
    ) -> Promised {
        let below = |pod: &PodInfo| self.path(pod.queue).any(|(ix, _)| ix == queue);
        let pods = self
            .nominated()
            .filter(|(ix, pod)| pod.attributes.preemptibility == preemptibility && counts(*ix) && below(pod));
        Promised(pods.fold(0, |sum: i64, (_, pod)| sum.saturating_add(pod.request().get(resource))))
    }

    /// Returns how often the tree was replaced: a queue is there or not as long as this number stays.
    pub fn queue_trees(&self) -> u64 {
        self.queues.trees
    }

    /// Replaces the tree. Parents must stand before their children; a parent that does not is none. `queue_of` tells the queue of
    /// a pod in the new tree.
    pub fn set_queues(
        &mut self,
        specs: Vec<QueueDefinition>,
        queue_of: impl Fn(&Cluster, &PodInfo) -> Option<QueueIx>,
    ) {
        self.version = self.version.wrapping_add(1);
        self.queues.trees = self.queues.trees.wrapping_add(1);
        self.queues.table = Table::default();
        self.queues.names = BTreeMap::new();
        // The queues are renumbered, so nothing that refers to their old numbers may stay.
        (self.ext.yunikorn.policies, self.ext.yunikorn.ranks) = (Table::default(), Table::default());
        self.ext.yunikorn.over_max_since = Table::default();
        self.ext.volcano.queues = Table::default();
        for spec in specs {
            let parent = spec.parent.and_then(|parent| self.queue_named(self.names.get(&parent)?));
            let QueueDefinition { name, bounds, is_default, policy, spec, .. } = spec;
            let symbol = self.names.intern(&name);
            let (used, requested) = (QueueUsage::default(), QueueUsage::default());
            let queue = Queue { name, parent, bounds, is_default, runtime_quota: None, used, requested };
            if let Some(ix) = self.queues.table.push(queue) {
                self.queues.names.insert(symbol, ix);
                self.ext.yunikorn.policies.insert(ix, policy);
                self.ext.volcano.queues.insert(ix, spec);
            }
        }
        self.nodes.pods.mark_all_stale();
        let homes: Vec<(PodIx, Option<QueueIx>)> =
            self.pods.table.iter().map(|(ix, pod)| (ix, queue_of(self, pod))).collect();
        for (ix, home) in homes {
            if let Some(pod) = self.pods.table.get_mut(ix) {
                pod.queue = home;
            }
            self.count_queue_request(ix, Adjustment::Add);
            self.count_queue_usage(ix, Adjustment::Add);
        }
    }
}
