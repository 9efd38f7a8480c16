//! The binding cycle of a pod (`bindingCycle` in `schedule_one.go`; `reserved.go` of the plugin).

use serde_json::json;

use super::cycle::SchedulingFailure;
use super::orders::marks;
use super::play::SchedulerSimulation;
use super::plugin::PermitSignal;
use super::queue::{QueueEvent, Rejectors};
use super::tasks::Continuation;
use super::world::{SchedulerApiRequest, name_of, uid_of};

impl SchedulerSimulation<'_> {
    /// Allows or rejects a pod that waits at Permit, or is about to: now, or as soon as it waits.
    pub(super) fn signal_waiting(&mut self, pod: &str, what: PermitSignal) {
        if let Some(held) = self.plugin.reserved.get_mut(pod) {
            held.wake = Some(what);
            self.wake_one(pod);
        }
    }

    /// Allows or rejects a pod, if it waits at Permit by now.
    fn wake_one(&mut self, pod: &str) {
        let Some(held) = self.plugin.reserved.get_mut(pod) else { return };
        let (uid, Some(what)) = (held.uid.clone(), held.wake) else { return };
        if self.scheduler.bindings.get(&uid).is_some_and(|binding| binding.until.is_some()) {
            held.wake = None;
            self.end_wait(&uid, what);
        }
    }

    /// Allows or rejects the pods that have begun to wait at Permit.
    pub(super) fn wake_waiting(&mut self) {
        let due: Vec<String> =
            self.plugin.reserved.iter().filter(|(_, held)| held.wake.is_some()).map(|(pod, _)| pod.clone()).collect();
        due.iter().for_each(|pod| self.wake_one(pod));
    }

    /// Ends the wait of a pod at Permit. What comes later counts for nothing.
    pub(super) fn end_wait(&mut self, uid: &str, what: PermitSignal) {
        let Some(binding) = self.scheduler.bindings.get_mut(uid) else { return };
        if binding.ended.is_none() {
            binding.ended = Some(what);
            if binding.is_at_permit {
                self.wait_on_permit(uid);
            }
        }
    }

    /// Begins the binding cycle of a pod. Where it waits or has marks to be written, its node is written as expected.
    pub(super) fn begin_binding(&mut self, uid: &str) {
        let Some(binding) = self.scheduler.bindings.get(uid) else { return };
        let (name, node, waits) = (name_of(&binding.entry.pod), binding.node.clone(), binding.until.is_some());
        self.wake_one(&name);
        if !waits && self.marks_of(uid).is_empty() {
            return self.wait_on_permit(uid);
        }
        let body = json!({"status": {"nominatedNodeName": node}});
        let request = SchedulerApiRequest { verb: "patch status", pod: name, uid: String::new(), body };
        self.send(request, Continuation::Expected(uid.to_owned()));
    }

    fn marks_of(&self, uid: &str) -> Vec<crate::message::MarkMessage> {
        let held = self.plugin.reserved.values().find(|held| held.uid == uid);
        held.map(|held| held.marks.clone()).unwrap_or_default()
    }

    /// Continues a binding cycle when its pod waits at Permit no more.
    pub(super) fn wait_on_permit(&mut self, uid: &str) {
        let Some(binding) = self.scheduler.bindings.get_mut(uid) else { return };
        binding.is_at_permit = true;
        match (binding.until, binding.ended) {
            (None, _) | (_, Some(PermitSignal::Allow)) => self.pre_bind(uid),
            (_, None) => {}
            (_, Some(PermitSignal::Reject)) => self.binding_failed(uid, Rejectors::LICTOR, "rejected at Permit"),
            (_, Some(PermitSignal::Preempt)) => self.binding_failed(uid, Rejectors::default(), "preempted at Permit"),
        }
    }

    fn pre_bind(&mut self, uid: &str) {
        self.scheduler.queue.in_flight.remove(uid);
        let Some(binding) = self.scheduler.bindings.get_mut(uid) else { return };
        // It is done once.
        binding.until = None;
        let pod = name_of(&binding.entry.pod);
        let written = self.marks_of(uid);
        if written.is_empty() {
            return self.bind(uid);
        }
        let request = SchedulerApiRequest { verb: "patch", pod, uid: uid.to_owned(), body: marks(&written) };
        self.send(request, Continuation::Marked(uid.to_owned()));
    }

    pub(super) fn marked(&mut self, uid: &str, error: Option<u16>) {
        match error {
            None => self.bind(uid),
            Some(code) => self.binding_failed(uid, Rejectors::default(), &format!("marks: code {code}")),
        }
    }

    fn bind(&mut self, uid: &str) {
        let Some(binding) = self.scheduler.bindings.get(uid) else { return };
        let (pod, body) = (name_of(&binding.entry.pod), json!({"node": binding.node}));
        self.send(
            SchedulerApiRequest { verb: "bind", pod, uid: uid.to_owned(), body },
            Continuation::Bound(uid.to_owned()),
        );
    }

    /// Ends the binding cycle of a pod (`PostBind`).
    pub(super) fn bound(&mut self, uid: &str, error: Option<u16>) {
        if let Some(code) = error {
            return self.binding_failed(uid, Rejectors::default(), &format!("binding: code {code}"));
        }
        let Some(binding) = self.scheduler.bindings.remove(uid) else { return };
        self.observer.succeeded(&binding.entry);
        let held = self.plugin.reserved.remove(&name_of(&binding.entry.pod));
        self.plugin.hints.forget(uid);
        if let (Some(held), Some(talk)) = (held, self.plugin.connection)
            && held.bind != 0
        {
            self.report(talk, held.bind, Ok(()));
        }
    }

    /// Gives up a binding (`handleBindingCycleError`).
    fn binding_failed(&mut self, uid: &str, rejectors: Rejectors, why: &str) {
        let Some(binding) = self.scheduler.bindings.remove(uid) else { return };
        let pod = binding.entry.pod.clone();
        self.unreserve(&pod);
        self.scheduler.assumed.remove(uid_of(&pod));
        let mut placed = pod.clone();
        std::rc::Rc::make_mut(&mut placed)["spec"]["nodeName"] = binding.node.into();
        let left = QueueEvent::PodRemoved(placed);
        if rejectors.is_none() {
            self.move_all(&left, None);
        }
        self.fail(binding.entry, SchedulingFailure::clearing(rejectors, why));
        if !rejectors.is_none() {
            self.move_all(&left, Some((&pod, false)));
        }
    }
}
