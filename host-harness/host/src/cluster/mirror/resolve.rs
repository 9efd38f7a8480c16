//! What of a pod depends on other objects: nodes by name, the priority class.

use std::collections::BTreeSet;

use lictor_contract::Phase;

use super::classes::PriorityClassTable;
use super::nodes::NodeTable;
use super::pods::PodEntry;
use crate::rails::{Protection, Rails};

impl PodEntry {
    /// Looks up the nodes that a pod names. A pod on a missing node counts as bound to no node, and not as pending.
    pub(super) fn resolve_nodes(&mut self, nodes: &NodeTable) {
        let (stated, record) = (&self.declared, &mut self.record);
        let find = |name: &Option<String>| name.as_ref().and_then(|name| nodes.id(name));
        record.node = find(&stated.node);
        record.nominated = find(&stated.nominated);
        record.required_node = find(&stated.required);
        let lost = stated.node.is_some() && record.node.is_none() && stated.phase == Phase::Pending;
        record.phase = if lost { Phase::Running } else { stated.phase };
    }

    /// Computes whether the policy decides about a pod: about those of these schedulers, or about all (`None`). A placed object names no scheduler,
    /// so the policy decides about each.
    pub(super) fn resolve_scheduler(&mut self, ours: Option<&BTreeSet<String>>) {
        let is_pod = self.record.kind.is_none();
        let foreign = is_pod && ours.is_some_and(|ours| !ours.contains(&self.record.template.scheduler));
        if self.record.template.foreign != foreign {
            self.record.template_mut().foreign = foreign;
        }
    }

    /// Computes whether the host protects a pod from every eviction. The priority of the pod must be resolved.
    pub(super) fn resolve_protection(&mut self, rails: &Rails) {
        let protected = self.protection(rails).is_some();
        if self.record.template.protected != protected {
            self.record.template_mut().protected = protected;
        }
    }

    /// Returns the rail that protects a pod. A placed object stands for no running process, so that no rail protects it.
    pub(super) fn protection(&self, rails: &Rails) -> Option<Protection> {
        let template = &self.record.template;
        let is_pod = self.record.kind.is_none();
        is_pod.then(|| rails.protection(&template.namespace, template.priority, &self.declared.labels)).flatten()
    }

    /// Computes the values that a pod takes from its priority class.
    pub(super) fn resolve_priority(&mut self, classes: &PriorityClassTable) {
        let class = self.class().and_then(|name| classes.get(name));
        let (value, never) = (class.map(|class| class.value), class.map(|class| class.never_preempts));
        let priority = self.declared.priority.or(value);
        let never_preempts = self.declared.never_preempts.or(never).unwrap_or_default();
        let template = &self.record.template;
        if (template.priority, template.never_preempts) != (priority, never_preempts) {
            let template = self.record.template_mut();
            (template.priority, template.never_preempts) = (priority, never_preempts);
        }
    }
}
