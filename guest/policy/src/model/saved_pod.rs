//! Pods as a checkpoint names them: a number means nothing to another host, or to this one after a restart.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cluster, PodIx, PodName};

/// A pod by kind, namespace, name and uid. Its number is only a hint where to look first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PodIdentity {
    #[serde(flatten)]
    name: PodName,
    uid: String,
    #[serde(default)]
    number: u32,
}

impl PodIdentity {
    /// Returns the saved form of a pod. `None`: the pod is gone.
    pub fn of(cluster: &Cluster, ix: PodIx) -> Option<PodIdentity> {
        cluster.pod(ix).map(|pod| PodIdentity { name: pod.name.clone(), uid: pod.uid.clone(), number: ix.0 })
    }

    /// Checks whether a pod with this name and uid is the saved pod. Where a uid is missing, the name decides.
    fn matches(&self, name: &PodName, uid: &str) -> bool {
        self.name == *name && (uid.is_empty() || self.uid.is_empty() || uid == self.uid)
    }
}

/// The pods of a cluster by name. In the session that saved them, pods still have their numbers. The map by name is built only when a pod has another
/// number.
#[derive(Debug)]
pub struct PodsByName<'c> {
    cluster: &'c Cluster,
    by_name: OnceCell<BTreeMap<&'c PodName, (PodIx, &'c str)>>,
}

impl<'c> PodsByName<'c> {
    /// Creates the lookup of all pods.
    pub fn new(cluster: &'c Cluster) -> PodsByName<'c> {
        PodsByName { cluster, by_name: OnceCell::new() }
    }

    /// Returns the pod that was saved. `None`: it is gone, or another pod of the same name has replaced it.
    pub fn find(&self, saved: &PodIdentity) -> Option<PodIx> {
        let ix = PodIx(saved.number);
        if self.cluster.pod(ix).is_some_and(|pod| saved.matches(&pod.name, &pod.uid)) {
            return Some(ix);
        }
        let in_order = || self.cluster.pods().map(|(ix, pod)| (&pod.name, (ix, pod.uid.as_str()))).collect();
        let (ix, uid) = self.by_name.get_or_init(in_order).get(&saved.name)?;
        saved.matches(&saved.name, uid).then_some(*ix)
    }
}
