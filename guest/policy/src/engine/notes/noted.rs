//! The pods about which notes are recorded.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{NotedPods, Subject};
use crate::model::{Cluster, PodIx};

/// The pods about which notes are recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum NotedSet {
    #[default]
    None,
    All,
    These {
        pods: BTreeSet<PodIx>,
        /// Whether one of the pods uses a node, so that the attempts of other pods may find something about it.
        has_candidates: bool,
    },
}

impl NotedSet {
    /// Makes the set of the pods that the host names.
    pub(super) fn of(noted: &NotedPods, cluster: &Cluster) -> NotedSet {
        match noted {
            NotedPods::None => NotedSet::None,
            NotedPods::All => NotedSet::All,
            NotedPods::These(pods) => {
                let pods: BTreeSet<PodIx> = pods.iter().map(|pod| PodIx(*pod)).collect();
                let uses_a_node = |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| pod.node().is_some());
                NotedSet::These { has_candidates: pods.iter().any(uses_a_node), pods }
            }
        }
    }

    /// Returns whether the attempts of a pod are noted: it is in the set, or stands for a pod of its job that is. `recorded_under` has the pod that
    /// stands for each.
    pub(super) fn notes_attempt(&self, preemptor: PodIx, recorded_under: &BTreeMap<PodIx, PodIx>) -> bool {
        match self {
            NotedSet::None => false,
            NotedSet::All => true,
            NotedSet::These { pods, .. } => {
                pods.contains(&preemptor) || pods.iter().any(|pod| recorded_under.get(pod) == Some(&preemptor))
            }
        }
    }

    /// Returns whether anything is recorded in an attempt. `is_noted`: whether the attempt is noted.
    pub(super) fn is_recording(&self, is_noted: bool) -> bool {
        match self {
            NotedSet::None => false,
            NotedSet::All => true,
            NotedSet::These { has_candidates, .. } => *has_candidates || is_noted,
        }
    }

    /// Returns whether a note with this subject is recorded in an attempt. `is_noted`: whether the attempt is noted.
    pub(super) fn records(&self, subject: &Subject, is_noted: bool) -> bool {
        match (self, subject) {
            (NotedSet::These { pods, .. }, Subject::Pod(pod)) if !is_noted => pods.contains(&PodIx(*pod)),
            _ => is_noted,
        }
    }
}
