//! PodDisruptionBudgets: which evictions the API server refuses.
//!
//! (Kubernetes: `pkg/registry/core/pod/storage/eviction.go`, `EvictionREST.Create` and `checkAndDecrement`.)

use std::collections::{BTreeMap, BTreeSet};

use super::eligibility::LabelRequirement;

/// A PodDisruptionBudget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvictionBudget {
    /// The requirements on the labels of its pods; an empty set is that of all pods of the namespace. `None`: the budget covers no pod.
    pub(crate) selector: Option<BTreeSet<LabelRequirement>>,
    /// The number of its pods that may be evicted now.
    pub(crate) allowed: usize,
    /// The names of the pods whose eviction the API server has accepted and subtracted.
    pub(crate) disrupted: BTreeSet<String>,
    /// Whether a pod that is not ready is evicted whatever `allowed` is.
    pub(crate) evicts_unready: bool,
}

/// A running pod, as a budget sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoveredPod<'p> {
    pub(crate) namespace: &'p str,
    pub(crate) name: &'p str,
    pub(crate) labels: &'p BTreeMap<String, String>,
    pub(crate) ready: bool,
}

impl EvictionBudget {
    /// Returns whether the selector matches the labels of a pod of the budget's namespace.
    fn selects(&self, pod: CoveredPod<'_>) -> bool {
        self.selector.as_ref().is_some_and(|selector| selector.iter().all(|it| it.matches(pod.labels)))
    }

    /// Returns whether the eviction of a pod that the budget selects is subtracted from what the budget allows.
    pub(crate) fn counts(&self, pod: CoveredPod<'_>) -> bool {
        pod.ready || !self.evicts_unready
    }

    /// Returns whether an eviction of a pod that the budget selects has been subtracted already.
    pub(crate) fn has_subtracted(&self, pod: CoveredPod<'_>) -> bool {
        self.disrupted.contains(pod.name)
    }
}

/// The budgets, by namespace and name.
#[derive(Debug, Default)]
pub(crate) struct EvictionBudgets(BTreeMap<String, BTreeMap<String, EvictionBudget>>);

impl EvictionBudgets {
    /// Creates or replaces a budget. `None`: removes the budget. Returns whether the budget existed.
    pub(crate) fn set(&mut self, namespace: &str, name: &str, budget: Option<EvictionBudget>) -> bool {
        let of_namespace = self.0.entry(namespace.to_owned()).or_default();
        let before = match budget {
            Some(budget) => of_namespace.insert(name.to_owned(), budget),
            None => of_namespace.remove(name),
        };
        self.0.retain(|_, budgets| !budgets.is_empty());
        before.is_some()
    }

    /// Subtracts an eviction that the API server has accepted, as it does itself before it shows the budget again.
    pub(crate) fn spend(&mut self, pod: CoveredPod<'_>) {
        let of_namespace = self.0.get_mut(pod.namespace).into_iter().flat_map(BTreeMap::values_mut);
        for budget in of_namespace.filter(|budget| budget.selects(pod) && budget.counts(pod)) {
            if budget.has_subtracted(pod) {
                continue;
            }
            budget.allowed = budget.allowed.saturating_sub(1);
            budget.disrupted.insert(pod.name.to_owned());
        }
    }

    /// Returns whether a budget exists.
    pub(crate) fn contains(&self, namespace: &str, name: &str) -> bool {
        self.0.get(namespace).is_some_and(|budgets| budgets.contains_key(name))
    }

    /// Returns the budgets that select a pod, with their names.
    pub(crate) fn covering<'b>(
        &'b self,
        pod: CoveredPod<'b>,
    ) -> impl Iterator<Item = (&'b str, &'b EvictionBudget)> + 'b {
        let of_namespace = self.0.get(pod.namespace).into_iter().flatten();
        of_namespace.filter(move |(_, budget)| budget.selects(pod)).map(|(name, budget)| (name.as_str(), budget))
    }
}
