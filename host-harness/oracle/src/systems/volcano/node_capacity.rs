//! The capacity of every node at the end of a cycle: what is idle, and what is free once terminating pods have left.

use super::VolcanoCycleCheck;
use crate::amounts::MilliAmounts;
use crate::world::ModelNode;

impl VolcanoCycleCheck<'_> {
    /// Computes the idle capacity of every node at the end of the cycle, without capacity for nominated pods.
    pub(super) fn idle(&self) -> Vec<MilliAmounts> {
        self.idle_of(self.future())
    }

    /// Limits the capacity in `room` of every node to the part that is idle already.
    pub(super) fn idle_of(&self, room: Vec<MilliAmounts>) -> Vec<MilliAmounts> {
        let least = |(node, mut future): (&ModelNode, MilliAmounts)| {
            let idle = self.after.free(node);
            future.0.iter_mut().for_each(|(resource, amount)| *amount = (*amount).min(idle.get(resource)));
            future
        };
        self.after.nodes.values().zip(room).map(least).collect()
    }

    /// Computes the capacity of every node after all terminating pods have left, without capacity for nominated pods.
    pub(super) fn future(&self) -> Vec<MilliAmounts> {
        let future = self.after.nodes.values().map(|node| {
            let mut future = self.after.free(node);
            self.after.on(&node.name).filter(|pod| pod.leaving).for_each(|pod| future.add(&pod.request));
            let nominated =
                self.after.pods.values().filter(|pod| pod.pending() && pod.nominated.as_deref() == Some(&node.name));
            nominated.for_each(|pod| future.take(&pod.request));
            future
        });
        future.collect()
    }
}
