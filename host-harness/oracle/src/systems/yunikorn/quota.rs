//! The pods that queues give back when their maximum is lowered (upstream quota_preemptor.go, rulings Q1 to Q5). Only `vcore` has maxima here.

use std::collections::BTreeSet;

use serde_json::Value;

use super::queues::{QueueTree, YuniKornQueue, is_within, partition, used};
use super::{YuniKornState, is_daemon, leaf, opted_out};
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::outcome::ReportedOutcome;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

const CPU: &str = "cpu";

/// Judges a step at this time in which no pod is tried. `asked`: the policy was asked in any case; otherwise only if it had requested that.
pub(crate) fn check_enforcement(
    world: &ModelCluster,
    memory: &YuniKornState,
    now: i64,
    outcome: &ReportedOutcome,
    asked: bool,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    // Pods that are tried in the same step may have victims of their own.
    if world.pods.values().any(ModelPod::pending) {
        return Ok(());
    }
    let queues = QueueTree::read(world)?;
    let victims: Vec<&ModelPod> = outcome.victims.iter().filter_map(|name| world.pods.get(name)).collect();
    let judge = QuotaPreemptionCheck { world, memory, queues: &queues, now, victims: &victims };
    if let Some((law, text)) = victims.iter().find_map(|victim| judge.illegal(victim)) {
        verdict.breach(law, text);
    } else if let Some((law, text)) = asked.then(|| judge.incomplete()).flatten() {
        verdict.breach(law, text);
    }
    if !victims.is_empty() {
        verdict.planned(victims.len(), None);
    }
    Ok(())
}

/// Everything needed to judge one answer.
struct QuotaPreemptionCheck<'w> {
    world: &'w ModelCluster,
    memory: &'w YuniKornState,
    queues: &'w QueueTree,
    now: i64,
    victims: &'w [&'w ModelPod],
}

type Violation = Option<(&'static str, String)>;

impl<'w> QuotaPreemptionCheck<'w> {
    /// Returns the queues above a pod that must give back capacity now, because their delay of quota preemption is over.
    fn overdue_queues(&self, pod: &ModelPod) -> Vec<&'w YuniKornQueue> {
        let is_due = |queue: &&YuniKornQueue| {
            let since = self.memory.over_since.get(&queue.path);
            let waited = since.is_some_and(|since| self.now - since >= queue.quota_delay);
            queue.quota_delay > 0
                && waited
                && self.remaining_usage(queue, &[], CPU) > queue.max.get(CPU)
                && queue.max.names(CPU)
        };
        let on = switched_on(self.world);
        self.queues.ancestors(leaf(pod)).into_iter().filter(|_| on).filter(is_due).collect()
    }

    /// Computes how much of a resource a queue still uses without these pods and those that are leaving.
    fn remaining_usage(&self, queue: &YuniKornQueue, without: &[&ModelPod], resource: &str) -> i64 {
        let mut left = used(self.world, &queue.path, true);
        let below = without.iter().filter(|pod| is_within(leaf(pod), &queue.path));
        left.take(&MilliAmounts::sum(below.map(|pod| &pod.request)));
        left.get(resource)
    }

    fn protected(&self, pod: &ModelPod) -> bool {
        is_daemon(pod) || pod.restrictions.foreign || pod.leaving || pod.node.is_none() || pod.request.get(CPU) == 0
    }

    /// Returns whether a queue above the pod would be below a guarantee without these pods. Only the resources that the pod requests count.
    fn undercuts(&self, pod: &ModelPod, without: &[&ModelPod]) -> bool {
        let below = |queue: &&YuniKornQueue| {
            let short = |(resource, least): (&String, &i64)| self.remaining_usage(queue, without, resource) < *least;
            queue.guaranteed.0.iter().filter(|(resource, _)| pod.request.get(resource) > 0).any(short)
        };
        self.queues.ancestors(leaf(pod)).iter().any(below)
    }

    /// Returns why this pod may not be a victim: the broken law and a message. `None`: it may.
    fn illegal(&self, victim: &ModelPod) -> Violation {
        let (name, cpu) = (&victim.name, victim.request.get(CPU));
        if self.protected(victim) {
            return Some(("giver-is-eligible", format!("`{name}` may not be evicted for its queue")));
        }
        let due = self.overdue_queues(victim);
        if due.is_empty() {
            return Some(("queue-gives-back-when-due", format!("no queue of `{name}` gives back at {}", self.now)));
        }
        let needs = |queue: &&YuniKornQueue| {
            let (left, max) = (self.remaining_usage(queue, self.victims, CPU), queue.max.get(CPU));
            left >= max && left + cpu > max
        };
        if !due.iter().any(needs) {
            return Some(("stops-at-max", format!("`{name}` could stay, or its queue ends below its maximum")));
        }
        if self.undercuts(victim, self.victims) {
            return Some(("giver-keeps-guarantee", format!("a queue of `{name}` ends below its guarantee")));
        }
        let rest = self.world.pods.values().filter(|pod| !self.protected(pod) && !self.is_victim(pod));
        let mut alike = rest.filter(|pod| leaf(pod) == leaf(victim) && pod.request == victim.request);
        let better = alike.find(|pod| self.class(pod) < self.class(victim))?;
        Some(("ordinary-pod-gives-first", format!("`{}` stays, and `{name}` is evicted", better.name)))
    }

    /// Finds a pod that should be evicted, too: its queue is due and stays at or above its maximum without the pod. `None`: the victims are
    /// complete.
    fn incomplete(&self) -> Violation {
        let rest = self.world.pods.values().filter(|pod| !self.protected(pod) && !self.is_victim(pod));
        for pod in rest {
            let all: Vec<&ModelPod> = self.victims.iter().copied().chain([pod]).collect();
            let fits = |queue: &&YuniKornQueue| self.remaining_usage(queue, &all, CPU) >= queue.max.get(CPU);
            if self.overdue_queues(pod).iter().any(fits) && !self.undercuts(pod, &all) {
                return Some(("queue-gives-back-what-it-can", format!("`{}` is not evicted", pod.name)));
            }
        }
        None
    }

    fn is_victim(&self, pod: &ModelPod) -> bool {
        self.victims.iter().any(|victim| victim.name == pod.name)
    }

    /// Returns the sort key of a victim, smaller keys first: originators go last, before them pods that opted out, and otherwise the priority
    /// decides.
    fn class(&self, pod: &ModelPod) -> (bool, bool, i64) {
        let firsts: BTreeSet<&str> = self.memory.originators.values().map(String::as_str).collect();
        (firsts.contains(pod.name.as_str()), opted_out(self.world, pod), pod.priority)
    }
}

/// Returns whether the partition has quota preemption.
fn switched_on(world: &ModelCluster) -> bool {
    partition(world).pointer("/preemption/quotapreemptionenabled") == Some(&Value::Bool(true))
}
