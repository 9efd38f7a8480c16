//! Plays on in a cluster: what upstream decides about one pod after the other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::CoschedulingResponse;
use super::view::CoschedulingSituation;
use crate::object::{is_terminating, name, pods, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// A cluster in which upstream decides about one pod after the other.
#[derive(Clone)]
pub(super) struct UpstreamSimulation(JudgeRequest);

impl From<JudgeRequest> for UpstreamSimulation {
    fn from(question: JudgeRequest) -> UpstreamSimulation {
        UpstreamSimulation(question)
    }
}

impl UpstreamSimulation {
    /// Begins where an attempt begins.
    pub(super) fn of(it: &CoschedulingSituation<'_>) -> UpstreamSimulation {
        UpstreamSimulation(it.question.clone())
    }

    /// Asks upstream about a pod.
    ///
    /// # Errors
    /// The judge has no answer.
    pub(super) fn decide(&self, pod: &str, ask: &mut JudgeClient<'_>) -> Result<CoschedulingResponse, TrialError> {
        ask.request(&JudgeRequest { pod: pod.to_owned(), ..self.0.clone() })
    }

    /// Returns the cluster.
    pub(super) fn question(&self) -> &JudgeRequest {
        &self.0
    }

    /// Puts pods on some node.
    pub(super) fn bind(&mut self, names: &[String]) {
        let nodes = self.0.objects.iter().find(|object| text(object, "/kind") == "Node");
        let node = nodes.map(|node| text(node, "/metadata/name").to_owned()).unwrap_or_default();
        self.0.waiting.retain(|pod, _| !names.contains(pod));
        self.put(&names.iter().map(|name| (name.clone(), node.clone())).collect());
    }

    /// Puts pods on these nodes.
    pub(super) fn put(&mut self, bound: &BTreeMap<String, String>) {
        for object in &mut self.0.objects {
            let Some(node) = bound.get(&name(object)).filter(|_| text(object, "/kind") == "Pod") else { continue };
            if let Some(spec) = object.pointer_mut("/spec").and_then(Value::as_object_mut) {
                spec.insert("nodeName".to_owned(), Value::String(node.clone()));
            }
        }
    }

    /// Takes from pods their nodes at Permit and their nominations.
    pub(super) fn release(&mut self, which: impl Fn(&Value) -> bool) {
        let names: Vec<String> = pods(&self.0.objects).filter(|pod| which(pod)).map(name).collect();
        self.0.waiting.retain(|pod, _| !names.contains(pod));
        self.forget(which);
    }

    /// Lets pods leave: those on nodes are gone, and those at Permit wait again.
    pub(super) fn evict(&mut self, victims: &BTreeSet<String>) {
        let JudgeRequest { objects, waiting, .. } = &mut self.0;
        objects.retain(|object| {
            text(object, "/kind") != "Pod" || !victims.contains(&name(object)) || waiting.contains_key(&name(object))
        });
        waiting.retain(|pod, _| !victims.contains(pod));
    }

    /// Lets the pods leave that are leaving.
    pub(super) fn end_evictions(&mut self) {
        self.0.objects.retain(|object| text(object, "/kind") != "Pod" || !is_terminating(object));
    }

    /// Lets the pods leave that are leaving a node.
    pub(super) fn end_evictions_on(&mut self, node: &str) {
        let is_gone = |pod: &Value| is_terminating(pod) && text(pod, "/spec/nodeName") == node;
        self.0.objects.retain(|object| text(object, "/kind") != "Pod" || !is_gone(object));
    }

    /// Ends the nominations of pods.
    pub(super) fn forget(&mut self, names: impl Fn(&Value) -> bool) {
        for pod in self.0.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod" && names(object)) {
            if let Some(status) = pod.pointer_mut("/status").and_then(Value::as_object_mut) {
                status.remove("nominatedNodeName");
            }
        }
    }

    /// Puts a pod on a node, as Permit says: it waits there, or is bound with those that are let go.
    pub(super) fn place(&mut self, pod: &str, node: &str, answer: &CoschedulingResponse) {
        let permit = answer.permit.clone().unwrap_or_default();
        let mut bound = BTreeMap::new();
        match permit.result.as_str() {
            "wait" => drop(self.0.waiting.insert(pod.to_owned(), node.to_owned())),
            _ => drop(bound.insert(pod.to_owned(), node.to_owned())),
        }
        for other in &permit.allowed {
            bound.extend(self.0.waiting.remove(other).map(|node| (other.clone(), node)));
        }
        self.put(&bound);
    }

    /// Gives a pod another priority. Where `never`, the pod must not preempt.
    pub(super) fn with_entitlement(mut self, pod: &str, priority: i64, never: bool) -> UpstreamSimulation {
        for object in self.0.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod" && name(object) == pod) {
            let Some(spec) = object.pointer_mut("/spec").and_then(Value::as_object_mut) else { continue };
            spec.insert("priority".to_owned(), Value::from(priority));
            if never {
                spec.insert("preemptionPolicy".to_owned(), Value::from("Never"));
            }
        }
        self
    }

    /// Returns whether pods can take these nodes in some order.
    ///
    /// # Errors
    /// The judge has no answer.
    pub(super) fn can_take(
        &mut self,
        wanted: &BTreeMap<String, String>,
        ask: &mut JudgeClient<'_>,
    ) -> Result<bool, TrialError> {
        let mut left = wanted.clone();
        while !left.is_empty() {
            let mut taken = None;
            for (pod, node) in &left {
                let answer = self.decide(pod, ask)?;
                if answer.feasible.contains(node) {
                    taken = Some((pod.clone(), node.clone(), answer));
                    break;
                }
            }
            let Some((pod, node, answer)) = taken else { return Ok(false) };
            self.place(&pod, &node, &answer);
            left.remove(&pod);
        }
        Ok(true)
    }
}
