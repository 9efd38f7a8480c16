//! Objects that are new or have changed.

use std::sync::Arc;

use lictor_contract::{Node, Pod, PodId, PodTemplate, Severity, ShapeId};

use super::Mirror;
use super::nodes::NodeEntry;
use super::placed::InvalidObject;
use super::pods::{DeclaredFields, PodEntry};
use crate::cluster::InputError;
use crate::cluster::budgets::EvictionBudget;
use crate::cluster::eligibility::Constraints;
use crate::cluster::object::{
    Body, ClassFacts, KubernetesObject, NodeFacts, ObjectIdentity, PodFacts, SourceLocation, disruption_budget,
};
use crate::cluster::reads::{is_budget, is_read_by_host};

impl Mirror {
    /// Creates or replaces an object. An object of a kind that neither the host nor the policy needs is only counted. An object of a placed kind that
    /// cannot be read is left out, and so is an object whose version is not read; see [`Mirror::drain_invalid_objects`].
    pub fn upsert(&mut self, object: KubernetesObject) {
        if !self.is_mirrored(&object) {
            let count = self.findings.ignored.entry(object.id.full_kind()).or_default();
            *count = count.saturating_add(1);
            return;
        }
        let KubernetesObject { mut id, location: place, body } = object;
        let wanted = self.objects.stores(&id.group, &id.kind);
        match body {
            Body::Node(facts) => self.upsert_node(*facts),
            Body::Pod(facts) => {
                self.upsert_pod(*facts, place);
            }
            Body::PriorityClass(facts, json) => {
                self.upsert_class(&id.name, facts);
                if wanted {
                    self.objects.set(&id, json);
                }
            }
            Body::Storage(storage, json) => {
                self.volumes.known.set(&id.namespace, &id.name, storage);
                if wanted {
                    self.objects.set(&id, json);
                }
            }
            Body::Namespace(labels, json) => {
                self.set_namespace(&id.name, Some(labels));
                if wanted {
                    self.objects.set(&id, json);
                }
            }
            Body::Other(json, origin) if is_budget(&id) => {
                self.upsert_budget(&id, disruption_budget(&id, &json, &origin));
                if wanted {
                    self.objects.set(&id, json);
                }
            }
            Body::Other(json, origin) => match self.scope.placed.read(&mut id, &json, &origin) {
                Ok(placed) => {
                    self.objects.set(&id, json);
                    if let Some(facts) = placed {
                        self.upsert_pod(facts, place);
                    }
                }
                Err(mistake) => self.record_invalid(&id, mistake, Severity::Error),
            },
            Body::UnsupportedVersion(_, mistake) => self.record_invalid(&id, mistake, Severity::Warning),
        }
    }

    fn record_invalid(&mut self, id: &ObjectIdentity, mistake: InputError, severity: Severity) {
        self.findings.invalid.push(InvalidObject { object: id.key(), mistake, severity });
    }

    /// Returns whether the mirror keeps an object.
    pub(super) fn is_mirrored(&self, object: &KubernetesObject) -> bool {
        let (group, kind) = (&*object.id.group, &*object.id.kind);
        match object.body {
            Body::Node(_) | Body::Pod(_) | Body::PriorityClass(..) | Body::Storage(..) | Body::Namespace(..) => true,
            Body::UnsupportedVersion(..) => is_read_by_host(group, kind) || self.objects.stores(group, kind),
            Body::Other(..) => is_budget(&object.id) || self.objects.stores(group, kind),
        }
    }

    fn upsert_node(&mut self, facts: NodeFacts) {
        let NodeFacts { allocatable, terrain } = facts;
        let name = terrain.name.clone();
        let id = self.nodes.number(&name);
        let own = self.resources.amounts(&allocatable);
        let allocatable = self.node_amounts(id, &own);
        let labels = self.scope.node_labels.apply(&terrain.labels);
        let record = Node { id, name: name.clone(), allocatable, labels };
        self.shared.shapes.update_node(id, &name, Some(&terrain));
        self.inter_pods.update_node(id, Some(&terrain));
        let is_same = self.nodes.get(id).is_some_and(|before| before.terrain == terrain);
        self.volumes.usage.stale |= !is_same;
        let new = NodeEntry { record: record.clone(), declared_allocatable: own, terrain };
        match self.nodes.set(id, Some(new)) {
            Some(old) if old.record == record => {}
            Some(_) => self.nodes.ledger.record_changed(id),
            None => {
                self.nodes.ledger.record_restored(id);
                self.nodes.ledger.record_changed(id);
                for pod in self.pods.of_node(&name) {
                    self.pods.change(pod, |entry| entry.resolve_nodes(&self.nodes));
                }
            }
        }
    }

