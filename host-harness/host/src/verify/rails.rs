//! The rails of the operator, which hold whatever the policy says.

mod budgets;

use std::collections::BTreeMap;

use lictor_contract::{PodId, Refuted};

pub use budgets::{BudgetRefusal, BudgetViolation};

use super::{PlanUnderTest, VerifyContext, Violation};
use crate::cluster::BUDGET_KIND;
use crate::rails::{EvictionRate, HigherPriorityVictims, Protection};
use crate::reason::{NamedFact, NamedReason, render, time};

/// A rail that a plan does not respect, with numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RailViolation {
    /// A victim that a rail protects, or a placed object with such a pod inside.
    Protected {
        /// The number of the victim.
        id: PodId,
        /// The protected pod.
        pod: String,
        /// The priority of the protected pod.
        priority: i32,
        /// The rail.
        protection: Protection,
    },
    /// A victim of a higher priority than the preemptor.
    HigherPriority {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
        /// The priority of the victim.
        priority: i32,
        /// The preemptor.
        preemptor: String,
        /// The priority of the preemptor.
        of_preemptor: i32,
    },
    /// Victims that their PodDisruptionBudgets do not let go.
    Budget(BudgetViolation),
    /// A plan with too many victims.
    PlanTooLarge {
        /// The number of victims.
        victims: usize,
        /// The maximum.
        most: u32,
    },
    /// Too many victims within a time.
    TooFast {
        /// The namespace of the victims. `None`: the victims of all namespaces.
        namespace: Option<String>,
        /// The number of victims of the plan.
        victims: usize,
        /// The number of victims of earlier plans within the time.
        earlier: usize,
        /// The maximum.
        rate: EvictionRate,
        /// The time of the next attempt, in nanoseconds since 1970. `None`: the plan alone has more victims than the maximum.
        until: Option<i64>,
    },
}

impl RailViolation {
    /// Returns the violation as a reason for the preemptor.
    pub(super) fn reason(&self) -> NamedReason {
        match self {
            RailViolation::Protected { pod, priority, protection, .. } => {
                let pod_fact = NamedFact::name("pod", pod);
                match protection {
                    Protection::SystemPriority => {
                        render("host/rail-system-priority", "", vec![pod_fact, NamedFact::count("priority", *priority)])
                    }
                    Protection::Namespace => render("host/rail-namespace", "", vec![pod_fact]),
                    Protection::Label => render("host/rail-never-evict", "", vec![pod_fact]),
                }
            }
            RailViolation::HigherPriority { victim, priority, preemptor, of_preemptor, .. } => {
                let facts = vec![
                    NamedFact::name("pod", victim),
                    NamedFact::count("priority", *priority),
                    NamedFact::name("preemptor", preemptor),
                    NamedFact::count("of-preemptor", *of_preemptor),
                ];
                render("host/rail-higher-priority", "", facts)
            }
            RailViolation::Budget(violation) => violation.reason(),
            RailViolation::PlanTooLarge { victims, most } => {
                let facts = vec![NamedFact::count("victims", *victims), NamedFact::count("most", *most)];
                render("host/rail-victims-per-plan", "", facts)
            }
            RailViolation::TooFast { namespace, victims, earlier, rate, until } => {
                let code = match namespace {
                    Some(_) => "host/rail-victims-per-namespace",
                    None => "host/rail-victims-per-window",
                };
                let of = namespace.iter().map(|name| NamedFact::name("namespace", name));
                let numbers = [
                    NamedFact::count("victims", *victims),
                    NamedFact::count("earlier", *earlier),
                    NamedFact::count("most", rate.victims),
                    NamedFact::duration("window", rate.nanoseconds()),
                ];
                let next = until.map(|until| NamedFact::name("time", time(until)));
                let case = if until.is_some() { "" } else { "never" };
                render(code, case, of.chain(numbers).chain(next).collect())
            }
        }
    }

    /// Returns the victims that no plan may have. `None`: the number of victims is too large.
    pub(super) fn refuted_victims(&self) -> Option<Refuted> {
        match self {
            RailViolation::Protected { id, .. } | RailViolation::HigherPriority { id, .. } => {
                Some(Refuted { victims: vec![*id], ..Refuted::default() })
            }
            RailViolation::Budget(violation) => {
                Some(Refuted { victims: violation.refuted.clone(), ..Refuted::default() })
            }
            RailViolation::PlanTooLarge { .. } | RailViolation::TooFast { .. } => None,
        }
    }

    /// Returns the kind of objects whose change may make the same plan acceptable. `None`: no change of an object does.
    pub fn retry_after(&self) -> Option<&'static str> {
        matches!(self, RailViolation::Budget(_)).then_some(BUDGET_KIND)
    }

    /// Returns the time after which the same plan may be accepted, in nanoseconds since 1970. `None`: time alone does not help.
    pub fn retry_at(&self) -> Option<i64> {
        match self {
            RailViolation::TooFast { until, .. } => *until,
            _ => None,
        }
    }
}

