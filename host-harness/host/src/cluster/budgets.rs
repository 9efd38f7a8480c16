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
    fn counts(&self, pod: CoveredPod<'_>) -> bool {
        pod.ready || !self.evicts_unready
    }

    /// Returns whether an eviction of a pod that the budget selects has been subtracted already.
    fn has_subtracted(&self, pod: CoveredPod<'_>) -> bool {
        self.disrupted.contains(pod.name)
    }
}

/// A budget that an eviction of a pod must respect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoveringBudget {
    /// The namespace and name.
    pub(crate) name: String,
    /// The number of evictions that the budget allows now.
    pub(crate) allowed: usize,
    /// Whether the eviction of the pod is subtracted from them.
    pub(crate) counts: bool,
    /// Whether an eviction of the pod has been subtracted already.
    pub(crate) has_subtracted: bool,
}

/// The budgets, by namespace and name.
#[derive(Debug, Default)]
pub(crate) struct EvictionBudgets(BTreeMap<String, BTreeMap<String, EvictionBudget>>);

impl EvictionBudgets {
    /// Creates or replaces a budget.
    pub(crate) fn set(&mut self, namespace: &str, name: &str, budget: EvictionBudget) {
        self.0.entry(namespace.to_owned()).or_default().insert(name.to_owned(), budget);
    }

    /// Removes a budget. Returns whether the budget existed.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> bool {
        let Some(of_namespace) = self.0.get_mut(namespace) else { return false };
        let removed = of_namespace.remove(name).is_some();
        if of_namespace.is_empty() {
            self.0.remove(namespace);
        }
        removed
    }

    /// Subtracts an eviction that the API server has accepted, as it does itself before it shows the budget again.
    pub(crate) fn spend(&mut self, pod: CoveredPod<'_>) {
        let of_namespace = self.0.get_mut(pod.namespace).into_iter().flat_map(BTreeMap::values_mut);
        let is_new = |budget: &EvictionBudget| budget.counts(pod) && !budget.has_subtracted(pod);
        for budget in of_namespace.filter(|budget| budget.selects(pod) && is_new(budget)) {
            budget.allowed = budget.allowed.saturating_sub(1);
            budget.disrupted.insert(pod.name.to_owned());
        }
    }

    /// Returns whether a budget exists.
    pub(crate) fn contains(&self, namespace: &str, name: &str) -> bool {
        self.0.get(namespace).is_some_and(|budgets| budgets.contains_key(name))
    }

    /// Returns the budgets that select a pod.
    pub(crate) fn covering(&self, pod: CoveredPod<'_>) -> Vec<CoveringBudget> {
        let of_namespace = self.0.get(pod.namespace).into_iter().flatten();
        let covering = |(name, budget): (&String, &EvictionBudget)| CoveringBudget {
            name: format!("{}/{name}", pod.namespace),
            allowed: budget.allowed,
            counts: budget.counts(pod),
            has_subtracted: budget.has_subtracted(pod),
        };
        of_namespace.filter(|(_, budget)| budget.selects(pod)).map(covering).collect()
    }
}
