//! `core`: questions are answered, and the answers depend on the cluster alone.

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_host::session::FailureCause;

use super::super::check::{Check, ensure};
use super::super::exchange::CallReply;
use super::super::lab::{CheckContext, CheckResult};
use super::super::play::{Disturbance, RunOptions, call_unknown_pod};
use super::super::tap::EventDelivery;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "core/answers-every-call",
        demands: "Every question that a host may ask is answered: no call traps, and none is refused",
        rule: "wit/README.md, How a host uses it",
        remedy: "answer what a host may ask, without panic and without `policy-error`",
        verdict: answers_every_call,
    },
    Check {
        id: "core/two-instances-agree",
        demands: "Two instances that were told and asked the same answer the same, byte for byte",
        rule: "wit/README.md, The contract",
        remedy: "decide from what was told alone: no hash order, no static state, no address, no random number",
        verdict: |lab| lab.identical(&RunOptions::default()),
    },
    Check {
        id: "core/order-of-events",
        demands: "The order of nodes, of pods and of objects within one call of `apply` changes no decision",
        rule: "wit/README.md, The order of events",
        remedy: "break ties by name or by the times of the object, never by what came first",
        verdict: |lab| lab.same(&with_delivery(EventDelivery { shuffled: Some(1), ..EventDelivery::default() })),
    },
    Check {
        id: "core/told-in-parts",
        demands: "The same events in one call or in many lead to the same decisions",
        rule: "wit/core.wit, apply",
        remedy: "finish no reckoning in `apply` before a question asks for it, or finish it after every event",
        verdict: |lab| lab.same(&with_delivery(EventDelivery { singly: true, ..EventDelivery::default() })),
    },
    Check {
        id: "core/numbers-have-holes",
        demands: "Holes in the numbers of nodes and pods change no decision",
        rule: "wit/README.md, Numbers",
        remedy: "keep nodes and pods in maps by number; a list by number has a place for every hole",
        verdict: |lab| lab.same(&RunOptions { holes: true, ..RunOptions::default() }),
    },
    Check {
        id: "core/numbers-mean-nothing",
        demands: "Objects under other numbers, told in another order, lead to the same decisions",
        rule: "wit/README.md, Numbers",
        remedy: "break ties by namespace and name, never by number",
        verdict: |lab| lab.same(&RunOptions { renumbered: true, ..RunOptions::default() }),
    },
    Check {
        id: "core/restart",
        demands: "A new instance that is told the cluster, and given the checkpoint where there is one, decides as the one before",
        rule: "wit/README.md, Numbers",
        remedy: "remember nothing that neither the cluster shows nor `state.save` saves",
        verdict: |lab| lab.same(&RunOptions { replaced: true, ..RunOptions::default() }),
    },
    Check {
        id: "core/errors-change-nothing",
        demands: "A question about a pod that there is not changes no later decision",
        rule: "wit/answers.wit, policy-error",
        remedy: "look the pod up before anything is written down",
        verdict: |lab| lab.same(&RunOptions { disturbance: Disturbance::UnknownPods, ..RunOptions::default() }),
    },
    Check {
        id: "core/before-configure",
        demands: "`apply` before `configure` is refused with `not-configured`",
        rule: "wit/answers.wit, policy-error.not-configured",
        remedy: "answer `not-configured` until a configuration was taken",
        verdict: before_configure,
    },
];

/// Returns the settings of a run with this way of sending events.
fn with_delivery(telling: EventDelivery) -> RunOptions {
    RunOptions { delivery: telling, ..RunOptions::default() }
}

fn answers_every_call(lab: &CheckContext<'_>) -> CheckResult {
    let answered = lab.each(|exchange| {
        Some(match &exchange.reply {
            CallReply::Broke(cause) => Err(format!("the call broke: {cause}")),
            CallReply::Refused(error) => Err(format!("refused with {error:?}")),
            _ => Ok(()),
        })
    })?;
    for run in lab.runs() {
        ensure(run.unopened.is_none(), || run.unopened.clone().unwrap_or_default())?;
        let broken =
            run.faults.iter().find(|cause| matches!(cause, FailureCause::CallError(_) | FailureCause::Refused(_)));
        broken.map_or(Ok(()), |cause| Err(cause.to_string()))?;
    }
    Ok(answered.saturating_add(1))
}

fn before_configure(lab: &CheckContext<'_>) -> CheckResult {
    let mut policy = (lab.start)()?;
    match policy.apply(Vec::new()) {
        Err(CallError::Refused { error: PolicyError::NotConfigured, .. }) => Ok(1),
        Err(other) => Err(format!("`core.apply` before `configure`: {other}")),
        Ok(_) => Err("`core.apply` before `configure` was answered".to_owned()),
    }
}

/// Checks that calls with an unknown pod are refused at these extension points.
pub(super) fn unknown_pod_refused(lab: &CheckContext<'_>, points: &[ExtensionPoint]) -> CheckResult {
    let (_, tap) = lab.start_loaded()?;
    let asked = tap.call_unrecorded(|policy: &mut dyn Policy| call_unknown_pod(policy, lab.system));
    let mut seen = 0_usize;
    for (_, export, answer) in asked.into_iter().filter(|(point, ..)| points.contains(point)) {
        match answer {
            Err(CallError::Refused { .. }) => seen = seen.saturating_add(1),
            Err(other) => return Err(format!("`{export}` about an unknown pod: {other}")),
            Ok(()) => return Err(format!("`{export}` answers about an unknown pod")),
        }
    }
    Ok(seen)
}
