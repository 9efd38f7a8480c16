//! The situations in which a ruling applies, apart from those of plans.

use serde_json::Value;

use super::view::{KoordinatorResult, KoordinatorSituation, gang};
use crate::object::{is_nominated, list, name};

/// Returns whether the policy says that the group has failed in this round: a gang of it is strict, one is not complete, and an attempt for it was in
/// vain before.
pub(super) fn has_failed(it: &KoordinatorSituation<'_>) -> bool {
    let gangs = it.gangs();
    let mut members = it.companions().map(name).chain([it.question.pod.clone()]);
    it.policy.cites("gang-has-not-failed")
        && gangs.iter().any(|gang| gang.is_strict)
        && gangs.iter().any(|gang| !it.is_complete(gang, 0))
        && members.any(|pod| it.question.memory.failed.contains(&pod))
}

/// Returns whether the pod is one more than its gang needs, while another gang of its group is not complete.
pub(super) fn waits_beyond_the_minimum(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.first() == "gang-group-is-served-first" && it.is_one_too_many()
}

/// Returns whether a gang of the group that is not complete has too few pods that hold a node or may be tried.
pub(super) fn lacks_pods(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.cites("gang-is-complete") && it.gangs().iter().any(|gang| it.lacks_pods(gang))
}

/// Returns whether Permit rejects the pod, as its group cannot start in this round: an attempt for a strict gang of the group was in vain before, and a
/// gang is not complete without the pods that have failed.
pub(super) fn would_wait_in_vain(it: &KoordinatorSituation<'_>) -> bool {
    let gangs = it.gangs();
    let is_strict = |of: &str| gangs.iter().any(|gang| gang.name == of && gang.is_strict);
    let mut strict = it.companions().filter(|pod| is_strict(gang(pod)));
    it.policy.cites("gang-is-complete")
        && strict.any(|pod| it.question.memory.failed.contains(&name(pod)))
        && gangs.iter().any(|gang| it.is_short_in_round(gang))
}

/// Returns whether the pod waits at Permit for a gang that has lost all its pods, and is not complete anew.
pub(super) fn waits_for_a_gang_anew(it: &KoordinatorSituation<'_>) -> bool {
    let gangs = it.gangs();
    it.policy.result == KoordinatorResult::Waits
        && it.policy.cites("gang-is-complete")
        && gangs.iter().any(|of| it.has_lost_all_pods(of) && !it.is_complete(of, usize::from(of.name == gang(it.pod))))
}

/// Returns whether the pods at Permit keep their nodes in the policy, where their gangs could still be complete after the attempt.
pub(super) fn keeps_permit_holds(it: &KoordinatorSituation<'_>) -> bool {
    let gangs = it.gangs();
    !releases_permit_hold(it)
        && it.policy.result != KoordinatorResult::Plans
        && !gangs.is_empty()
        && gangs.iter().all(|gang| it.may_still_complete(gang))
}

/// Returns whether a pod gives up a node at Permit.
pub(super) fn releases_permit_hold(it: &KoordinatorSituation<'_>) -> bool {
    let waiting = list(it.outcome, "waiting");
    it.question.waiting.keys().any(|pod| !waiting.contains(pod))
}

/// Returns whether the pod keeps its nomination while it waits for victims.
pub(super) fn awaits_its_victims(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.cites("last-plan-is-done") && is_in_flight(it)
}

/// Returns whether a planned pod is nominated, or a pod leaves.
pub(super) fn is_in_flight(it: &KoordinatorSituation<'_>) -> bool {
    it.planned().into_iter().any(is_nominated) && it.leaving().next().is_some()
}

/// Returns whether a victim of the last plan of a planned pod, which is still nominated, has not left yet.
pub(super) fn awaits_planned_victims(it: &KoordinatorSituation<'_>) -> bool {
    let leaving: Vec<String> = it.leaving().map(name).collect();
    let plans = &it.question.memory.plans;
    let victims = |pod: &Value| plans.get(&name(pod)).is_some_and(|plan| leaving.iter().any(|pod| plan.contains(pod)));
    it.planned().into_iter().filter(|pod| is_nominated(pod)).any(victims)
}

/// Returns whether the pod keeps its nomination because its room comes without another victim: pods leave, or others of its group are to be
/// placed first.
pub(super) fn has_capacity_coming(it: &KoordinatorSituation<'_>) -> bool {
    let says_so = it.policy.laws.iter().any(|law| law == "engine/room-is-coming");
    says_so && is_nominated(it.pod) && (it.leaving().next().is_some() || it.planned().len() > 1)
}

/// Returns whether all pods of the group at Permit give up their nodes, and no other: a gang of the group is not complete, and one of them is
/// strict.
pub(super) fn gives_up_together(it: &KoordinatorSituation<'_>) -> bool {
    let gangs = it.gangs();
    releases_permit_hold(it)
        && it.companions().filter(|pod| it.waits(pod)).all(|pod| !waits_on(it, pod))
        && it
            .question
            .waiting
            .keys()
            .filter_map(|pod| it.named(pod))
            .all(|pod| waits_on(it, pod) || it.group(it.pod).contains(gang(pod)))
        && gangs.iter().any(|gang| gang.is_strict)
        && gangs.iter().any(|gang| !it.is_complete(gang, 0))
}

/// Returns whether a pod waits at Permit after the attempt.
fn waits_on(it: &KoordinatorSituation<'_>, pod: &Value) -> bool {
    list(it.outcome, "waiting").contains(&name(pod))
}

/// Returns whether a plan ends only nominations that upstream ends, and leaves some of these, whose room is kept from the pod.
pub(super) fn keeps_firm_promises(it: &KoordinatorSituation<'_>) -> bool {
    let firm = it.firmly_promised();
    let ended: Vec<String> = it.ended_nominations().into_iter().map(name).collect();
    let cleared: Vec<&String> = it.answer.preemption.cleared(&it.policy.node).collect();
    it.policy.result == KoordinatorResult::Plans
        && ended.iter().all(|pod| cleared.contains(&pod))
        && cleared.iter().all(|pod| ended.contains(pod) || firm.contains(pod))
}

/// Returns whether the nominations that end are those of the group, which gives up: a gang of it is strict, and one is not complete.
pub(super) fn ends_nominations_of_the_group(it: &KoordinatorSituation<'_>) -> bool {
    let (group, lost) = (it.group(it.pod), it.ended_nominations());
    let gangs = it.gangs();
    !lost.is_empty()
        && lost.iter().all(|pod| group.contains(gang(pod)))
        && gangs.iter().any(|gang| gang.is_strict)
        && gangs.iter().any(|gang| !it.is_complete(gang, 0))
}
