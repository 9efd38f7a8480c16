//! The attempt of a pod that is planned alone, where there are quotas: whether they refuse it, and which plan is the right one.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{CLAIMED, NamespaceQuotas};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::systems::coscheduling::harm::{self, counting};
use crate::systems::coscheduling::plan::{is_in_flight, preempts_none, waits_for_preempted};
use crate::systems::kubernetes::{self, Eligible, SameGroup};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod};

impl NamespaceQuotas {
    /// Returns the pods on a node that might be victims of a pod, alone or together with others, the most important first; and the pods that leave the
    /// node, all of them for a pod with a quota.
    fn possible<'w>(
        &self,
        world: &'w ModelCluster,
        pod: &ModelPod,
        node: &'w ModelNode,
        same_group: SameGroup<'_>,
    ) -> (Vec<&'w ModelPod>, Vec<&'w ModelPod>) {
        let has_quota = self.has(&pod.namespace);
        let might_go =
            |other: &&ModelPod| has_quota && other.leaving || !same_group(other) && self.could_be_victim(pod, other);
        let mut there: Vec<&ModelPod> = world.on(&node.name).filter(might_go).collect();
        match has_quota {
            true => counting(world, |counting| there.sort_by_cached_key(|other| counting.importance(other))),
            false => there.sort_by_cached_key(|other| importance(world, other)),
        }
        there.into_iter().partition(|other| !other.leaving)
    }

    /// Judges the attempt of a pod that is planned alone. PreFilter has rejected waiting pods already: these use no quota.
    pub(in crate::systems::coscheduling) fn attempt(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        same_group: SameGroup<'_>,
        outcome: &ReportedOutcome,
        verdict: &mut StepFindings,
    ) {
        let refused = self.refuses(world, pod);
        let plan_ended = matches!(
            outcome.ended,
            Some(AttemptStatus::Nominated | AttemptStatus::Unschedulable | AttemptStatus::Rejected)
        );
        if !plan_ended {
            let text = format!("`{}` has no place or is refused, and the attempt ended {:?}", pod.name, outcome.ended);
            return verdict.breach("quota-is-kept", text);
        }
        if outcome.ended != Some(AttemptStatus::Nominated)
            && (outcome.ended == Some(AttemptStatus::Rejected)) != refused
        {
            let text = format!("`{}`: refused by its quota is {refused}, it ended {:?}", pod.name, outcome.ended);
            verdict.breach("quota-is-kept", text);
        }
        if waits_for_preempted(world, pod) {
            return preempts_none(world, pod, same_group, outcome, verdict);
        }
        let judged = ReportedOutcome { ended: outcome.ended.map(unschedulable), ..outcome.clone() };
        let waits = is_in_flight(world, pod, Some(self));
        if !waits {
            kubernetes::nominations(world, pod, same_group, &judged, verdict);
        } else {
            kubernetes::nominations_while(true, (world, pod), same_group, &judged, verdict);
            if outcome.ended != Some(AttemptStatus::Nominated) {
                return verdict.excuse("its plan is in flight");
            }
        }
        let nominated = self.nominated(world, pod, &|_| false);
        // Pods that leave anyway need not be replaced by others, wherever they run.
        let leaving = world.pods.values().filter(|other| other.leaving).map(|other| other.name.as_str());
        let leaving: BTreeSet<&str> = leaving.collect();
        let keeps = |gone: &BTreeSet<&str>| {
            let gone = gone.union(&leaving).copied().collect();
            !self.exceeds_max(world, pod, &pod.request, &nominated, &gone)
        };
        let claim = self.claim(world, pod, &pod.request, &nominated);
        if outcome.ended != Some(AttemptStatus::Nominated) && self.might_be_claimed(world, pod, claim.takes_back) {
            return verdict.excuse(CLAIMED);
        }
        let permits = |victims: &[&ModelPod]| {
            victims.iter().all(|victim| self.is_eligible_with(world, pod, (victim, victims), &claim))
        };
        let eligible = Eligible {
            possible: &|node| self.possible(world, pod, node, same_group),
            permits: &permits,
            holds_without: &keeps,
        };
        let choice = if self.has(&pod.namespace) { harm::best } else { kubernetes::best };
        kubernetes::check_not_fitting_by(world, pod, same_group, &eligible, &judged, verdict, choice);
    }
}

fn unschedulable(ended: AttemptStatus) -> AttemptStatus {
    if ended == AttemptStatus::Rejected { AttemptStatus::Unschedulable } else { ended }
}

/// Returns the most important first, as kube-scheduler orders them; of equal ones the one that was evicted more often.
fn importance(world: &ModelCluster, pod: &ModelPod) -> impl Ord + use<> {
    let evictions = Reverse(world.past_evictions(pod));
    (Reverse(pod.priority), pod.times.started.unwrap_or(i64::MAX), evictions, pod.times.created, pod.name.clone())
}
