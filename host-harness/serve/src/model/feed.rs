//! The plugin's reports to the host (`feed.go`).

use std::rc::Rc;

use lictor_host::session::ObjectRef;

use crate::wire::{ProtocolFrame, kind};

use super::hints::{POD_REMOVED, POD_UPSERTED};
use super::informer::{InformerEvent, InformerListener};
use super::play::SchedulerSimulation;
use super::world::{Object, is_being_deleted, kind_of, name_of, node_of, nominated, uid_of, version_of};

/// Returns whether a pod that waits is promised no node any more.
fn loses_nomination(before: Option<&Object>, now: &Object) -> bool {
    before.is_some_and(|before| !nominated(before).is_empty()) && nominated(now).is_empty() && node_of(now).is_empty()
}

/// Returns whether a pod without a node is new, or is another one for the laws.
fn is_pending_news(before: Option<&Object>, now: &Object) -> bool {
    let differs = |before: &Object| {
        let part = |pod: &Object, part: &str| pod["metadata"][part].clone();
        uid_of(before) != uid_of(now)
            || is_being_deleted(before) != is_being_deleted(now)
            || ["labels", "annotations"].iter().any(|it| part(before, it) != part(now, it))
    };
    node_of(now).is_empty() && before.is_none_or(differs)
}

