//! Applications of YuniKorn, and what the pods that are left of one do not show.
//!
//! The first pod of an application decides the queue of all of its pods. Where that pod is gone and the others name another queue, the queue
//! is known to hosts that received the first pod, and to those that begin from their checkpoints.

use std::collections::{BTreeMap, BTreeSet};

use super::super::world::{Object, text, uid_of};

/// An application: its pods, and the queues that pods have named since it last had none.
#[derive(Debug, Default)]
struct Application {
    pods: BTreeSet<String>,
    queues: BTreeSet<String>,
}

/// The applications that have pods, by their labels.
#[derive(Debug, Default)]
pub(super) struct Applications(BTreeMap<String, Application>);

impl Applications {
    /// Takes note of a pod. Without the label of an application the pod has none here.
    pub(super) fn record_pod(&mut self, pod: &Object) {
        let name = text(pod, "/metadata/labels/applicationId");
        if !name.is_empty() {
            let application = self.0.entry(name.to_owned()).or_default();
            application.pods.insert(uid_of(pod).to_owned());
            application.queues.insert(text(pod, "/metadata/labels/queue").to_owned());
        }
    }

    /// Takes note that a pod is gone. An application ends with its last pod.
    pub(super) fn record_deleted(&mut self, uid: &str) {
        self.0.retain(|_, application| {
            application.pods.remove(uid);
            !application.pods.is_empty()
        });
    }

    /// Notes that a host begins, and receives these pods alone, by uid. An application that has pods left keeps its history: the host may
    /// have it from a checkpoint.
    pub(super) fn begin(&mut self, pods: &BTreeSet<&str>) {
        self.0.retain(|_, application| {
            application.pods.retain(|uid| pods.contains(uid.as_str()));
            !application.pods.is_empty()
        });
    }

    /// Returns whether there is an application whose pods have named several queues. The first pod that a host received decides in which
    /// queue this host takes the application to be.
    pub(super) fn have_several_queues(&self) -> bool {
        self.0.values().any(|application| application.queues.len() > 1)
    }
}
