//! Which refused pods are worth another attempt (`isPodWorthRequeuing`), as the plugin's hints and those of NodeResourcesFit say.

use super::hints::{NODE_UPSERTED, POD_UPSERTED};
use super::play::SchedulerSimulation;
use super::queue::{QueueEvent, QueuedPodInfo};
use super::world::{Object, name_of, node_of, nominated, text, uid_of};

/// Returns the cores that a pod requests.
pub(super) fn cores(pod: &Object) -> u64 {
    text(pod, "/spec/containers/0/resources/requests/cpu").parse().unwrap()
}

/// Returns the cores of a node.
pub(super) fn capacity(node: &Object) -> u64 {
    text(node, "/status/allocatable/cpu").parse().unwrap()
}

impl SchedulerSimulation<'_> {
    /// Moves the refused pods for which an event is news. `about`: a pod that is itself not meant; true: and no pod of higher priority.
    pub(super) fn move_all(&mut self, event: &QueueEvent, about: Option<(&Object, bool)>) {
        let priority = |pod: &Object| pod["spec"]["priority"].as_i64().unwrap_or_default();
        let is_meant = |entry: &QueuedPodInfo| match about {
            None => true,
            Some((pod, true)) => entry.priority() <= priority(pod),
            Some((pod, false)) => uid_of(pod) != uid_of(&entry.pod),
        };
        let all: Vec<String> = self.scheduler.queue.unschedulable.keys().cloned().collect();
        for uid in all {
            let Some(entry) = self.scheduler.queue.unschedulable.get(&uid).cloned() else { continue };
            if is_meant(&entry) {
                self.scheduler.queue.unschedulable.remove(&uid);
                self.requeue_if_worth(entry, event);
            }
        }
        self.scheduler.queue.record_event(event);
    }

    /// Puts a refused pod where it belongs after an event.
    pub(super) fn requeue_if_worth(&mut self, entry: QueuedPodInfo, event: &QueueEvent) {
        if self.is_worth(&entry, event) {
            self.requeue(entry);
        } else {
            self.scheduler.queue.unschedulable.insert(uid_of(&entry.pod).to_owned(), entry);
        }
    }

    pub(super) fn requeue(&mut self, entry: QueuedPodInfo) {
        let now = self.now();
        self.pre_enqueue(&entry.pod);
        self.scheduler.queue.requeue(entry, now);
    }

    /// Returns whether a refused pod is worth another attempt after an event.
    pub(super) fn is_worth(&mut self, entry: &QueuedPodInfo, event: &QueueEvent) -> bool {
        let rejectors = entry.rejectors;
        rejectors.is_none()
            || matches!(event, QueueEvent::Activated)
            || rejectors.resources && is_worth_for_resources(&entry.pod, event)
            || rejectors.lictor && self.is_worth_for_lictor(&entry.pod, event)
    }

    /// Returns the hint of the plugin (`EventsToRegister` in `hints.go`).
    fn is_worth_for_lictor(&mut self, pod: &Object, event: &QueueEvent) -> bool {
        let uid = uid_of(pod);
        match event {
            QueueEvent::PodAdded(now) | QueueEvent::PodChanged(now) => {
                self.feed_catch_up("Pod", now);
                self.plugin.hints.should_retry(uid, POD_UPSERTED)
            }
            QueueEvent::NodeAdded(now) => {
                self.feed_catch_up("Node", now);
                self.plugin.hints.should_retry(uid, NODE_UPSERTED)
            }
            QueueEvent::PodRemoved(left) => {
                if self.informers.pod(&name_of(left)).is_none_or(|it| uid_of(it) != uid_of(left)) {
                    // kube-scheduler knows it, and may ask before its event has come.
                    self.feed_deleted("Pod", left);
                }
                let (victims, informers) = (&self.plugin.victims, &self.informers);
                let is_there = |victim: &lictor_host::session::ObjectRef| {
                    informers.pod(&victim.pod_name()).is_some_and(|pod| uid_of(pod) == victim.uid)
                };
                let is_room_for = |left: &str, pod: &str| victims.is_capacity_for(left, pod);
                self.plugin.hints.should_retry_after(uid, left, is_room_for, is_there)
            }
            QueueEvent::Activated => true,
        }
    }
}

/// Returns the hints of NodeResourcesFit (`fit.go`).
fn is_worth_for_resources(pod: &Object, event: &QueueEvent) -> bool {
    match event {
        QueueEvent::PodRemoved(left) => !node_of(left).is_empty() || !nominated(left).is_empty(),
        QueueEvent::NodeAdded(node) => capacity(node) >= cores(pod),
        _ => false,
    }
}