impl SchedulerSimulation<'_> {
    /// Returns whether a pod is there, as kube-scheduler knows by the event that it looks at.
    pub(super) fn is_known(&self, pod: &ObjectRef) -> bool {
        self.informers.pod(&pod.pod_name()).is_some_and(|it| uid_of(it) == pod.uid)
    }

    /// Delivers some of what the watches report to the listeners, or all.
    pub(super) fn deliver(&mut self, all: bool) {
        let late = if all { 0 } else { self.faults.late };
        for kind in self.scheduler.kinds.clone() {
            if late > 0 && self.random.below(400) == 0 {
                self.informers.list(&mut self.api_server, &kind);
            }
            let count = self.some(late);
            self.informers.watch(&mut self.api_server, &kind, count);
            for listener in [InformerListener::Feed, InformerListener::Scheduler] {
                for _ in 0..self.some(late) {
                    let Some(note) = self.informers.next(listener, &kind) else { break };
                    match listener {
                        InformerListener::Feed => self.feed_receives(&kind, note),
                        InformerListener::Scheduler => self.scheduler_receives(&kind, note),
                    }
                }
            }
        }
    }

    /// Returns how many of the things that are late come now.
    fn some(&mut self, late: usize) -> usize {
        match late {
            0 => usize::MAX,
            late if self.random.percent(late) => 0,
            _ => self.random.below(4),
        }
    }

    /// Takes all that was listed when kube-scheduler started.
    pub(super) fn receive_all(&mut self) {
        while !self.informers.is_quiet() {
            self.deliver(true);
        }
    }

    fn feed_receives(&mut self, kind: &str, note: InformerEvent) {
        match note {
            InformerEvent::Added(object) | InformerEvent::Updated(_, object) => self.feed_upserted(kind, &object),
            InformerEvent::Deleted(object, _) => self.feed_deleted(kind, &object),
        }
    }

    pub(super) fn feed_upserted(&mut self, kind: &str, object: &Object) {
        let key = format!("{kind}/{}", name_of(object));
        let feed = &mut self.plugin.feed;
        if kind == "Node" && !feed.objects.contains_key(&key) && feed.listed {
            feed.new_nodes.insert(name_of(object));
        }
        let before = feed.objects.insert(key, object.clone());
        self.feed_send(object);
        // A pod that has its name from another one, which is gone, is sent in its place.
        if let Some(other) = before.as_ref().filter(|before| uid_of(before) != uid_of(object)) {
            self.observer.record_deleted(other);
        }
        let woken = if kind == "Pod" {
            if loses_nomination(before.as_ref(), object) {
                self.plugin.hints.given_up(POD_UPSERTED)
            } else if is_pending_news(before.as_ref(), object) {
                self.plugin.hints.pending_changed(POD_UPSERTED)
            } else {
                Vec::new()
            }
        } else if kind == "Node" {
            Vec::new()
        } else {
            self.plugin.hints.changed(&format!("object-upserted/{}", plain(kind)))
        };
        self.activate(woken);
    }

    /// Reports a pod or a node that kube-scheduler knows before its event has come (`catchUp`).
    pub(super) fn feed_catch_up(&mut self, kind: &str, object: &Object) {
        let name = name_of(object);
        let is_later = match self.plugin.feed.objects.get(&format!("{kind}/{name}")) {
            None => self.informers.get(kind, &name).is_some_and(|now| uid_of(now) == uid_of(object)),
            Some(before) => version_of(object) > version_of(before),
        };
        if is_later {
            self.feed_upserted(kind, object);
        }
    }

    pub(super) fn feed_deleted(&mut self, kind: &str, object: &Object) {
        let key = format!("{kind}/{}", name_of(object));
        let feed = &mut self.plugin.feed;
        // Another object may have its name by now.
        if feed.objects.get(&key).is_some_and(|now| uid_of(now) == uid_of(object)) {
            feed.objects.remove(&key);
            feed.reported_bound.remove(uid_of(object));
            if kind == "Pod" && !node_of(object).is_empty() {
                feed.removed_pods.insert(uid_of(object).to_owned(), node_of(object).to_owned());
            }
            if feed.is_connected {
                self.host.inbox.push_back(ProtocolFrame { kind: kind::REMOVED, number: 0, payload: key.into_bytes() });
            }
            self.observer.record_deleted(object);
        }
        let woken = if kind == "Pod" {
            self.plugin.hints.forget(uid_of(object));
            self.plugin.keys.forget(&name_of(object));
            self.plugin.open.remove(uid_of(object));
            match node_of(object) {
                "" => self.plugin.hints.pending_changed(POD_REMOVED),
                _ => Vec::new(),
            }
        } else {
            self.plugin.hints.changed(&format!("object-removed/{}", plain(kind)))
        };
        self.activate(woken);
    }

    /// Reports that a pod has left, where its event has not come yet.
    pub(super) fn feed_removed(&mut self, pod: &ObjectRef) {
        let there = self.plugin.feed.objects.get(&pod.key()).filter(|there| uid_of(there) == pod.uid).cloned();
        if let Some(there) = there {
            self.feed_deleted("Pod", &there);
        }
    }

    /// Reports the pod of a question, where its event has not arrived yet. Returns false where the pod is gone.
    pub(super) fn feed_ensure(&mut self, pod: &Object) -> bool {
        let name = name_of(pod);
        let key = format!("Pod/{name}");
        if self.plugin.feed.objects.get(&key).is_some_and(|now| uid_of(now) == uid_of(pod)) {
            return true;
        }
        if self.informers.pod(&name).is_none_or(|now| uid_of(now) != uid_of(pod)) {
            return false;
        }
        self.plugin.feed.objects.insert(key, pod.clone());
        self.feed_send(pod);
        true
    }

    /// Reports a pod that is not bound after all.
    pub(super) fn feed_resend(&mut self, pod: &Object) {
        if self.plugin.feed.reported_bound.remove(uid_of(pod)).is_none() {
            return;
        }
        let now = self.plugin.feed.objects.get(&format!("Pod/{}", name_of(pod))).cloned();
        if let Some(now) = now.filter(|now| uid_of(now) == uid_of(pod)) {
            self.feed_send(&now);
        }
    }

    /// Returns the node of a pod; empty where the pod has none, or is not there.
    pub(super) fn feed_node_of(&self, pod: &ObjectRef) -> String {
        let there = self.plugin.feed.objects.get(&pod.key()).filter(|there| uid_of(there) == pod.uid);
        there.map(|there| node_of(there).to_owned()).unwrap_or_default()
    }

    /// Reports an object to the host, where a conversation is open.
    fn feed_send(&mut self, object: &Object) {
        if !self.plugin.feed.is_connected {
            return;
        }
        if kind_of(object) == "Pod" {
            self.observer.record_pod(object);
        }
        let mut object = object.clone();
        if let Some(node) = self.plugin.feed.reported_bound.get(uid_of(&object)).filter(|_| node_of(&object).is_empty())
        {
            let node = node.clone();
            Rc::make_mut(&mut object)["spec"]["nodeName"] = node.into();
        }
        let payload = serde_json::to_vec(&*object).unwrap();
        self.host.inbox.push_back(ProtocolFrame { kind: kind::OBJECT, number: 0, payload });
    }

    /// Reports all objects to a host. Pods that are being bound are reported as bound.
    pub(super) fn feed_begin(&mut self) {
        self.plugin.open.clear();
        let binding = self.plugin.reserved.values().map(|held| (held.uid.clone(), held.node.clone()));
        self.plugin.feed.reported_bound = binding.collect();
        self.plugin.feed.is_connected = true;
        self.observer.begins(self.plugin.feed.objects.values());
        let objects: Vec<Object> = self.plugin.feed.objects.values().cloned().collect();
        objects.iter().for_each(|object| self.feed_send(object));
        if self.plugin.feed.listed {
            self.synced();
        }
    }

    fn synced(&mut self) {
        self.host.inbox.push_back(ProtocolFrame { kind: kind::SYNCED, number: 0, payload: Vec::new() });
    }

    /// Reports that all kinds were read once.
    pub(super) fn complete(&mut self) {
        if self.plugin.feed.is_connected {
            self.synced();
        }
        self.plugin.feed.listed = true;
        let woken = self.plugin.hints.host_returned();
        self.activate(woken);
    }
}

/// Returns the kind without its group, as changes name it.
fn plain(kind: &str) -> &str {
    kind.split('.').next().unwrap_or_default()
}
