//! The rail of budgets: what the API server would refuse to evict, no plan begins to evict.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::PodId;

use crate::cluster::CoveringBudget;
use crate::reason::{NamedFact, NamedReason, render};
use crate::verify::VerifyContext;

/// Victims that their PodDisruptionBudgets do not let go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetViolation {
    /// What the API server would refuse.
    pub refusal: BudgetRefusal,
    /// The pods that no plan may evict now.
    pub refuted: Vec<PodId>,
}

/// The refusal of the API server, with numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetRefusal {
    /// A budget allows fewer evictions.
    Exceeded {
        /// The namespace and name of the budget.
        budget: String,
        /// The number of victims of the plan that the budget covers.
        victims: usize,
        /// The number of evictions that the budget allows.
        allowed: usize,
        /// The number of victims of earlier plans that the budget covers and that still run.
        earlier: usize,
    },
    /// A victim has several budgets.
    Several {
        /// The victim.
        pod: String,
        /// The number of its budgets.
        count: usize,
    },
}

impl BudgetViolation {
    /// Returns the violation as a reason for the preemptor.
    pub(super) fn reason(&self) -> NamedReason {
        match &self.refusal {
            BudgetRefusal::Exceeded { budget, victims, allowed, earlier } => {
                let case = if *earlier == 0 { "" } else { "leaving" };
                let numbers = [NamedFact::count("victims", *victims), NamedFact::count("allowed", *allowed)];
                let leaving = (*earlier > 0).then(|| NamedFact::count("earlier", *earlier));
                let facts = std::iter::once(NamedFact::name("budget", budget)).chain(numbers).chain(leaving);
                render("host/rail-budgets", case, facts.collect())
            }
            BudgetRefusal::Several { pod, count } => {
                let facts = vec![NamedFact::name("pod", pod), NamedFact::count("count", *count)];
                render("host/rail-budgets", "several", facts)
            }
        }
    }
}

/// The victims of one budget.
#[derive(Debug, Default)]
struct Spent {
    /// The victims of the plan, in its order.
    victims: Vec<PodId>,
    /// The number of victims of earlier plans that still run.
    earlier: usize,
    allowed: usize,
}

/// Checks that the budgets let all victims of a plan go, together with those of earlier plans that still run.
pub(super) fn check(ground: &VerifyContext<'_>, victims: &[PodId]) -> Result<(), BudgetViolation> {
    if !ground.mirror.rails().budgets {
        return Ok(());
    }
    let mut budgets: BTreeMap<String, Spent> = BTreeMap::new();
    for victim in victims {
        for CoveringBudget { name, allowed, .. } in counting_budgets(ground, *victim)? {
            let spent = budgets.entry(name).or_default();
            spent.allowed = allowed;
            spent.victims.push(*victim);
        }
    }
    if budgets.is_empty() {
        return Ok(());
    }
    let planned: BTreeSet<PodId> = victims.iter().copied().collect();
    let leaving = ground.departures.iter().map(|(victim, _)| victim).filter(|victim| !planned.contains(victim));
    let leaving = leaving.filter(|victim| ground.departures.plan_of_victim(ground.mirror, *victim).is_some());
    // Of an eviction that the API server has accepted, the budget shows one less already.
    let counted = leaving.flat_map(|victim| counting_budgets(ground, victim).unwrap_or_default());
    for CoveringBudget { name, .. } in counted.filter(|budget| !budget.has_subtracted) {
        if let Some(spent) = budgets.get_mut(&name) {
            spent.earlier = spent.earlier.saturating_add(1);
        }
    }
    budgets.into_iter().try_for_each(|(name, spent)| within(ground, name, &spent))
}

/// Returns the budgets from which the eviction of a victim is subtracted: at most one, because the API server evicts no pod that has several.
fn counting_budgets(ground: &VerifyContext<'_>, victim: PodId) -> Result<Vec<CoveringBudget>, BudgetViolation> {
    let mut covering = ground.mirror.budgets_of(victim);
    if covering.len() > 1 {
        let refusal = BudgetRefusal::Several { pod: ground.pod_name(victim), count: covering.len() };
        return Err(BudgetViolation { refusal, refuted: vec![victim] });
    }
    covering.retain(|budget| budget.counts);
    Ok(covering)
}

/// Checks that one budget allows so many evictions. Where it allows none at all now, no pod that it covers is to be planned.
fn within(ground: &VerifyContext<'_>, name: String, spent: &Spent) -> Result<(), BudgetViolation> {
    let left = spent.allowed.saturating_sub(spent.earlier);
    if spent.victims.len() <= left {
        return Ok(());
    }
    let covers = |pod: &PodId| counting_budgets(ground, *pod).is_ok_and(|it| it.iter().any(|other| other.name == name));
    let refuted = if left == 0 {
        ground.mirror.pods().map(|pod| pod.id).filter(covers).collect()
    } else {
        spent.victims.iter().skip(left).copied().collect()
    };
    let (victims, allowed, earlier) = (spent.victims.len(), spent.allowed, spent.earlier);
    Err(BudgetViolation { refusal: BudgetRefusal::Exceeded { budget: name, victims, allowed, earlier }, refuted })
}

#[cfg(test)]
mod tests;
