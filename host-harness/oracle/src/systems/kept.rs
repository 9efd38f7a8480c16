//! Nodes that are kept for pods whose time at Permit ran out while their gang had a plan. No field of an object shows them.

use std::collections::BTreeMap;

use crate::world::{Pod, World};

/// The excuse for an attempt that is judged while nodes are kept: what is seen does not say what is free.
pub(crate) const EXCUSE: &str = "a node is kept for a pod whose time at Permit ran out";

/// The pods for which a node is kept, and the nodes.
#[derive(Debug, Default)]
pub(crate) struct Kept(BTreeMap<String, String>);

impl Kept {
    /// Notes the nodes that these pods hold, and will be promised.
    pub(crate) fn note<'w>(&mut self, pods: impl Iterator<Item = &'w Pod>) {
        self.0.extend(pods.filter_map(|pod| Some((pod.name.clone(), pod.held.clone()?))));
    }

    /// Forgets pods that hold a node again, are gone, or are nominated.
    pub(crate) fn forget(&mut self, world: &World) {
        self.0.retain(|pod, _| world.pods.get(pod).is_some_and(waits));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the cluster where the nodes are promised to the pods.
    pub(crate) fn shown(&self, world: &World) -> World {
        let mut shown = world.clone();
        for (pod, node) in &self.0 {
            let pod = shown.pods.get_mut(pod).filter(|pod| waits(pod));
            pod.into_iter().for_each(|pod| pod.nominated = Some(node.clone()));
        }
        shown
    }
}

fn waits(pod: &Pod) -> bool {
    pod.place().is_none() && pod.nominated.is_none()
}
