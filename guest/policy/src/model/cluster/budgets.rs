//! Disruption budgets and the pods they cover.

use super::*;

impl Cluster {
    /// Replaces all budgets. `covers` tells which ones cover a pod.
    pub fn set_budgets(&mut self, budgets: Vec<Budget>, covers: impl Fn(PodIx, &Pod) -> Vec<BudgetIx>) {
        self.budgets = Table::default();
        for budget in budgets {
            self.budgets.push(budget);
        }
        for (ix, pod) in self.pods.iter_mut() {
            pod.attributes.budgets = covers(ix, pod);
        }
    }

    /// Whether there are any budgets.
    pub fn has_budgets(&self) -> bool {
        self.budgets.span() > 0
    }

    /// Splits pods into those whose disruption one of their budgets no longer allows, and the others. The budgets are spent in the
    /// order given: with the most important first, it is the less important ones that are protected. Pods that are evicted together
    /// are protected together.
    pub fn split_by_budget(&self, pods: Vec<PodIx>) -> (Vec<PodIx>, Vec<PodIx>) {
        if self
            .with_whole_groups(&pods)
            .iter()
            .filter_map(|ix| self.pod(*ix))
            .all(|pod| pod.attributes.budgets.is_empty())
        {
            return (Vec::new(), pods);
        }
        let mut allowed: BTreeMap<BudgetIx, i64> =
            self.budgets.iter().map(|(ix, budget)| (ix, budget.allowed)).collect();
        let violates = |ix: &PodIx| {
            let mut violates = false;
            let alone = [*ix];
            let together = self.with_whole_groups(&alone);
            for budget in together.iter().filter_map(|ix| self.pod(*ix)).flat_map(|pod| &pod.attributes.budgets) {
                if let Some(left) = allowed.get_mut(budget) {
                    *left = left.saturating_sub(1);
                    violates |= *left < 0;
                }
            }
            violates
        };
        pods.into_iter().partition(violates)
    }
}
