//! The rulings by which the system `coscheduling` departs from scheduler-plugins, and how each is recognised.

use super::between;
use super::borrowed;
use super::claimed;
use super::compare::lost;
use super::play::UpstreamSimulation;
use super::readings::is_lost;
use super::unlike;
use super::view::CoschedulingSituation;
use super::whole;
use super::within;
use crate::departure::UpstreamDeparture;
use crate::object::is_terminating;
use crate::trial::{JudgeClient, TrialError};

/// A ruling, and what it explains.
pub(super) struct CoschedulingRuling {
    pub(super) departure: UpstreamDeparture,
    /// Returns whether it explains a difference.
    pub(super) explains: fn(&CoschedulingSituation<'_>, &mut JudgeClient<'_>) -> Result<bool, TrialError>,
}

/// The rulings.
pub(super) const RULES: &[CoschedulingRuling] = &[
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "K10",
            upstream: "a pod that is being deleted is evicted again like any other",
            policy: "a pod that is being deleted leaves, and is not evicted again",
        },
        explains: evicts_except_leaving,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R19",
            upstream: "lets a pod whose PodGroup is missing evict others, and refuses it at Permit",
            policy: "refuses a pod whose PodGroup is missing at once",
        },
        explains: |it, _| Ok(is_lost(it) && it.policy.result == "Rejected" && it.policy.victims.is_empty()),
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R35",
            upstream: "a pod of a group evicts whom its own priority and policy allow",
            policy: "a group evicts whom its least entitled pod may evict",
        },
        explains: whole::is_less_entitled,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R25",
            upstream: "has a pod wait at Permit whose group cannot be complete, and rejects all pods there when one finds no node",
            policy: "a group holds nodes at Permit as long as it can be complete",
        },
        explains: whole::holds_while_completable,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R13",
            upstream: "evicts pods for one pod of a group that stays incomplete",
            policy: "evicts pods for as many pods as the group lacks, or none",
        },
        explains: whole::evicts_in_vain,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R81",
            upstream: "rejects the pods of a group at Permit when one finds no node beside them, and tries them in the same order again",
            policy: "has those give up their nodes that are in the way, and nominates the pods that complete the group",
        },
        explains: whole::gets_other_nodes,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R24",
            upstream: "asks about each pod of a group whether it stays within the min of its quota",
            policy: "asks about all pods that a group lacks together",
        },
        explains: whole::borrows_as_a_group,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R30",
            upstream: "plans for one pod of a group",
            policy: "plans for as many pods as the group lacks",
        },
        explains: whole::plans_for_the_group,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R17",
            upstream: "a nominated pod loses its nomination, or evicts others, when a pod of no lower priority waits at Permit on its node",
            policy: "it keeps its nomination until that pod is bound or rejected",
        },
        explains: whole::outlives_waiting_pod,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R50",
            upstream: "a nominated pod waits for less important pods that are leaving its node, or for pods of other quotas that are over their min",
            policy: "a nominated pod waits for every pod that is leaving its node",
        },
        explains: |it, _| Ok(it.awaits_leaving() && it.refuses() && it.keeps() && !it.answer.places()),
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R56",
            upstream: "evicts further pods for a pod of a group whose other pods wait for their nodes",
            policy: "a plan in flight stands while the group can be complete with it",
        },
        explains: whole::is_in_flight,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R43",
            upstream: "a pod that PreFilter refuses keeps its nomination",
            policy: "the nominations of a group that cannot be tried end, unless what it lacks is leaving",
        },
        explains: whole::ends_what_is_promised,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R10",
            upstream: "rejects the pods of a group at Permit when PreFilter refuses another one of it",
            policy: "a refusal at PreFilter is no failure of the group: its pods wait until their time is over",
        },
        explains: |it, _| Ok(it.is_refused_for_good() && it.refuses() && lost(it).is_empty() && it.has_waiters()),
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R59",
            upstream: "asks the quotas about a plan without the nominated pods, and refuses the pod again when the victims have left, or ends in an error",
            policy: "a plan holds with the nominated pods that count",
        },
        explains: whole::is_refused_afterwards,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R29",
            upstream: "takes the plan of the first node by the criteria of kube-scheduler, which know no gangs, and evicts all candidates for a quota",
            policy: "of the plans for a pod with a quota takes the one whose victims are of least importance, and breaks the fewest gangs",
        },
        explains: whole::stops_less,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R71",
            upstream: "evicts any pod of a quota that is over its min of any resource",
            policy: "a quota gives pods for cpu, memory or storage that it borrows, or for another resource that both pods request",
        },
        explains: |it, _| Ok(borrowed::gives_what_concerns_both(it)),
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R70",
            upstream: "asks whether a pod would borrow before its victims have left",
            policy: "a pod that stays within the min of its quota when pods of it are evicted comes before what is promised to other quotas",
        },
        explains: within::comes_within_its_min,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R84",
            upstream: "evicts pods of its quota for a pod that would borrow, and then that pod for one of another quota which waits within the min",
            policy: "makes no plan for a pod that a waiting pod of another quota would evict at once",
        },
        explains: claimed::is_undone_at_once,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R58",
            upstream: "evicts pods for one pod of a group, and then for another one, whichever come",
            policy: "plans for the pod that is tried and the first others",
        },
        explains: whole::needs_other_members,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "K23",
            upstream: "a nominated pod with constraints between pods counts on its own node only",
            policy: "a nominated pod with constraints between pods counts in its whole domain, and stays allowed there",
        },
        explains: between::keeps_domains,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R86",
            upstream: "evicts a less important pod of the same group for a pod",
            policy: "a group evicts no pod of its own",
        },
        explains: unlike::evicts_its_own,
    },
    CoschedulingRuling {
        departure: UpstreamDeparture {
            id: "R32",
            upstream: "tries the pods of a group whenever they come",
            policy: "turns the pods of a group that has failed away until its next round",
        },
        explains: |it, _| Ok(it.is_turned_away()),
    },
];

/// Returns whether the plan of the policy is one of upstream but for pods that are leaving, or upstream has none on this node because it could not
/// evict these, and upstream has it there when they have left.
fn evicts_except_leaving(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let node = it.policy.node.as_str();
    let stays = |victim: &&String| it.find(victim).is_some_and(|victim| !is_terminating(victim));
    let is_single = it.policy.nominated.keys().eq(std::iter::once(&it.question.pod));
    if !it.policy.plans() || !is_single || it.lacking().is_some() || it.answer.places() {
        return Ok(false);
    }
    let mut there = it.answer.possible_plans().filter(|(on, _)| *on == node);
    if there.any(|(_, plan)| plan.victims.iter().filter(stays).eq(&it.policy.victims)) {
        return Ok(true);
    }
    let mut left = UpstreamSimulation::of(it);
    left.end_evictions_on(node);
    if it.answer.all_plans().any(|(on, _)| on == node) || left.question() == it.question {
        return Ok(false);
    }
    let answer = left.decide(&it.question.pod, ask)?;
    Ok(!answer.places()
        && answer.all_plans().any(|(on, plan)| on == node && plan.victims.iter().eq(&it.policy.victims)))
}
