//! `placement`: PreFilter, Filter, PostFilter, Reserve and Unreserve.

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::super::check::{Check, ensure};
use super::super::exchange::{Call, CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult, pending};
use super::core::unknown_pod_refused;
use super::plans;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "placement/a-verdict-for-every-node",
        demands: "`filter` answers with one byte for each number up to the highest of a node, holes included",
        rule: "wit/placement.wit, node-verdicts.codes",
        remedy: "make the list as long as the highest number of a node and one more, and put each verdict at its number",
        verdict: |lab| lab.each(a_verdict_for_every_node),
    },
    Check {
        id: "placement/codes-have-obstacles",
        demands: "Every code of a node is 0 or the place of an obstacle, counted from 1",
        rule: "wit/placement.wit, node-verdicts.obstacles",
        remedy: "list each obstacle once, and use its place, counted from 1, as the code",
        verdict: |lab| lab.each(codes_have_obstacles),
    },
    Check {
        id: "placement/judged-room-is-there",
        demands: "Where a system judges room, the host can bind a pod to the nodes that `filter` passes",
        rule: "wit/core.wit, system-info.judges-room",
        remedy: "count bound, reserved and promised pods and eligibility in `filter`, or leave `judges-room` false",
        verdict: judged_capacity_is_free,
    },
    Check {
        id: "placement/plans-are-sound",
        demands: "The host refuses no plan: its victims are there and evicted once, and its pods have room then",
        rule: "wit/answers.wit, plan",
        remedy: "evict enough pods that run on the node, each once, and nominate the preemptor to an eligible node",
        verdict: |lab| plans::sound(lab, "placement.post-filter"),
    },
    Check {
        id: "placement/plans-are-within-the-rails",
        demands: "No plan evicts a protected pod, or a pod of a higher priority where the system does not declare such rules",
        rule: "wit/cluster.wit, pod-template.protected",
        remedy: "leave out pods that are `protected`, and those above the preemptor or declare `evicts-higher-priority`",
        verdict: |lab| plans::within_rails(lab, "placement.post-filter"),
    },
    Check {
        id: "placement/plan-numbers-once",
        demands: "No instance gives two plans the same number",
        rule: "wit/answers.wit, plan.id",
        remedy: "count plans upwards, and never start again while the instance lives",
        verdict: |lab| plans::numbers_once(lab, "placement.post-filter"),
    },
    Check {
        id: "placement/refuted-is-not-planned",
        demands: "No plan has a placement or a victim that the question calls refuted",
        rule: "wit/placement.wit, refuted",
        remedy: "leave out the placements and victims of `refuted` when looking for a plan",
        verdict: |lab| lab.each(refuted_is_not_planned),
    },
    Check {
        id: "placement/pods-of-post-filter-once",
        demands: "`post-filter` refuses a pod that is named twice, and a pod that has a node, with `wrong-state`",
        rule: "wit/placement.wit, post-filter",
        remedy: "check that the pods wait and are there once before looking for a plan",
        verdict: pods_of_post_filter_once,
    },
    Check {
        id: "placement/unreserve-undoes-reserve",
        demands: "A pod that lost its node may be reserved one again",
        rule: "wit/placement.wit, unreserve",
        remedy: "forget the node of the pod in `unreserve`, whatever the cause",
        verdict: unreserve_undoes_reserve,
    },
    Check {
        id: "placement/unknown-pod",
        demands: "A question about a pod that there is not is refused with an error, and is no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod` for a number that was not told, or whose pod is gone",
        verdict: |lab| {
            use ExtensionPoint::{Filter, PostFilter, PreFilter, Reserve};
            unknown_pod_refused(lab, &[PreFilter, Filter, PostFilter, Reserve])
        },
    },
];

