//! The scheduling cycle of a pod (`schedule_one.go`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::play::SchedulerSimulation;
use super::points::{PluginCycleState, PostFilterResult, PreFilterResult};
use super::queue::{QueuedPodInfo, Rejectors};
use super::requeue::{capacity, cores};
use super::scheduler::BindingCycle;
use super::tasks::Continuation;
use super::world::{Object, SchedulerApiRequest, is_being_deleted, name_of, node_of, nominated, refusal, uid_of};

/// Why a pod gets no node in an attempt.
#[derive(Debug)]
pub(super) struct SchedulingFailure {
    /// What has refused the pod; none: an error.
    pub(super) rejectors: Rejectors,
    pub(super) message: String,
    /// The nomination that is written; none: it stays as it is.
    pub(super) nominated: Option<String>,
}

impl SchedulingFailure {
    /// Returns an attempt that ends without a node, in which the pod loses its nomination.
    pub(super) fn clearing(rejectors: Rejectors, message: &str) -> SchedulingFailure {
        SchedulingFailure { rejectors, message: message.to_owned(), nominated: Some(String::new()) }
    }
}

/// The nodes at the beginning of a cycle, and the pods on them.
#[derive(Debug, Default)]
pub(super) struct NodeSnapshot {
    pub(super) nodes: BTreeMap<String, Object>,
    pub(super) pods: BTreeMap<String, Vec<Object>>,
}

