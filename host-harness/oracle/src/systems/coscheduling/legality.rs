//! Whether a plan for the members of a gang is legal.

use serde_json::json;

use super::group;
use super::plan::waits_for_preempted;
use crate::outcome::ReportedOutcome;
use crate::systems::common::problem;
use crate::systems::kubernetes::{self, SameGroup};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, SchedulingRestrictions};

/// Judges a plan for the members of a gang: it nominates those that are missing, and is legal for the least entitled one of them.
pub(super) fn of_gang(
    world: &ModelCluster,
    pod: &ModelPod,
    (pending, missing): (&[&ModelPod], usize),
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let is_nominated = |pod: &&ModelPod| outcome.nominated.contains_key(&pod.name);
    let nominated: Vec<&ModelPod> = pending.iter().copied().filter(is_nominated).collect();
    if nominated.len() != missing || !is_nominated(&pod) {
        let text = format!("{:?} were evicted for {} of {missing} missing members", outcome.victims, nominated.len());
        verdict.breach_expecting("gang-is-complete", text, json!({"victims": []}));
    }
    let least = least_entitled(pod, &nominated);
    super::harm::of_gang(world, &least, None, outcome, verdict);
    legal(world, &least, &nominated, outcome, verdict)
}

/// Returns why the oracle does not know which members are planned, where two of them differ. `None`: they are alike.
pub(super) fn unlike(pod: &ModelPod, other: &ModelPod) -> Option<&'static str> {
    if other.request != pod.request {
        return Some("members of different size are placed one after the other");
    }
    let is_alike =
        other.priority == pod.priority && other.restrictions.never_preempts == pod.restrictions.never_preempts;
    (!is_alike).then_some("which members of different priority are planned is not sought")
}

/// Returns the pod with the rights of the planned pod that may do least: a gang evicts no pod that one of its pods may not evict (ruling R35).
pub(super) fn least_entitled(pod: &ModelPod, planned: &[&ModelPod]) -> ModelPod {
    let priority = planned.iter().map(|other| other.priority).min().unwrap_or(pod.priority);
    let never_preempts =
        pod.restrictions.never_preempts || planned.iter().any(|other| other.restrictions.never_preempts);
    let restrictions = SchedulingRestrictions { never_preempts, ..pod.restrictions };
    ModelPod { priority, restrictions, ..pod.clone() }
}

/// Returns why a pod of a gang may not get a plan, if it may not.
pub(super) fn forbidden(world: &ModelCluster, pod: &ModelPod, same_group: SameGroup<'_>) -> Option<&'static str> {
    let reasons = [
        (pod.restrictions.never_preempts, "preemptionPolicy Never"),
        (waits_for_preempted(world, pod), "pods are leaving its nominated node"),
        (kubernetes::waits_for_permit(world, pod, same_group, kubernetes::spec_priority), "its room is held at permit"),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why)
}

/// Checks that the victims are eligible, the nominated pods then fit their nodes, and no victim is needless.
pub(super) fn legal(
    world: &ModelCluster,
    pod: &ModelPod,
    nominated: &[&ModelPod],
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let (problem, nodes) = problem(world, pod, nominated, &|other| group(other) == group(pod));
    let victims = problem.set(|name| outcome.victims.contains(name));
    if pod.restrictions.never_preempts && !outcome.victims.is_empty() {
        let text = format!("{:?} were evicted, and a planned pod has preemptionPolicy Never", outcome.victims);
        verdict.breach("may-preempt", text);
    }
    for victim in &outcome.victims {
        if problem.set(|name| name == victim) == 0 {
            verdict.breach(
                "victim-ranks-lower",
                format!("victim `{victim}` does not have a lower priority than `{}`", pod.name),
            );
        }
    }
    let place = |pod: &&ModelPod| {
        let node = outcome.nominated.get(&pod.name)?;
        nodes.iter().position(|name| name == node)
    };
    let places: Vec<usize> = nominated.iter().filter_map(place).collect();
    if !problem.fits_on(victims, &places) {
        let text = format!("{:?} do not fit after evicting {:?}", outcome.nominated, outcome.victims);
        verdict.breach("evictions-make-room", text);
    }
    for victim in &outcome.victims {
        if problem.fits_on(victims & !problem.set(|name| name == victim), &places) {
            verdict
                .breach("no-needless-victim", format!("victim `{victim}` is not needed for {:?}", outcome.nominated));
        }
    }
    verdict.planned(outcome.victims.len(), problem.fewest(outcome.victims.len(), |_| true));
}
