//! Pods to start from, for those who make them up.

use super::{Phase, Pod, PodId};

impl Pod {
    /// A pod that waits for a node: of no priority, without requests, labels and annotations, created at 0.
    pub fn pending(id: PodId, namespace: &str, name: &str) -> Pod {
        Pod {
            id,
            kind: None,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: String::new(),
            priority: None,
            priority_class: String::new(),
            never_preempts: false,
            scheduler: "default-scheduler".to_owned(),
            foreign: false,
            gated: false,
            phase: Phase::Pending,
            node: None,
            nominated: None,
            required_node: None,
            terminating: false,
            preempted: false,
            created: 0,
            entered: 0,
            started: None,
            scheduled: None,
            requests: Vec::new(),
            shape: 0,
            inter_pod: None,
            owner: None,
            labels: Vec::new(),
            annotations: Vec::new(),
            fields: Vec::new(),
        }
    }
}
