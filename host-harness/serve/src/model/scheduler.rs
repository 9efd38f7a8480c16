//! kube-scheduler 1.37: its cache, its queue, and its reactions to pods and nodes (`eventhandlers.go`).

use std::collections::{BTreeMap, BTreeSet};

use super::informer::InformerEvent;
use super::play::SchedulerSimulation;
use super::plugin::PermitSignal;
use super::queue::{PodSortKey, QueueEvent, QueuedPodInfo, SchedulingQueue};
use super::world::{Object, is_being_deleted, name_of, node_of, nominated, text, uid_of};

/// A pod that is being bound.
#[derive(Debug, Clone)]
pub(super) struct BindingCycle {
    pub(super) entry: QueuedPodInfo,
    pub(super) node: String,
    /// Until when the pod waits at Permit; none: it does not wait.
    pub(super) until: Option<i64>,
    /// What has ended the wait.
    pub(super) ended: Option<PermitSignal>,
    /// Whether its binding cycle has come to the end of Permit, which it waits for.
    pub(super) is_at_permit: bool,
}

/// kube-scheduler.
#[derive(Debug, Default)]
pub(super) struct Scheduler {
    /// The kinds that are watched.
    pub(super) kinds: BTreeSet<String>,
    pub(super) queue: SchedulingQueue,
    pub(super) nodes: BTreeMap<String, Object>,
    /// The pods that have nodes, by uid.
    pub(super) assigned: BTreeMap<String, Object>,
    /// The pods that are assumed to have nodes, by uid.
    pub(super) assumed: BTreeMap<String, (String, Object)>,
    /// The binding cycles, by uid.
    pub(super) bindings: BTreeMap<String, BindingCycle>,
}

impl Scheduler {
    /// Returns whether a pod can be tried now.
    pub(super) fn is_ready(&self) -> bool {
        !self.queue.active.is_empty() || self.queue.has_early()
    }

    /// Returns when something is due by time alone: a wait at Permit is over, or a backoff.
    pub(super) fn due(&self) -> Option<i64> {
        let permit = self.bindings.values().filter(|it| it.ended.is_none()).filter_map(|it| it.until).min();
        permit.into_iter().chain(self.queue.due()).min()
    }

    /// Returns the pods that the cache has on nodes, and their nodes.
    pub(super) fn placed(&self) -> Vec<(String, Object)> {
        let assigned = self.assigned.values().map(|pod| (node_of(pod).to_owned(), pod.clone()));
        assigned.chain(self.assumed.values().cloned()).collect()
    }
}

fn is_ours(pod: &Object) -> bool {
    text(pod, "/spec/schedulerName") == "default-scheduler"
}

