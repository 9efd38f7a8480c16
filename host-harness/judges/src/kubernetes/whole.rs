//! Plans that evict groups which leave whole.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::Answer;
use super::{Situation, group_of};
use crate::object::{list, name, pods, text};
use crate::trial::{Ask, TrialError};

/// Returns whether there is a group that leaves whole, so that the policy counts jobs, and the policy has a plan of which each victim is needed, and
/// none of upstream does less harm where such a group counts once.
pub(super) fn stops_less(it: &Situation<'_>, ask: &mut Ask<'_>) -> Result<bool, TrialError> {
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

impl Situation<'_> {
    /// Returns what leaves with a pod: the name of its group where that leaves whole, else its own.
    fn unit(&self, pod: &str) -> String {
        let objects = &self.question.objects;
        let found = pods(objects).find(|other| name(other) == pod).filter(|pod| leaves_whole(objects, pod));
        found.and_then(group_of).map_or_else(|| pod.to_owned(), |group| format!("group {group}"))
    }

    /// Returns the harm that victims are by the criteria of kube-scheduler: the highest priority, the sum of the priorities, and the number, in which
    /// a group that leaves whole counts once.
    fn harm(&self, victims: &BTreeSet<String>) -> (Option<i64>, i64, usize) {
        let priority = |victim: &String| {
            let pod = pods(&self.question.objects).find(|pod| name(pod) == *victim);
            pod.and_then(|pod| pod.pointer("/spec/priority")).and_then(Value::as_i64).unwrap_or(0)
        };
        let units: BTreeSet<(String, i64)> =
            victims.iter().map(|victim| (self.unit(victim), priority(victim))).collect();
        let sum = units.iter().fold(0, |sum: i64, (_, priority)| sum.saturating_add(*priority).saturating_add(1 << 31));
        (units.iter().map(|(_, priority)| *priority).max(), sum, units.len())
    }

    /// Returns whether the pod finds its node when the victims have left, and not while one of them, or a group of them that leaves whole, stays.
    fn needs_each(&self, victims: &BTreeSet<String>, ask: &mut Ask<'_>) -> Result<bool, TrialError> {
        let node = text(self.outcome, "/node").to_owned();
        let mut fits = |stays: Option<&String>| {
            let mut question = self.question.clone();
            question.objects.retain(|object| {
                let is_gone = |pod: &String| victims.contains(pod) && Some(&self.unit(pod)) != stays;
                text(object, "/kind") != "Pod" || !is_gone(&name(object))
            });
            Ok::<bool, TrialError>(ask.answer::<Answer>(&question)?.feasible.contains(&node))
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
