//! Disruption budgets and the pods they cover.

use super::*;

impl Cluster {
    /// Adds a budget, under the first free number. `None`: no number is free.
    pub fn add_budget(&mut self, budget: DisruptionBudget) -> Option<BudgetIx> {
        self.budgets.insert_at_free(budget)
    }

    /// Replaces the budget of this number.
    pub fn set_budget(&mut self, ix: BudgetIx, budget: DisruptionBudget) {
        self.budgets.insert(ix, budget);
    }

    /// Removes a budget. [`Cluster::set_pod_budgets`] must be called next, for all pods that it covered, because its number may be given to another
    /// budget.
    pub fn remove_budget(&mut self, ix: BudgetIx) {
        self.budgets.remove(ix);
    }

    /// Sets the budgets that cover a pod.
    pub fn set_pod_budgets(&mut self, ix: PodIx, budgets: Vec<BudgetIx>) {
        if let Some(pod) = self.pods.table.get_mut(ix) {
            pod.attributes.budgets = budgets;
        }
    }

    /// Splits pods into those that one of their budgets protects, and the others. The budgets are spent in the given order: with the most important
    /// pods first, the less important ones are protected. Pods that are evicted together are protected together. The pods in `leaving` have spent
    /// their budgets before, as they leave already. Upstream counts them as victims of the same node once more (SelectVictimsOnNode and
    /// FilterVictimsWithPDBViolation).
    pub fn partition_by_budget_violation(&self, pods: Vec<PodIx>, leaving: &[PodIx]) -> (Vec<PodIx>, Vec<PodIx>) {
        if self
            .expand_disruption_groups(&pods)
            .iter()
            .filter_map(|ix| self.pod(*ix))
            .all(|pod| pod.attributes.budgets.is_empty())
        {
            return (Vec::new(), pods);
        }
        let mut allowed: BTreeMap<BudgetIx, i64> = BTreeMap::new();
        let mut spends = |ix: &PodIx| {
            let mut violates = false;
            let alone = [*ix];
            let together = self.expand_disruption_groups(&alone);
            for budget in together.iter().filter_map(|ix| self.pod(*ix)).flat_map(|pod| &pod.attributes.budgets) {
                let Some(known) = self.budgets.get(*budget) else { continue };
                let left = allowed.entry(*budget).or_insert(known.allowed);
                *left = left.saturating_sub(1);
                violates |= *left < 0;
            }
            violates
        };
        leaving.iter().for_each(|ix| {
            let _violates = spends(ix);
        });
        pods.into_iter().partition(spends)
    }
}
