//! The rails, and the PodDisruptionBudgets that cover a pod.

use lictor_contract::{Phase, Pod, PodId};

use super::Mirror;
use super::pods::PodEntry;
use crate::cluster::budgets::{CoveredPod, CoveringBudget};
use crate::rails::{Protection, Rails};

impl Mirror {
    /// Sets the rails. Before the first call, they are at their defaults.
    pub fn set_rails(&mut self, rails: Rails) {
        self.scope.rails = rails;
        let pods: Vec<PodId> = self.pods.all().map(|entry| entry.record.id).collect();
        for pod in pods {
            self.pods.change(pod, |entry| entry.resolve_protection(&self.scope.rails));
        }
    }

    /// Returns the rails.
    pub fn rails(&self) -> &Rails {
        &self.scope.rails
    }

    /// Returns the rail that protects a pod from every eviction. `None`: no rail does, or the pod does not exist.
    pub fn protection(&self, pod: PodId) -> Option<Protection> {
        self.pods.get(pod).and_then(|entry| entry.protection(&self.scope.rails))
    }

    /// Returns the budgets that an eviction of a pod must respect. Empty where the pod does not exist, where it is another kind
    /// of object, and where the cluster shows that it has ended, has not started or is being deleted: then the API server asks no budget.
    pub(crate) fn budgets_of(&self, pod: PodId) -> Vec<CoveringBudget> {
        let covered = self.observed_pod(pod).and_then(covered);
        covered.map(|pod| self.preemption.budgets.covering(pod)).unwrap_or_default()
    }

    /// Subtracts the eviction of a pod, as the cluster shows the pod, from what its budgets allow.
    pub(super) fn spend_budgets(&mut self, observed: &PodEntry) {
        covered(observed).into_iter().for_each(|pod| self.preemption.budgets.spend(pod));
    }
}

/// Returns a pod as budgets see it. `None`: its eviction needs no budget.
fn covered(entry: &PodEntry) -> Option<CoveredPod<'_>> {
    let Pod { template, name, kind, phase, terminating, .. } = &entry.record;
    let is_asked = kind.is_none() && matches!(phase, Phase::Running | Phase::Unknown) && !terminating;
    let (labels, ready) = (&entry.declared.labels, entry.declared.ready);
    is_asked.then_some(CoveredPod { namespace: &template.namespace, name, labels, ready })
}