impl SchedulerSimulation<'_> {
    /// Takes the pod that is tried next.
    pub(super) fn pop(&mut self) -> Option<QueuedPodInfo> {
        let keys = &self.plugin.keys;
        self.scheduler.queue.pop(|entry| PodSortKey::of(entry, keys.of(&name_of(&entry.pod))))
    }

    /// Moves the pods whose backoff is over, and lets those go that have waited too long at Permit.
    pub(super) fn flush(&mut self) {
        let now = self.now();
        for entry in self.scheduler.queue.flush(now) {
            self.make_active(entry);
        }
        for entry in self.scheduler.queue.flush_refused(now) {
            self.requeue(entry);
        }
        let is_late = |it: &BindingCycle| it.ended.is_none() && it.until.is_some_and(|until| until <= now);
        let late: Vec<String> =
            self.scheduler.bindings.iter().filter(|(_, it)| is_late(it)).map(|(uid, _)| uid.clone()).collect();
        for uid in late {
            self.end_wait(&uid, PermitSignal::Reject);
        }
    }

    /// Makes a pod active. Its key is requested before.
    pub(super) fn make_active(&mut self, entry: QueuedPodInfo) {
        self.pre_enqueue(&entry.pod);
        self.scheduler.queue.active.insert(uid_of(&entry.pod).to_owned(), entry);
    }

    /// Takes an event about pods or nodes.
    pub(super) fn scheduler_receives(&mut self, kind: &str, note: InformerEvent) {
        match (kind, note) {
            ("Node", InformerEvent::Added(node)) => {
                self.scheduler.nodes.insert(name_of(&node), node.clone());
                self.move_all(&QueueEvent::NodeAdded(node), None);
            }
            ("Node", InformerEvent::Updated(before, node)) => {
                self.scheduler.nodes.insert(name_of(&node), node.clone());
                if before["status"]["allocatable"] != node["status"]["allocatable"] {
                    self.move_all(&QueueEvent::NodeAdded(node), None);
                }
            }
            ("Node", InformerEvent::Deleted(node, _)) => drop(self.scheduler.nodes.remove(&name_of(&node))),
            (_, InformerEvent::Added(pod)) => self.pod_added(pod),
            (_, InformerEvent::Updated(before, pod)) => {
                if uid_of(&before) == uid_of(&pod) {
                    self.pod_updated(&before, pod);
                } else {
                    // Filtering handlers see two pods: one that is gone, and one that is new.
                    self.pod_deleted(&before, false);
                    self.pod_added(pod);
                }
            }
            (_, InformerEvent::Deleted(pod, was_missing)) => self.pod_deleted(&pod, was_missing),
        }
    }

    fn pod_added(&mut self, pod: Object) {
        if !node_of(&pod).is_empty() {
            self.pod_assigned(pod);
        } else if is_ours(&pod) {
            self.add(pod);
        }
    }

    /// Puts a new pod into the queue.
    fn add(&mut self, pod: Object) {
        let node = nominated(&pod).to_owned();
        let known = self.informers.pod(&name_of(&pod)).cloned();
        self.scheduler.queue.nominate(&pod, &node, known.as_ref());
        let entry = QueuedPodInfo::new(pod, self.now());
        self.make_active(entry);
    }

    fn pod_assigned(&mut self, pod: Object) {
        self.scheduler.assumed.remove(uid_of(&pod));
        self.scheduler.assigned.insert(uid_of(&pod).to_owned(), pod.clone());
        self.move_all(&QueueEvent::PodAdded(pod), None);
    }

    fn pod_updated(&mut self, before: &Object, pod: Object) {
        let uid = uid_of(&pod).to_owned();
        let labels = before["metadata"]["labels"] != pod["metadata"]["labels"];
        if !node_of(before).is_empty() {
            self.scheduler.assigned.insert(uid, pod.clone());
            if labels {
                self.move_all(&QueueEvent::PodChanged(pod), None);
            }
        } else if !node_of(&pod).is_empty() {
            self.pod_assigned(pod);
            self.scheduler.queue.delete(&uid);
        } else if is_ours(&pod) && before["metadata"]["resourceVersion"] != pod["metadata"]["resourceVersion"] {
            self.waiting_updated(before, pod, labels);
        }
    }

    /// Takes the change of a pod without a node.
    fn waiting_updated(&mut self, before: &Object, pod: Object, labels: bool) {
        let uid = uid_of(&pod).to_owned();
        if self.scheduler.assumed.contains_key(&uid) {
            if is_being_deleted(&pod) && !is_being_deleted(before) {
                self.assumed_deleted(&uid);
            }
            return;
        }
        if let Some(events) = self.scheduler.queue.in_flight.get_mut(&uid) {
            if labels {
                events.push(QueueEvent::PodChanged(pod.clone()));
            }
        } else {
            self.keep_nomination(before, &pod);
            if !self.scheduler.queue.replace(&pod) {
                self.add(pod.clone());
            } else if labels && let Some(entry) = self.scheduler.queue.unschedulable.remove(&uid) {
                self.requeue_if_worth(entry, &QueueEvent::PodChanged(pod.clone()));
            }
        }
        if !nominated(before).is_empty() && nominated(before) != nominated(&pod) {
            self.move_all(&QueueEvent::PodRemoved(before.clone()), Some((before, true)));
        }
    }

    /// Keeps the nomination of a pod that changes (`UpdateNominatedPod`).
    fn keep_nomination(&mut self, before: &Object, pod: &Object) {
        let kept = self.scheduler.queue.nominated.get(uid_of(pod)).map(|(node, _)| node.clone());
        let node = match kept {
            Some(node) if nominated(before).is_empty() && nominated(pod).is_empty() => node,
            _ => nominated(pod).to_owned(),
        };
        let known = self.informers.pod(&name_of(pod)).cloned();
        self.scheduler.queue.nominate(pod, &node, known.as_ref());
    }

    fn pod_deleted(&mut self, pod: &Object, was_missing: bool) {
        let uid = uid_of(pod);
        if !node_of(pod).is_empty() || was_missing {
            self.scheduler.assigned.remove(uid);
            self.move_all(&QueueEvent::PodRemoved(pod.clone()), None);
            if !was_missing {
                return;
            }
        }
        if !is_ours(pod) {
            return;
        }
        self.scheduler.queue.delete(uid);
        if self.scheduler.assumed.contains_key(uid) {
            self.assumed_deleted(uid);
        } else if !nominated(pod).is_empty() {
            self.move_all(&QueueEvent::PodRemoved(pod.clone()), Some((pod, true)));
        }
    }

    /// Takes the deletion of an assumed pod: the pod is released where it waits at Permit, otherwise its room is free at once.
    fn assumed_deleted(&mut self, uid: &str) {
        let Some((_, pod)) = self.scheduler.assumed.get(uid).cloned() else { return };
        let waits = self.scheduler.bindings.get(uid).is_some_and(|it| it.until.is_some() && it.ended.is_none());
        if waits {
            self.end_wait(uid, PermitSignal::Reject);
        } else {
            self.scheduler.assumed.remove(uid);
        }
        self.move_all(&QueueEvent::PodRemoved(pod), None);
    }
}