impl SchedulerSimulation<'_> {
    fn snapshot(&self) -> NodeSnapshot {
        let mut snapshot = NodeSnapshot { nodes: self.scheduler.nodes.clone(), ..NodeSnapshot::default() };
        for (node, pod) in self.scheduler.placed() {
            snapshot.pods.entry(node).or_default().push(pod);
        }
        snapshot
    }

    /// Tries a pod.
    pub(super) fn cycle(&mut self, entry: QueuedPodInfo) {
        let uid = uid_of(&entry.pod).to_owned();
        if is_being_deleted(&entry.pod) || self.scheduler.assumed.contains_key(&uid) {
            self.scheduler.queue.in_flight.remove(&uid);
            return;
        }
        match self.schedule(&entry.pod) {
            Ok(node) => self.prepare(entry, &node),
            Err(failure) => {
                // No event says that a pod begins to leave. That it has left is one, and nothing can start in its room before.
                let node = failure.nominated.as_deref().filter(|node| !node.is_empty());
                let leaves_it =
                    |node: &str| self.api_server.all("Pod").any(|pod| node_of(pod) == node && is_being_deleted(pod));
                if node.is_some_and(|node| !leaves_it(node)) {
                    self.observer.succeeded(&entry);
                }
                self.fail(entry, failure);
            }
        }
    }

    /// Finds a node for a pod, or has the plugin plan for it.
    fn schedule(&mut self, pod: &Object) -> Result<String, SchedulingFailure> {
        let snapshot = self.snapshot();
        self.observer.chooses(pod, &self.scheduler.assigned);
        if snapshot.nodes.is_empty() {
            return Err(SchedulingFailure::clearing(Rejectors::default(), "no nodes available to schedule pods"));
        }
        self.run_concurrent();
        let mut cycle = PluginCycleState::default();
        let (rejectors, message) = match self.pre_filter(&mut cycle, pod) {
            PreFilterResult::Error(why) => return Err(SchedulingFailure::clearing(Rejectors::default(), &why)),
            PreFilterResult::Refused(why) => (Rejectors::LICTOR, why),
            PreFilterResult::Pass => match self.feasible(&cycle, &snapshot, pod) {
                Ok(node) => return Ok(node),
                Err(refused) => refused,
            },
        };
        self.run_concurrent();
        let PostFilterResult { nominated, message: said } = self.post_filter(&cycle, &snapshot, pod);
        let said = [message, said].into_iter().filter(|it| !it.is_empty());
        Err(SchedulingFailure { rejectors, message: said.collect::<Vec<_>>().join(" preemption: "), nominated })
    }

    /// Returns the node on which a pod is placed: the one to which it is nominated, or any that takes it.
    fn feasible(
        &mut self,
        cycle: &PluginCycleState,
        snapshot: &NodeSnapshot,
        pod: &Object,
    ) -> Result<String, (Rejectors, String)> {
        let own = nominated(pod);
        if snapshot.nodes.contains_key(own) && self.refuses(cycle, snapshot, pod, own).is_none() {
            return Ok(own.to_owned());
        }
        let (mut rejectors, mut feasible) = (Rejectors::default(), Vec::new());
        for node in snapshot.nodes.keys() {
            match self.refuses(cycle, snapshot, pod, node) {
                None => feasible.push(node.clone()),
                Some(by) if by == Rejectors::LICTOR => rejectors.lictor = true,
                Some(_) => rejectors.resources = true,
            }
        }
        let place = self.random.below(feasible.len());
        let message = format!("0/{} nodes are available", snapshot.nodes.len());
        feasible.get(place).cloned().ok_or((rejectors, message))
    }

    /// Returns what refuses a pod on a node. Room that is promised to pods of at least its priority counts as taken.
    fn refuses(
        &self,
        cycle: &PluginCycleState,
        snapshot: &NodeSnapshot,
        pod: &Object,
        node: &str,
    ) -> Option<Rejectors> {
        if !cycle.takes(node) {
            return Some(Rejectors::LICTOR);
        }
        let priority = |pod: &Object| pod["spec"]["priority"].as_i64().unwrap_or_default();
        let there: u64 = snapshot.pods.get(node).into_iter().flatten().map(cores).sum();
        let promised = self
            .scheduler
            .queue
            .nominated
            .iter()
            .filter(|(uid, (at, other))| at == node && *uid != uid_of(pod) && priority(other) >= priority(pod));
        let promised: u64 = promised.map(|(_, (_, other))| cores(other)).sum();
        let fits = there + promised + cores(pod) <= capacity(&snapshot.nodes[node]);
        (!fits).then_some(Rejectors { lictor: false, resources: true })
    }

    /// Assumes that a pod has a node, and asks whether the pod may be bound.
    fn prepare(&mut self, entry: QueuedPodInfo, node: &str) {
        let (pod, uid) = (entry.pod.clone(), uid_of(&entry.pod).to_owned());
        self.scheduler.assumed.insert(uid.clone(), (node.to_owned(), pod.clone()));
        self.scheduler.queue.nominated.remove(&uid);
        let refused = match self.reserve(&pod, node) {
            Ok(()) => {
                self.run_concurrent();
                self.permit(&pod)
            }
            Err(why) => Err((Rejectors::LICTOR, why)),
        };
        match refused {
            Ok(wait) => {
                let until = wait.map(|wait| self.now() + wait);
                let (node, ended) = (node.to_owned(), None);
                self.scheduler
                    .bindings
                    .insert(uid.clone(), BindingCycle { entry, node, until, ended, is_at_permit: false });
                self.tasks.begin(self.api_server.now, &mut self.random, uid);
            }
            Err((rejectors, why)) => {
                self.unreserve(&pod);
                self.scheduler.assumed.remove(&uid);
                self.fail(entry, SchedulingFailure::clearing(rejectors, &why));
            }
        }
    }

    /// Puts a pod back that gets no node, and writes why (`handleSchedulingFailure`).
    pub(super) fn fail(&mut self, mut entry: QueuedPodInfo, failure: SchedulingFailure) {
        let (name, uid) = (name_of(&entry.pod), uid_of(&entry.pod).to_owned());
        self.add_line(|| format!("{name} gets no node: {failure:?}"));
        let known = self.informers.pod(&name).cloned();
        let mut pod = entry.pod.clone();
        match &known {
            Some(known) if node_of(known).is_empty() && uid_of(known) != uid => {
                self.scheduler.queue.in_flight.remove(&uid);
                return;
            }
            Some(known) if node_of(known).is_empty() => {
                pod = known.clone();
                entry.failed(pod.clone(), failure.rejectors, self.now());
                self.put_back(entry);
            }
            _ => drop(self.scheduler.queue.in_flight.remove(&uid)),
        }
        let node = failure.nominated.clone().unwrap_or_else(|| nominated(&pod).to_owned());
        self.scheduler.queue.nominate(&pod, &node, known.as_ref());
        self.write_failure(&pod, &failure);
    }

    /// Puts a pod where what has happened since it was taken out leads.
    fn put_back(&mut self, entry: QueuedPodInfo) {
        let uid = uid_of(&entry.pod).to_owned();
        let events = self.scheduler.queue.in_flight.remove(&uid).unwrap_or_default();
        if self.scheduler.queue.has(&uid) {
            return;
        }
        if entry.rejectors.is_none() || events.iter().any(|event| self.is_worth(&entry, event)) {
            self.requeue(entry);
        } else {
            self.scheduler.queue.unschedulable.insert(uid, entry);
        }
    }

    /// Writes the condition of a pod, and its nomination where that is to change (`updatePod`).
    fn write_failure(&mut self, pod: &Object, failure: &SchedulingFailure) {
        let reason = if failure.rejectors.is_none() { "SchedulerError" } else { "Unschedulable" };
        let condition =
            json!({"type": "PodScheduled", "status": "False", "reason": reason, "message": failure.message});
        let node = failure.nominated.as_ref().filter(|node| *node != nominated(pod));
        if node.is_none() && refusal(pod) == failure.message {
            return;
        }
        let mut status = json!({"conditions": [condition]});
        if let Some(node) = node {
            status["nominatedNodeName"] = if node.is_empty() { Value::Null } else { node.as_str().into() };
        }
        let request = SchedulerApiRequest {
            verb: "patch status",
            pod: name_of(pod),
            uid: String::new(),
            body: json!({"status": status}),
        };
        self.send(request, Continuation::Nothing);
    }
}