fn a_verdict_for_every_node(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Verdicts(verdicts) = &exchange.reply else { return None };
    let highest = exchange.received.nodes.keys().last();
    let wanted = highest.map_or(0, |highest| usize::try_from(*highest).unwrap_or(usize::MAX).saturating_add(1));
    let codes = verdicts.codes.len();
    let sound = (wanted..=exchange.received.node_numbers.max(wanted)).contains(&codes);
    let many = if codes < wanted { "too few" } else { "too many" };
    Some(ensure(sound, || format!("{codes} codes are {many}: the highest number of a node needs {wanted}")))
}

fn codes_have_obstacles(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Verdicts(verdicts) = &exchange.reply else { return None };
    let obstacles = verdicts.obstacles.len();
    let code_of = |node: &NodeId| usize::try_from(*node).ok().and_then(|at| verdicts.codes.get(at)).copied();
    let codes = exchange.received.nodes.keys().filter_map(code_of);
    let wrong = codes.into_iter().find(|code| usize::from(*code) > obstacles);
    Some(wrong.map_or(Ok(()), |code| Err(format!("code {code} is none of the {obstacles} obstacles"))))
}

fn judged_capacity_is_free(lab: &CheckContext<'_>) -> CheckResult {
    if lab.system.judges_room { plans::bindable(lab, "filter") } else { Ok(0) }
}

fn refuted_is_not_planned(exchange: &Exchange) -> Option<Result<(), String>> {
    let Call::PostFilter(_, refuted) = &exchange.call else { return None };
    let CallReply::PostFiltered(answer) = &exchange.reply else { return None };
    if *refuted == Refuted::default() {
        return None;
    }
    let known = &exchange.received;
    let Some(plan) = &answer.plan else { return Some(Ok(())) };
    let again = plan.nominations.iter().find(|at| refuted.placements.contains(at));
    let again = again.map(|at| format!("the plan has `{}` on `{}` again", known.pod(at.pod), known.node(at.node)));
    let victim = plan.victims.iter().find(|victim| refuted.victims.contains(&victim.pod));
    let victim = victim.map(|victim| format!("the plan evicts `{}` again", known.pod(victim.pod)));
    Some(again.or(victim).map_or(Ok(()), |wrong| Err(format!("{wrong}, which was refuted"))))
}

fn pods_of_post_filter_once(lab: &CheckContext<'_>) -> CheckResult {
    if !lab.decides(ExtensionPoint::PostFilter) {
        return Ok(0);
    }
    let (session, tap) = lab.start_loaded()?;
    let pending = pending(&session).first().map(|pod| vec![*pod, *pod]);
    let bound = session.mirror().pods().find(|pod| pod.node.is_some()).map(|pod| vec![pod.id]);
    let mut seen = 0_usize;
    for (pods, what) in [(pending, "a pod that is named twice"), (bound, "a pod that has a node")] {
        let Some(pods) = pods else { continue };
        match tap.call_unrecorded(|policy: &mut dyn Policy| policy.post_filter(&pods, &Refuted::default())) {
            Err(CallError::Refused { error: PolicyError::WrongState(_), .. }) => seen = seen.saturating_add(1),
            Err(other) => return Err(format!("`placement.post-filter` about {what}: {other}")),
            Ok(_) => return Err(format!("`placement.post-filter` answers about {what}")),
        }
    }
    Ok(seen)
}

fn unreserve_undoes_reserve(lab: &CheckContext<'_>) -> CheckResult {
    let asked = lab.call_for_reserved(|policy, pod, node| {
        policy.reserve(pod, node)?;
        policy.unreserve(pod, ReleaseCause::Failed)?;
        policy.reserve(pod, node)?;
        policy.unreserve(pod, ReleaseCause::Released)
    })?;
    let seen = asked.len();
    for (pod, twice) in asked {
        twice.map_err(|error| {
            format!("`placement.reserve` of `{pod}`, that was reserved and unreserved before: {error}")
        })?;
    }
    Ok(if lab.decides(ExtensionPoint::Reserve) { seen } else { 0 })
}
