//! The rulings by which the system `koordinator` departs from Koordinator, and how each is recognised.
//!
//! A ruling explains a difference at one step of an attempt. At PreFilter the formula of the policy must come to the verdict of the policy
//! by the accounts of upstream; a plan is explained where the policy forbids each plan of upstream, or prefers its own.

use super::AttemptStep;
use super::answer::UpstreamPlan;
use super::books::QuotaTerm;
use super::demands::{
    a_gang_must_gather, group_needs_a_pod_of_a_numa_node, needs_a_pod_of_a_numa_node, shares_devices,
};
use super::near::{is_near_evictable_pod, spares_the_needed_pod};
use super::plans::{
    breaks_promises, evicts_waiting_pod, exceeds_quota, is_no_worse, leaves_too_little, takes_from_the_group,
    takes_leaving, takes_opted_out, takes_unlabelled,
};
use super::questions::{
    do_not_fit_together, ends_a_plan_together, is_near_a_nomination, is_promised_firmly, needs_evictable_pod,
    plans_against_a_nomination, reads_the_class, relies_on_what_leaves, waits_for_its_capacity, waits_for_the_rest,
};
use super::situations::{
    awaits_its_victims, ends_nominations_of_the_group, gives_up_together, has_capacity_coming, has_failed,
    keeps_firm_promises, keeps_permit_holds, lacks_pods, waits_beyond_the_minimum, waits_for_a_gang_anew,
    would_wait_in_vain,
};
use super::stops::{
    another_gang_forbids, could_not_start, ends_in_an_error, is_blocked_at_permit, is_over_max, is_over_min,
    may_not_preempt, plans_for_several, takes_others, waits_for_what_leaves,
};
use super::view::KoordinatorSituation;
use crate::departure::UpstreamDeparture;
use crate::trial::{JudgeClient, TrialError};

/// A ruling, and what it explains.
pub(super) struct KoordinatorRuling {
    pub(super) departure: UpstreamDeparture,
    /// Any of these.
    pub(super) explains: &'static [KoordinatorDifference],
}

