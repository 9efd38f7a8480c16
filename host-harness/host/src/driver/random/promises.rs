//! What was promised to pods: kept, withdrawn, or void because the pod is gone.

use std::collections::BTreeMap;

use crate::cluster::Mirror;
use crate::session::Happened;

/// The promises that stand: a pod, its uid, and the node it is nominated to.
#[derive(Debug, Default)]
pub struct Promises(BTreeMap<String, (String, String)>);

impl Promises {
    /// Takes note of what happened. A promise to a pod that is gone, is being deleted, or is another by now is void.
    pub fn follow(&mut self, happened: &Happened, mirror: &Mirror) {
        for pod in &happened.withdrawn {
            self.0.remove(pod);
        }
        for (pod, node) in &happened.nominated {
            let Some(known) = mirror.pod_id(pod).and_then(|id| mirror.pod(id)) else { continue };
            // It may have been withdrawn after it was made.
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

    /// Every promise that stands is in the session's picture of the cluster.
    pub fn check(&self, mirror: &Mirror) {
        for (name, (_, node)) in &self.0 {
            let pod = mirror.pod_id(name).and_then(|id| mirror.pod(id));
            let nominated = pod.and_then(|pod| pod.nominated).and_then(|node| mirror.node(node));
            let nominated = nominated.map(|node| node.name.as_str());
            assert_eq!(nominated, Some(node.as_str()), "the promise of `{node}` to `{name}` was lost in silence");
        }
    }
}
