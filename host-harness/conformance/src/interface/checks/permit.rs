//! `permit`: whether a reserved pod may be bound.

use lictor_contract::*;

use super::super::check::{Check, ensure};
use super::super::exchange::{CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult};
use super::core::unknown_pod_refused;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "permit/waits-are-not-negative",
        demands: "A pod that waits waits for 0 or more nanoseconds",
        rule: "wit/permit.wit, permission.wait",
        remedy: "answer with the time that is left, or `reject` where none is",
        verdict: |lab| lab.each(waits_are_not_negative),
    },
    Check {
        id: "permit/after-unreserve",
        demands: "A pod that was permitted and unreserved may be reserved and asked for again",
        rule: "wit/placement.wit, unreserve",
        remedy: "forget in `unreserve` that the pod was reserved, waiting or permitted",
        verdict: after_unreserve,
    },
    Check {
        id: "permit/unknown-pod",
        demands: "A question about a pod that there is not is refused with an error, and is no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod` for a number that was not told, or whose pod is gone",
        verdict: |lab| unknown_pod_refused(lab, &[ExtensionPoint::Permit]),
    },
];

fn waits_are_not_negative(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Permitted(answer) = &exchange.reply else { return None };
    let Permission::Wait(time) = answer.permission else { return Some(Ok(())) };
    Some(ensure(time >= 0, || format!("a wait of {time} ns")))
}

fn after_unreserve(lab: &CheckContext<'_>) -> CheckResult {
    if !lab.decides(ExtensionPoint::Permit) || !lab.decides(ExtensionPoint::Reserve) {
        return Ok(0);
    }
    let asked = lab.call_for_reserved(|policy, pod, node| {
        for cause in [ReleaseCause::Timeout, ReleaseCause::Released] {
            policy.reserve(pod, node)?;
            policy.permit(pod)?;
            policy.unreserve(pod, cause)?;
        }
        Ok(())
    })?;
    let seen = asked.len();
    for (pod, twice) in asked {
        twice.map_err(|error| {
            format!("`permit.permit` of `{pod}`, that was permitted and unreserved before: {error}")
        })?;
    }
    Ok(seen)
}
