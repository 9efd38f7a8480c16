//! Plans that evict groups which leave whole.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{KubernetesResponse, UpstreamPlan};
use super::departures::is_covered;
use super::{Situation, group_of};
use crate::object::{is_terminating, list, name, pods, text};
use crate::trial::{JudgeClient, TrialError};

/// Returns whether there is a group that leaves whole, so that the policy counts jobs, and the policy has a plan of which each victim is needed, and
/// none of upstream does less harm where such a group counts once.
pub(super) fn stops_less(it: &Situation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let victims: BTreeSet<String> = list(it.outcome, "victims").into_iter().collect();
    let chosen = it.answer.preemption.plans.iter().flat_map(|plan| {
        let possible = std::iter::once(plan).chain(&plan.alternatives).filter(|plan| plan.possible);
        possible.map(|same| (plan.node.as_str(), same.victims.iter().cloned().collect()))
    });
    let chosen: Vec<(&str, BTreeSet<String>)> = chosen.collect();
    let mut objects = it.question.objects.iter();
    let counts_jobs = objects.any(|object| object.pointer("/spec/disruptionMode/all").is_some());
    if text(it.outcome, "/result") != "Nominated" || victims.is_empty() || chosen.is_empty() || !counts_jobs {
        return Ok(false);
    }
    let own = it.harm(text(it.outcome, "/node"), &victims);
    Ok(chosen.iter().all(|(node, theirs)| own <= it.harm(node, theirs)) && it.needs_each(&victims, ask)?)
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

/// Returns when a pod was started, as a text that sorts by time. None: it was not.
fn started(pod: &Value) -> Option<&str> {
    pod.pointer("/status/startTime").and_then(Value::as_str)
}

impl Situation<'_> {
    /// Returns what leaves with a pod: the name of its group where that leaves whole, else its own.
    fn unit(&self, pod: &str) -> String {
        let objects = &self.question.objects;
        let found = pods(objects).find(|other| name(other) == pod).filter(|pod| leaves_whole(objects, pod));
        found.and_then(group_of).map_or_else(|| pod.to_owned(), |group| format!("group {group}"))
    }

    /// Returns the harm that victims for room on a node are by the criteria of kube-scheduler: how many a budget does not allow, the highest priority,
    /// the sum of the priorities, and the number, in which a group that leaves whole counts once.
    fn harm(&self, node: &str, victims: &BTreeSet<String>) -> (usize, Option<i64>, i64, usize) {
        let evicted = pods(&self.question.objects).filter(|pod| victims.contains(&name(pod)));
        let units: BTreeSet<(String, i64)> = evicted.map(|pod| (self.unit(&name(pod)), priority(pod))).collect();
        let sum = units.iter().fold(0, |sum: i64, (_, priority)| sum.saturating_add(*priority).saturating_add(1 << 31));
        (self.violations(node, victims), units.iter().map(|(_, priority)| *priority).max(), sum, units.len())
    }

    /// Returns how many victims the budgets do not allow, where a group that leaves whole counts once (ruling K20). Upstream says it of its own plans
    /// in which no such group has several pods. What may be evicted on the node spends a budget in the order of importance, whether it stays or not
    /// (ruling K6).
    fn violations(&self, node: &str, victims: &BTreeSet<String>) -> usize {
        let of_victims: BTreeSet<String> = victims.iter().map(|victim| self.unit(victim)).collect();
        let mut plans =
            self.answer.preemption.plans.iter().flat_map(|plan| std::iter::once(plan).chain(&plan.alternatives));
        let is_same = |plan: &&UpstreamPlan| plan.victims.iter().eq(victims);
        if let Some(plan) = plans.find(is_same).filter(|_| of_victims.len() == victims.len()) {
            return usize::try_from(plan.violations).unwrap_or(usize::MAX);
        }
        let mut violating = self.violating(self.candidates(node, &of_victims));
        violating.retain(|unit| of_victims.contains(unit));
        violating.len()
    }

    /// Returns what may be evicted for the pod on a node, and these units, each with all its pods that run.
    fn candidates(&self, node: &str, units: &BTreeSet<String>) -> Vec<(String, Vec<&Value>)> {
        let objects = &self.question.objects;
        let runs = |pod: &&Value| !text(pod, "/spec/nodeName").is_empty() && !is_terminating(pod);
        let may_go = |pod: &Value| text(pod, "/spec/nodeName") == node && priority(pod) < priority(self.pod);
        let here = pods(objects).filter(runs).filter(|pod| may_go(pod)).map(|pod| self.unit(&name(pod)));
        let units: BTreeSet<String> = here.chain(units.iter().cloned()).collect();
        let pods_of = |unit: &String| pods(objects).filter(runs).filter(|pod| self.unit(&name(pod)) == *unit).collect();
        units.iter().map(|unit| (unit.clone(), pods_of(unit))).collect()
    }

    /// Returns which of these units the budgets do not allow to go. The more important ones spend a budget first: by priority, groups that leave whole
    /// before pods, larger groups before smaller ones, then by the earliest start, and by name.
    fn violating(&self, mut units: Vec<(String, Vec<&Value>)>) -> BTreeSet<String> {
        units.sort_by_key(|(_, pods)| {
            let highest = pods.iter().map(|pod| Reverse(priority(pod))).min();
            let is_alone = !pods.iter().any(|pod| leaves_whole(&self.question.objects, pod));
            let first_started = pods.iter().filter_map(|pod| started(pod)).min();
            let first_name = pods.iter().map(|pod| name(pod)).min();
            (highest, is_alone, Reverse(pods.len()), first_started.is_none(), first_started, first_name)
        });
        let budgets = self.question.objects.iter().filter(|object| text(object, "/kind") == "PodDisruptionBudget");
        let allowed =
            |budget: &Value| budget.pointer("/status/disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0);
        let mut budgets: Vec<(&Value, i64)> = budgets.map(|budget| (budget, allowed(budget))).collect();
        let mut violating = BTreeSet::new();
        for (unit, pods) in units {
            for (budget, left) in &mut budgets {
                let spent = pods.iter().filter(|pod| is_covered(pod, budget)).count();
                *left = left.saturating_sub(i64::try_from(spent).unwrap_or(i64::MAX));
                if spent > 0 && *left < 0 {
                    violating.insert(unit.clone());
                }
            }
        }
        violating
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
            Ok::<bool, TrialError>(ask.request::<KubernetesResponse>(&question)?.feasible.contains(&node))
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
