//! What was promised to pods: kept, withdrawn, or void because the pod is gone.

use std::collections::BTreeMap;

use crate::cluster::Mirror;
use crate::session::SessionReport;

/// The current promises: a pod, its uid, and the node that it is nominated to.
#[derive(Debug, Default)]
pub struct NominationTracker(BTreeMap<String, (String, String)>);

impl NominationTracker {
    /// Updates the promises with what happened. A promise is void where its pod is removed, is being deleted, or was replaced by another pod.
    pub fn observe(&mut self, happened: &SessionReport, mirror: &Mirror) {
        for pod in &happened.withdrawn {
            self.0.remove(pod);
        }
        for (pod, node) in &happened.nominated {
            let Some(known) = mirror.pod_id(pod).and_then(|id| mirror.pod(id)) else { continue };
            // The nomination may have been withdrawn after it was made.
            if known.nominated.is_some() || !happened.withdrawn.contains(pod) {
                self.0.insert(pod.clone(), (known.uid.clone(), node.clone()));
            }
        }
        for pod in happened.bound.keys() {
            self.0.remove(pod);
        }
        self.0.retain(|name, (uid, _)| {
            let pod = mirror.pod_id(name).and_then(|id| mirror.pod(id));
            pod.is_some_and(|pod| pod.uid == *uid && pod.node.is_none() && !pod.terminating)
        });
    }

    /// Checks that the session's picture of the cluster has every promise.
    pub fn check(&self, mirror: &Mirror) {
        for (name, (_, node)) in &self.0 {
            let pod = mirror.pod_id(name).and_then(|id| mirror.pod(id));
            let nominated = pod.and_then(|pod| pod.nominated).and_then(|node| mirror.node(node));
            let nominated = nominated.map(|node| node.name.as_str());
            assert_eq!(nominated, Some(node.as_str()), "the promise of `{node}` to `{name}` was lost in silence");
        }
    }
}