    /// Creates or replaces a budget. One that cannot be read covers no pod; a policy that reads budgets reports it, and else the mirror does.
    fn upsert_budget(&mut self, id: &ObjectIdentity, read: Result<EvictionBudget, InputError>) {
        match read {
            Ok(budget) => self.preemption.budgets.set(&id.namespace, &id.name, budget),
            Err(mistake) => {
                self.preemption.budgets.remove(&id.namespace, &id.name);
                if !self.objects.stores(&id.group, &id.kind) {
                    self.record_invalid(id, mistake, Severity::Warning);
                }
            }
        }
    }

    fn upsert_class(&mut self, name: &str, facts: ClassFacts) {
        let concerns_all =
            facts.global_default || self.preemption.classes.get(name).is_some_and(|old| old.global_default);
        self.preemption.classes.set(name, facts);
        let mut concerned = self.pods.of_class(name);
        if concerns_all {
            concerned.extend(self.pods.of_class(""));
        }
        for pod in concerned {
            self.pods.change(pod, |entry| {
                entry.resolve_priority(&self.preemption.classes);
                entry.resolve_protection(&self.scope.rails);
            });
        }
    }

    /// Creates or replaces a pod. Returns its number, and the number of the pod that had this name before.
    pub(super) fn upsert_pod(&mut self, facts: PodFacts, place: SourceLocation) -> (PodId, Option<PodId>) {
        let name = self.scope.placed.name(facts.kind, &facts.metadata.namespace, &facts.metadata.name);
        let mut known = self.pods.id(&name).and_then(|id| self.pods.get(id)).map(|entry| &entry.record);
        let before = known.map(|old| old.id);
        if let Some(old) = known
            && !old.uid.is_empty()
            && !facts.metadata.uid.is_empty()
            && old.uid != facts.metadata.uid
        {
            // The uid differs, so this is another pod of the same name, and the known pod must be gone.
            let gone = old.id;
            self.remove_pod(gone);
            known = None;
        }
        let (id, created, entered) = match known {
            Some(old) => (old.id, old.created, old.entered),
            None => (self.pods.number(&name), self.clock.now, self.clock.now),
        };
        let mut entry = self.entry(id, facts, place, created, entered);
        entry.resolve_nodes(&self.nodes);
        entry.resolve_priority(&self.preemption.classes);
        entry.resolve_scheduler(self.scope.schedulers.as_ref());
        entry.resolve_protection(&self.scope.rails);
        self.mark_volumes_stale(&entry);
        self.observe(id, entry);
        (id, before)
    }

    /// Returns the number of the shape with these constraints.
    pub(super) fn shape(&mut self, constraints: Constraints) -> ShapeId {
        let nodes = &self.nodes;
        let all = nodes.all().map(|entry| (entry.record.id, &entry.terrain));
        self.shared.shapes.intern(constraints, all, |name| nodes.find(name))
    }

    /// Creates the entry of a pod. The fields that depend on other objects are still to be resolved. `created` stands in for a missing creation time.
    fn entry(&mut self, id: PodId, facts: PodFacts, place: SourceLocation, created: i64, entered: i64) -> PodEntry {
        let status = facts.status;
        let required = facts.constraints.required_name().map(str::to_owned);
        let shape = self.shape(facts.constraints);
        let requests = self.resources.requests(&facts.requests);
        let template = PodTemplate {
            namespace: facts.metadata.namespace,
            owner: facts.metadata.owner,
            priority: facts.scheduling.priority,
            priority_class: facts.scheduling.priority_class,
            never_preempts: facts.scheduling.never_preempts.unwrap_or_default(),
            scheduler: facts.scheduling.scheduler,
            foreign: false,
            protected: false,
            requests: requests.clone(),
            labels: self.scope.labels.apply(&facts.metadata.labels),
            annotations: self.scope.annotations.apply(&facts.metadata.annotations),
            fields: self.scope.pod_fields.of(&facts.json),
        };
        let record = Pod {
            id,
            template: Arc::new(template),
            kind: facts.kind,
            name: facts.metadata.name,
            uid: facts.metadata.uid,
            gated: facts.kind.is_none() && !facts.scheduling.gates.is_empty(),
            phase: status.phase,
            node: None,
            nominated: None,
            required_node: None,
            terminating: facts.metadata.terminating,
            preempted: status.preempted,
            created: facts.metadata.created.unwrap_or(created),
            entered,
            started: status.started,
            scheduled: status.scheduled,
            shape,
            inter_pod: None,
        };
        let stated = DeclaredFields {
            node: facts.node,
            nominated: status.nominated,
            required,
            priority: facts.scheduling.priority,
            never_preempts: facts.scheduling.never_preempts,
            phase: status.phase,
            ready: status.ready,
            gates: facts.scheduling.gates,
            requests,
            volumes: facts.volumes,
            labels: self.shared.label_sets.intern(facts.metadata.labels),
            demands: facts.demands,
        };
        PodEntry { record, declared: stated, location: place }
    }
}
