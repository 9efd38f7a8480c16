//! The question to a judge: one line of JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::memory::AttemptHistory;
use crate::object::{name, pods, text};

/// A question: what upstream decides for a pod.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeRequest {
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
    /// The applications whose originator is gone, which only the judge of `yunikorn` reads.
    #[serde(rename = "withoutOriginator", skip_serializing_if = "Vec::is_empty")]
    pub without_originator: Vec<String>,
    /// The pods whose time at Permit ran out while their gang had a plan, and the node that the policy keeps for each. No object shows them.
    #[serde(skip)]
    pub kept: BTreeMap<String, String>,
    /// What came of earlier attempts.
    #[serde(skip)]
    pub memory: AttemptHistory,
}

impl JudgeRequest {
    /// Returns the pod that it is about; none where it is not among the objects.
    pub(crate) fn tried(&self) -> Option<&Value> {
        pods(&self.objects).find(|pod| name(pod) == self.pod)
    }

    /// Returns the cluster in which the pods run that wait at Permit: to a scheduler without such pods, one that holds a node has it.
    pub(crate) fn with_waiting_bound(&self) -> JudgeRequest {
        let mut question = self.clone();
        for pod in question.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
            let Some(node) = self.waiting.get(&name(pod)) else { continue };
            if let Some(spec) = pod.pointer_mut("/spec").and_then(Value::as_object_mut) {
                spec.insert("nodeName".to_owned(), json!(node));
            }
        }
        question.waiting.clear();
        question
    }

    /// Returns the cluster in which the other pods are nominated for which the policy keeps a node; none where there are none. The pod itself may take any
    /// node.
    pub(crate) fn with_retained_nominated(&self) -> Option<JudgeRequest> {
        let mut question = self.clone();
        for pod in question.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
            let Some(node) = self.kept.get(&name(pod)).filter(|_| name(pod) != self.pod) else { continue };
            if let Some(status) = pod.pointer_mut("/status").and_then(Value::as_object_mut) {
                status.insert("nominatedNodeName".to_owned(), json!(node));
            }
        }
        (question != *self).then_some(question)
    }
}
