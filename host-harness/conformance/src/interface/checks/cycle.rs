//! `cycle`: whole cycles of the policy's own.

use lictor_host::session::{FailureCause, ProtocolError};

use super::super::check::{Check, ensure};
use super::super::exchange::{CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult};
use super::plans;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "cycle/ends",
        demands: "A cycle ends: `more` is false within 64 steps",
        rule: "wit/cycle.wit, actions.more",
        remedy: "set `more` only where the next step may do something else",
        verdict: ends,
    },
    Check {
        id: "cycle/slices-are-whole",
        demands: "The ends of the plans rise and stay within the lists, and each reason is there",
        rule: "wit/cycle.wit, plan-slice",
        remedy: "append the parts of each plan to the lists, and note the lengths of the lists then",
        verdict: |lab| lab.each(slices_are_whole),
    },
    Check {
        id: "cycle/bindings-are-sound",
        demands: "The host can bind all pods of a step where it says: they wait, and have room together",
        rule: "wit/cycle.wit, actions.bindings",
        remedy: "bind pods that wait, each once, to nodes that have room for all of them",
        verdict: |lab| plans::bindable(lab, "act"),
    },
    Check {
        id: "cycle/plans-are-sound",
        demands: "The host refuses no plan: its victims are there and evicted once, and its pods have room then",
        rule: "wit/answers.wit, plan",
        remedy: "evict enough pods that run on the node, each once, and nominate the preemptor to an eligible node",
        verdict: |lab| plans::sound(lab, "cycle.act"),
    },
    Check {
        id: "cycle/plans-are-within-the-rails",
        demands: "No plan evicts a protected pod, or a pod of a higher priority where the system does not declare such rules",
        rule: "wit/cluster.wit, pod-template.protected",
        remedy: "leave out pods that are `protected`, and those above the preemptor or declare `evicts-higher-priority`",
        verdict: |lab| plans::within_rails(lab, "cycle.act"),
    },
    Check {
        id: "cycle/plan-numbers-once",
        demands: "No instance gives two plans the same number",
        rule: "wit/cycle.wit, plan-slice.id",
        remedy: "count plans upwards, and never start again while the instance lives",
        verdict: |lab| plans::numbers_once(lab, "cycle.act"),
    },
];

fn ends(lab: &CheckContext<'_>) -> CheckResult {
    let endless = |cause: &&FailureCause| {
        matches!(cause, FailureCause::ProtocolError { protocol_error: ProtocolError::TooManySteps(_), .. })
    };
    match lab.plain().faults.iter().find(endless) {
        Some(cause) => Err(cause.to_string()),
        None => lab.each(|exchange| matches!(exchange.reply, CallReply::Actions(_)).then_some(Ok(()))),
    }
}

fn slices_are_whole(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Actions(actions) = &exchange.reply else { return None };
    let plans = &actions.plans;
    let within = |end: u32, length: usize| usize::try_from(end).is_ok_and(|end| end <= length);
    let (mut nominated, mut evicted) = (0, 0);
    for slice in &plans.slices {
        let rises = slice.nominations_end >= nominated && slice.victims_end >= evicted;
        let inside =
            within(slice.nominations_end, plans.nominations.len()) && within(slice.victims_end, plans.victims.len());
        let reason = usize::try_from(slice.reason).is_ok_and(|at| at < plans.reasons.len());
        if let Err(wrong) =
            ensure(rises && inside && reason, || format!("plan {} is not where its slice says", slice.id))
        {
            return Some(Err(wrong));
        }
        (nominated, evicted) = (slice.nominations_end, slice.victims_end);
    }
    Some(Ok(()))
}
