//! Events: the cluster as the host tells it.

use crate::contract::*;
use crate::model::{Kind, NodeIx, Overflow, Place, Pod, PodIx, PodName, Request, ResourceIx, ShapeIx};
use crate::systems::{Document, Findings};

use super::Engine;

impl Engine {
    /// See `decision.apply`.
    pub fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError> {
        if self.system.is_none() {
            return Err(PolicyError::NotConfigured);
        }
        let mut findings = Vec::new();
        let applied = self.apply_all(events, &mut findings);
        if let Some(system) = &mut self.system {
            system.sync_queues(&mut self.cluster, &mut findings);
        }
        self.recompute();
        self.ledger.prune(&self.cluster);
        applied.map(|()| Applied { revision: self.revision, findings })
    }

    /// Applies the events in their order, up to the first that cannot be counted. That one changes nothing.
    fn apply_all(&mut self, events: Vec<Event>, findings: &mut Findings) -> Result<(), PolicyError> {
        for event in events {
            self.apply_event(event, findings).map_err(|over| self.overflow(over))?;
            self.revision = self.revision.saturating_add(1);
        }
        Ok(())
    }

    fn apply_event(&mut self, event: Event, findings: &mut Findings) -> Result<(), Overflow> {
        match event {
            Event::Resources(resources) => {
                for resource in resources {
                    self.cluster.announce(resource.name, resource.everywhere)?;
                }
            }
            Event::NodeUpserted(node) => {
                let named = node.allocatable.iter().map(|amount| (ResourceIx(amount.resource), amount.value));
                self.cluster.upsert_node(NodeIx(node.id), node.name, named)?;
            }
            Event::NodeRemoved(node) => self.cluster.remove_node(NodeIx(node)),
            Event::PodUpserted(pod) => self.upsert_pod(pod, findings)?,
            Event::PodRemoved(pod) => {
                self.cluster.remove_pod(PodIx(pod));
                self.ledger.forget_pod(PodIx(pod));
                self.notes.forget_pod(PodIx(pod));
                if let Some(system) = &mut self.system {
                    system.forget_pod(PodIx(pod));
                }
            }
            Event::Eligibility(eligibility) => {
                self.cluster.set_eligible(ShapeIx(eligibility.shape), eligibility.nodes);
            }
            Event::ObjectUpserted(object) => {
                let system = self.system.as_mut().zip(Document::read(&object, findings));
                if let Some((system, document)) = system {
                    system.read_object(&mut self.cluster, &document, findings);
                }
            }
            Event::ObjectRemoved(key) => {
                if let Some(system) = &mut self.system {
                    system.remove_object(&mut self.cluster, &key);
                }
            }
            Event::Clock(now) => self.cluster.set_now(now),
            Event::PlanAccepted(plan) => {
                self.ledger.accept(plan);
                self.cluster.note_scaling(self.ledger.victims_of(plan));
            }
            Event::PlanRefused(plan) => self.ledger.refuse(plan),
        }
        Ok(())
    }

    fn upsert_pod(&mut self, pod: crate::contract::Pod, findings: &mut Findings) -> Result<(), Overflow> {
        let Some(system) = &mut self.system else { return Ok(()) };
        let amounts = pod.requests.iter().map(|amount| (ResourceIx(amount.resource), amount.value));
        let request = Request::new(amounts.collect());
        self.cluster.can_count_request(PodIx(pod.id), &request)?;
        let attributes = system.read_pod(&mut self.cluster, &pod, findings);
        let kind = match pod.kind {
            PodKind::Pod => Kind::Pod,
            PodKind::Reservation => Kind::Reservation,
        };
        let place = match (pod.phase, pod.node) {
            (Phase::Succeeded | Phase::Failed, _) => Place::Finished,
            (_, Some(node)) => Place::Bound(NodeIx(node)),
            (_, None) => Place::Pending,
        };
        let mut entry = Pod {
            namespace: self.cluster.intern(&pod.namespace),
            name: PodName { kind, namespace: pod.namespace, name: pod.name },
            rank: 0,
            created: pod.created,
            entered: pod.entered,
            started: pod.started,
            request,
            shape: ShapeIx(pod.shape),
            daemon: pod.owner.as_ref().is_some_and(|owner| owner.kind == "DaemonSet"),
            required_node: pod.required_node.map(NodeIx),
            place,
            nominated: pod.nominated.map(NodeIx),
            terminating: pod.terminating,
            preempted: pod.preempted,
            attributes,
            queue: None,
        };
        entry.queue = system.queue_of(&self.cluster, &entry);
        self.cluster.upsert_pod(PodIx(pod.id), entry)
    }
}