/// The kinds of difference that a ruling explains.
pub(super) enum KoordinatorDifference {
    /// That the verdicts of PreFilter on the quota differ: the formula of the policy counts this.
    Counts(QuotaTerm),
    /// A difference at a step.
    At(AttemptStep, fn(&KoordinatorSituation<'_>) -> bool),
    /// The same, by another question to the judge.
    ByJudge(AttemptStep, fn(&KoordinatorSituation<'_>, &mut JudgeClient<'_>) -> Result<bool, TrialError>),
    /// That the policy makes no plan for the pod.
    Stops(fn(&KoordinatorSituation<'_>) -> bool),
    /// That the policy does not make a plan of upstream, on a node.
    Forbids(fn(&KoordinatorSituation<'_>, &str, &UpstreamPlan) -> bool),
    /// That upstream does not make the plan of the policy.
    Allows(fn(&KoordinatorSituation<'_>) -> bool),
}

/// Returns a ruling.
const fn rule(
    id: &'static str,
    upstream: &'static str,
    policy: &'static str,
    explains: &'static [KoordinatorDifference],
) -> KoordinatorRuling {
    KoordinatorRuling { departure: UpstreamDeparture { id, upstream, policy }, explains }
}

/// The rulings.
pub(super) const RULES: &[KoordinatorRuling] = &[
    rule(
        "C1",
        "a pod without a class label is preemptible",
        "an argument makes it non-preemptible",
        &[
            KoordinatorDifference::Counts(QuotaTerm::Class),
            KoordinatorDifference::Forbids(takes_unlabelled),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, reads_the_class),
        ],
    ),
    rule(
        "C3",
        "counts the request of the pod that is tried, and what its quota uses",
        "counts all pods of the job without a node, and sets aside what non-preemptible pods request within min",
        &[
            KoordinatorDifference::Counts(QuotaTerm::Job),
            KoordinatorDifference::Counts(QuotaTerm::ReservedWithinMin),
            KoordinatorDifference::Stops(is_over_min),
            KoordinatorDifference::Forbids(leaves_too_little),
        ],
    ),
    rule(
        "C36",
        "does not count nominated pods in a quota",
        "what is promised to nominated pods counts",
        &[KoordinatorDifference::Counts(QuotaTerm::Promised), KoordinatorDifference::Forbids(breaks_promises)],
    ),
    rule(
        "C66",
        "checks the max alone of the quotas above",
        "checks their min for non-preemptible pods, too",
        &[KoordinatorDifference::Counts(QuotaTerm::Above)],
    ),
    rule(
        "C27",
        "tries every pod of a gang that has failed, and rejects its pods at Permit whenever one fails",
        "refuses the pods of a gang that cannot start until its next round, and keeps the hold of one that still can",
        &[
            KoordinatorDifference::At(AttemptStep::Gang, has_failed),
            KoordinatorDifference::At(AttemptStep::Permit, would_wait_in_vain),
            KoordinatorDifference::Stops(has_failed),
            KoordinatorDifference::At(AttemptStep::Held, keeps_permit_holds),
            KoordinatorDifference::At(AttemptStep::Held, gives_up_together),
            KoordinatorDifference::At(AttemptStep::Nomination, ends_nominations_of_the_group),
        ],
    ),
    rule(
        "C64",
        "a gang that was complete once needs no minimum, even when all its pods are gone",
        "the pods that are created then must be complete together again",
        &[KoordinatorDifference::At(AttemptStep::Permit, waits_for_a_gang_anew)],
    ),
    rule(
        "C28",
        "tries pods beyond the minimum of a gang while another gang of the group is not complete",
        "refuses them until every gang of the group is complete",
        &[KoordinatorDifference::At(AttemptStep::Gang, waits_beyond_the_minimum)],
    ),
    rule(
        "C32",
        "places a pod that shares devices by the sums of a node where no Device object says which devices it has",
        "refuses the pod where a node has several devices, or counts them by two names",
        &[KoordinatorDifference::At(AttemptStep::Gang, shares_devices)],
    ),
    rule(
        "C61",
        "tries the pods of a gang beside one that demands a NUMA node, which no node has",
        "tries no pod of a gang that needs such a pod",
        &[
            KoordinatorDifference::At(AttemptStep::Gang, needs_a_pod_of_a_numa_node),
            KoordinatorDifference::Stops(group_needs_a_pod_of_a_numa_node),
        ],
    ),
    rule(
        "C57",
        "tries the pods of a gang while another gang of its group demands a topology, and refuses those of that one alone",
        "tries no pod of such a group",
        &[KoordinatorDifference::At(AttemptStep::Gang, a_gang_must_gather)],
    ),
    rule(
        "C25",
        "has pods wait at Permit, and evicts pods, for a gang whose other members may not be tried",
        "rejects the pods of such a gang, and evicts no pod for it",
        &[KoordinatorDifference::At(AttemptStep::Permit, lacks_pods), KoordinatorDifference::Stops(lacks_pods)],
    ),
    rule(
        "C59",
        "a pod takes the room that is promised to any pod of lower priority",
        "room is kept that is promised to a pod which the pod could not evict",
        &[
            KoordinatorDifference::ByJudge(AttemptStep::Node, is_promised_firmly),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, is_promised_firmly),
            KoordinatorDifference::At(AttemptStep::Nomination, keeps_firm_promises),
        ],
    ),
    rule(
        "C16",
        "rejects the pods of a gang at Permit when it evicts pods for another one",
        "these keep waiting",
        &[KoordinatorDifference::ByJudge(AttemptStep::Held, waits_for_the_rest)],
    ),
    rule(
        "C14",
        "ends the nomination of a pod, or evicts more pods for it, while its victims leave",
        "the pod keeps its nomination, and no plan is made until they have left",
        &[
            KoordinatorDifference::At(AttemptStep::Nomination, awaits_its_victims),
            KoordinatorDifference::Stops(awaits_its_victims),
        ],
    ),
    rule(
        "C11",
        "only the preemption policy forbids a pod to preempt",
        "the label can-preempt, and an argument, do so, too",
        &[KoordinatorDifference::Stops(may_not_preempt)],
    ),
    rule(
        "C6",
        "a pod over the max of its quota evicts lower pods of the quota",
        "a preemptible job does not",
        &[KoordinatorDifference::Stops(is_over_max)],
    ),
    rule(
        "C24",
        "evicts pods for one pod of a gang, whatever becomes of the others",
        "evicts pods for all waiting pods of the gang and of the incomplete gangs of its group, or none",
        &[
            KoordinatorDifference::Stops(another_gang_forbids),
            KoordinatorDifference::Stops(could_not_start),
            KoordinatorDifference::Forbids(takes_from_the_group),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, do_not_fit_together),
            KoordinatorDifference::Allows(plans_for_several),
        ],
    ),
    rule(
        "C80",
        "a pod without a node loses its own nomination",
        "the pods of a job, for which a plan is made together, lose theirs together when they do not all find a node",
        &[KoordinatorDifference::ByJudge(AttemptStep::Nomination, ends_a_plan_together)],
    ),
    rule(
        "C23",
        "evicts pods for a pod whose promised room is held at Permit",
        "the pod waits for the one at Permit",
        &[
            KoordinatorDifference::Stops(is_blocked_at_permit),
            KoordinatorDifference::At(AttemptStep::Nomination, is_blocked_at_permit),
        ],
    ),
    rule(
        "C4",
        "victims are of the quota of the pod, on its node",
        "victims are of any quota on a node of the plan, and of the own quota on any node",
        &[
            KoordinatorDifference::Allows(takes_others),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, needs_evictable_pod),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, is_near_evictable_pod),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, spares_the_needed_pod),
        ],
    ),
    rule(
        "C45",
        "evicts more pods for a pod that could have the room of those that leave",
        "the pod waits for what leaves already",
        &[
            KoordinatorDifference::Allows(waits_for_what_leaves),
            KoordinatorDifference::At(AttemptStep::Nomination, has_capacity_coming),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, waits_for_its_capacity),
            KoordinatorDifference::ByJudge(AttemptStep::Held, waits_for_its_capacity),
        ],
    ),
    rule(
        "C67",
        "a pod that leaves holds its room in a plan, and may be evicted again",
        "a pod that leaves counts as gone in a plan",
        &[
            KoordinatorDifference::Forbids(takes_leaving),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, relies_on_what_leaves),
        ],
    ),
    rule(
        "C77",
        "ElasticQuota evicts a pod with the label disable-preemptible, which its other plugins spare",
        "such a pod is never evicted",
        &[KoordinatorDifference::Forbids(takes_opted_out)],
    ),
    rule(
        "C78",
        "evicts a pod that waits at Permit like one that is bound",
        "only bound pods are evicted",
        &[KoordinatorDifference::Forbids(evicts_waiting_pod)],
    ),
    rule(
        "C68",
        "evicts pods though the quota stays over its limit",
        "evicts no pod where the quota does not hold afterwards",
        &[KoordinatorDifference::Forbids(exceeds_quota)],
    ),
    rule(
        "C69",
        "keeps a victim that has to go for a quota above, and ends in an error",
        "pods are evicted for the quotas above, too",
        &[KoordinatorDifference::Allows(ends_in_an_error)],
    ),
    rule(
        "C70",
        "constraints between a pod and a nominated one count on the node of the nominated pod alone",
        "they count in its whole domain",
        &[
            KoordinatorDifference::ByJudge(AttemptStep::Node, is_near_a_nomination),
            KoordinatorDifference::ByJudge(AttemptStep::Plan, plans_against_a_nomination),
        ],
    ),
    rule(
        "C33",
        "evicts by the order of kube-scheduler",
        "evicts the least important pods, then breaks the fewest gangs, then stops the smallest part of the cluster",
        &[KoordinatorDifference::Forbids(is_no_worse)],
    ),
];