/// Checks that a plan respects the rails. A pod that is held at Permit does not run, so no rail is about it.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let holds = ground.occupancy.permit_holds();
    let named = proposal.plan.victims.iter().map(|victim| victim.pod);
    let victims: Vec<PodId> = named.filter(|victim| !holds.contains(*victim)).collect();
    victims.iter().try_for_each(|victim| unprotected(ground, *victim)).map_err(Violation::Rail)?;
    if let Some(preemptor) = beneficiary(proposal) {
        let rank = |victim: &PodId| ranks_no_higher(ground, *victim, preemptor);
        victims.iter().try_for_each(rank).map_err(Violation::Rail)?;
    }
    budgets::check(ground, &victims).map_err(|it| Violation::Rail(RailViolation::Budget(it)))?;
    few_enough(ground, &victims).map_err(Violation::Rail)
}

/// Returns the pod whose priority counts: that of the attempt, whatever pod the plan names. In a cycle of the policy's own, it is the pod that the plan
/// names, if the plan places the pod, and else the first pod that it places. `None`: the plan places no pod.
fn beneficiary(proposal: &PlanUnderTest<'_>) -> Option<PodId> {
    let placed = || proposal.plan.nominations.iter().map(|nomination| nomination.pod);
    let named = placed().find(|pod| *pod == proposal.plan.preemptor);
    proposal.preemptor.or(named).or_else(|| placed().next())
}

/// Checks that no rail protects a victim, or a pod inside of it.
fn unprotected(ground: &VerifyContext<'_>, victim: PodId) -> Result<(), RailViolation> {
    let mirror = ground.mirror;
    let mut leaving = std::iter::once(victim).chain(ground.occupancy.users(mirror, victim));
    let found = leaving.find_map(|pod| Some((pod, mirror.protection(pod)?)));
    found.map_or(Ok(()), |(pod, protection)| {
        let (priority, pod) = (priority(ground, pod), ground.pod_name(pod));
        Err(RailViolation::Protected { id: victim, pod, priority, protection })
    })
}

/// Checks that a victim has no higher priority than the preemptor, unless the system declares such rules and the operator accepts them.
fn ranks_no_higher(ground: &VerifyContext<'_>, victim: PodId, preemptor: PodId) -> Result<(), RailViolation> {
    let accepts = ground.mirror.rails().higher_priority == HigherPriorityVictims::Declared;
    let (rank, of_preemptor) = (priority(ground, victim), priority(ground, preemptor));
    if rank <= of_preemptor || accepts && ground.evicts_higher_priority {
        return Ok(());
    }
    Err(RailViolation::HigherPriority {
        id: victim,
        victim: ground.pod_name(victim),
        priority: rank,
        preemptor: ground.pod_name(preemptor),
        of_preemptor,
    })
}

fn priority(ground: &VerifyContext<'_>, pod: PodId) -> i32 {
    ground.mirror.pod(pod).and_then(|pod| pod.template.priority).unwrap_or(0)
}

/// Checks the number of victims: of the plan, and with those of the last minutes.
fn few_enough(ground: &VerifyContext<'_>, victims: &[PodId]) -> Result<(), RailViolation> {
    let rails = ground.mirror.rails();
    if victims.is_empty() {
        return Ok(());
    }
    if let Some(most) = rails.victims_per_plan.filter(|most| exceeds(victims.len(), *most)) {
        return Err(RailViolation::PlanTooLarge { victims: victims.len(), most });
    }
    if let Some(rate) = rails.victims_per_window {
        slow_enough(ground, rate, None, victims.len())?;
    }
    let Some(rate) = rails.victims_per_namespace else { return Ok(()) };
    let mut by_namespace: BTreeMap<&str, usize> = BTreeMap::new();
    for pod in victims.iter().filter_map(|victim| ground.mirror.pod(*victim)) {
        let count = by_namespace.entry(&pod.template.namespace).or_default();
        *count = count.saturating_add(1);
    }
    by_namespace.into_iter().try_for_each(|(namespace, victims)| slow_enough(ground, rate, Some(namespace), victims))
}

/// Checks that so many victims more, in one namespace or in all, are within a rate.
fn slow_enough(
    ground: &VerifyContext<'_>,
    rate: EvictionRate,
    namespace: Option<&str>,
    victims: usize,
) -> Result<(), RailViolation> {
    let since = ground.mirror.now().saturating_sub(rate.nanoseconds()).saturating_add(1);
    let history = ground.departures.history();
    let earlier = history.count_since(since, namespace);
    if !exceeds(earlier.saturating_add(victims), rate.victims) {
        return Ok(());
    }
    let most = usize::try_from(rate.victims).unwrap_or(usize::MAX);
    let last = most.checked_sub(victims).and_then(|most| history.last_surplus(since, namespace, most));
    let until = last.map(|at| at.saturating_add(rate.nanoseconds()));
    Err(RailViolation::TooFast { namespace: namespace.map(str::to_owned), victims, earlier, rate, until })
}

fn exceeds(count: usize, most: u32) -> bool {
    u32::try_from(count).map_or(true, |count| count > most)
}

#[cfg(test)]
mod tests;
