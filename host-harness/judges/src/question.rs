//! The question to a judge: one line of JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// A question: what upstream decides for a pod.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    /// The present, in RFC 3339.
    pub now: String,
    /// The cluster, in the order in which its objects came.
    pub objects: Vec<Value>,
    /// The arguments of the system.
    pub arguments: Value,
    /// The pod, `namespace/name`.
    pub pod: String,
    /// When the scheduler observed a pod first, in seconds since 1970.
    pub entered: BTreeMap<String, i64>,
    /// The pods in the order in which the scheduler observed them.
    pub order: Vec<String>,
    /// The pods that wait at Permit, and the node that is reserved for each. Absent: nothing waits, and most schedulers know no Permit.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub waiting: BTreeMap<String, String>,
}

impl Question {
    /// Returns the pod that it is about; none where it is not among the objects.
    pub(crate) fn tried(&self) -> Option<&Value> {
        crate::object::pods(&self.objects).find(|pod| crate::object::name(pod) == self.pod)
    }
}
