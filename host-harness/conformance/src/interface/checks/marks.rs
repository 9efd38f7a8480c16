//! `marks`: what is written on pods.

use std::collections::BTreeSet;

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::super::check::{Check, ensure};
use super::super::exchange::{CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "marks/keys-once",
        demands: "Every mark has a key, and no key is written twice in one place",
        rule: "wit/answers.wit, mark",
        remedy: "write each key once, and leave out a mark that says nothing",
        verdict: |lab| lab.each(keys_once),
    },
    Check {
        id: "marks/unknown-pod",
        demands: "Marks for a pod that there is not are none, or an error, and no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod`, or an empty list",
        verdict: unknown_pod,
    },
];

fn keys_once(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Marks(marks) = &exchange.reply else { return None };
    let mut seen = BTreeSet::new();
    let wrong = marks.iter().find(|mark| mark.key.is_empty() || !seen.insert((mark.place, &mark.key)));
    Some(wrong.map_or(Ok(()), |mark| Err(format!("the key `{}` is empty, or there twice", mark.key))))
}

fn unknown_pod(lab: &CheckContext<'_>) -> CheckResult {
    let (session, tap) = lab.start_loaded()?;
    let Some(node) = session.mirror().nodes().next().map(|node| node.id) else { return Ok(0) };
    match tap.call_unrecorded(|policy: &mut dyn Policy| policy.marks(PodId::MAX, node)) {
        Err(CallError::Refused { .. }) => Ok(1),
        Ok(marks) => ensure(marks.is_empty(), || "`marks.marks` writes on an unknown pod".to_owned()).map(|()| 1),
        Err(other) => Err(format!("`marks.marks` of an unknown pod: {other}")),
    }
}
