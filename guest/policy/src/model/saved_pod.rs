//! Pods as a checkpoint names them: a number means nothing to another host, or to this one after a restart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cluster, PodIx, PodName};

/// A pod by kind, namespace, name and uid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SavedPod {
    #[serde(flatten)]
    name: PodName,
    uid: String,
}

impl SavedPod {
    /// A pod of the cluster; none where it is gone.
    pub fn of(cluster: &Cluster, pod: PodIx) -> Option<SavedPod> {
        cluster.pod(pod).map(|pod| SavedPod { name: pod.name.clone(), uid: pod.uid.clone() })
    }
}

/// The pods of a cluster by name.
#[derive(Debug)]
pub struct PodsByName<'c>(BTreeMap<&'c PodName, (PodIx, &'c str)>);

impl<'c> PodsByName<'c> {
    /// All pods.
    pub fn new(cluster: &'c Cluster) -> PodsByName<'c> {
        PodsByName(cluster.pods().map(|(ix, pod)| (&pod.name, (ix, pod.uid.as_str()))).collect())
    }

    /// The pod that was saved; none where it is gone, or another of the same name has replaced it. Without a uid the name decides.
    pub fn find(&self, saved: &SavedPod) -> Option<PodIx> {
        let (ix, uid) = self.0.get(&saved.name)?;
        (uid.is_empty() || saved.uid.is_empty() || *uid == saved.uid).then_some(*ix)
    }
}
