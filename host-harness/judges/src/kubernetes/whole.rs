//! Plans that evict groups which leave whole.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{KubernetesResponse, UpstreamPlan};
use super::departures::is_covered;
use super::{Situation, group_of};
use crate::object::{list, name, pods, text};
use crate::trial::{JudgeClient, TrialError};

/// Returns whether there is a group that leaves whole, so that the policy counts jobs, and the policy has a plan of which each victim is needed, and
/// none of upstream does less harm where such a group counts once.
pub(super) fn stops_less(it: &Situation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let victims: BTreeSet<String> = list(it.outcome, "victims").into_iter().collect();
    let plans = it.answer.plans.iter().flat_map(|plan| std::iter::once(plan).chain(&plan.alternatives));
    let chosen: Vec<BTreeSet<String>> =
        plans.filter(|plan| plan.possible).map(|plan| plan.victims.iter().cloned().collect()).collect();
    let mut objects = it.question.objects.iter();
    let counts_jobs = objects.any(|object| object.pointer("/spec/disruptionMode/all").is_some());
    if text(it.outcome, "/result") != "Nominated" || victims.is_empty() || chosen.is_empty() || !counts_jobs {
        return Ok(false);
    }
    let own = it.harm(&victims);
    Ok(chosen.iter().all(|theirs| own <= it.harm(theirs)) && it.needs_each(&victims, ask)?)
}

/// Returns whether a pod leaves with all pods of its group.
pub(super) fn leaves_whole(objects: &[Value], pod: &Value) -> bool {
    group_of(pod).is_some_and(|group| {
        let mut groups = objects.iter().filter(|object| text(object, "/kind") == "PodGroup" && name(object) == group);
        groups.any(|object| object.pointer("/spec/disruptionMode/all").is_some())
    })
}

/// Returns the priority of a pod.
fn priority(pod: &Value) -> i64 {
    pod.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or(0)
}

impl Situation<'_> {
    /// Returns what leaves with a pod: the name of its group where that leaves whole, else its own.
    fn unit(&self, pod: &str) -> String {
        let objects = &self.question.objects;
        let found = pods(objects).find(|other| name(other) == pod).filter(|pod| leaves_whole(objects, pod));
        found.and_then(group_of).map_or_else(|| pod.to_owned(), |group| format!("group {group}"))
    }

    /// Returns the harm that victims are by the criteria of kube-scheduler: how many a budget does not allow, the highest priority, the sum of the
    /// priorities, and the number, in which a group that leaves whole counts once.
    fn harm(&self, victims: &BTreeSet<String>) -> (usize, Option<i64>, i64, usize) {
        let evicted = pods(&self.question.objects).filter(|pod| victims.contains(&name(pod)));
        let units: BTreeSet<(String, i64)> = evicted.map(|pod| (self.unit(&name(pod)), priority(pod))).collect();
        let sum = units.iter().fold(0, |sum: i64, (_, priority)| sum.saturating_add(*priority).saturating_add(1 << 31));
        (self.violations(victims), units.iter().map(|(_, priority)| *priority).max(), sum, units.len())
    }

    /// Returns how many victims the budgets do not allow, where a group that leaves whole counts once (ruling K20). Upstream says it of its own plans
    /// in which no such group has several pods: the more important pods of a node spend a budget first, those that stay, too (ruling K6).
    fn violations(&self, victims: &BTreeSet<String>) -> usize {
        let objects = &self.question.objects;
        let units: BTreeSet<String> = victims.iter().map(|victim| self.unit(victim)).collect();
        let are_alone = units.len() == victims.len();
        let mut plans = self.answer.plans.iter().flat_map(|plan| std::iter::once(plan).chain(&plan.alternatives));
        let is_same = |plan: &&UpstreamPlan| plan.victims.iter().eq(victims);
        if let Some(plan) = plans.find(is_same).filter(|_| are_alone) {
            return usize::try_from(plan.violations).unwrap_or(usize::MAX);
        }
        let budgets = objects.iter().filter(|object| text(object, "/kind") == "PodDisruptionBudget");
        let allowed =
            |budget: &Value| budget.pointer("/status/disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0);
        let mut budgets: Vec<(&Value, i64)> = budgets.map(|budget| (budget, allowed(budget))).collect();
        let mut evicted: Vec<&Value> = pods(objects).filter(|pod| victims.contains(&name(pod))).collect();
        evicted.sort_by_key(|pod| (Reverse(priority(pod)), name(pod)));
        let mut violating = BTreeSet::new();
        for pod in evicted {
            for (_, left) in budgets.iter_mut().filter(|(budget, _)| is_covered(pod, budget)) {
                *left = left.saturating_sub(1);
                if *left < 0 {
                    violating.insert(self.unit(&name(pod)));
                }
            }
        }
        violating.len()
    }

    /// Returns whether the pod finds its node when the victims have left, and not while one of them, or a group of them that leaves whole, stays.
    fn needs_each(&self, victims: &BTreeSet<String>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
        let node = text(self.outcome, "/node").to_owned();
        let mut fits = |stays: Option<&String>| {
            let mut question = self.question.clone();
            question.objects.retain(|object| {
                let is_gone = |pod: &String| victims.contains(pod) && Some(&self.unit(pod)) != stays;
                text(object, "/kind") != "Pod" || !is_gone(&name(object))
            });
            Ok::<bool, TrialError>(ask.answer::<KubernetesResponse>(&question)?.feasible.contains(&node))
        };
        if !fits(None)? {
            return Ok(false);
        }
        for unit in victims.iter().map(|victim| self.unit(victim)).collect::<BTreeSet<String>>() {
            if fits(Some(&unit))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
