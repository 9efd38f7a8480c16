//! `standing`: which running pods may be evicted, and which law protects the others.

use std::collections::BTreeSet;

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::super::check::{Check, ensure};
use super::super::exchange::{Call, CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult};
use super::super::play::RunOptions;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "standing/one-answer-a-pod",
        demands: "There is one list of threats for each pod that is asked about",
        rule: "wit/standing.wit, standings",
        remedy: "answer with one list a pod, in the order of the question; an empty one for a pod that does not run",
        verdict: |lab| lab.each(one_answer_a_pod),
    },
    Check {
        id: "standing/threats-are-sound",
        demands: "A list has each kind of preemptors once, and only a threat that spares nothing has a priority",
        rule: "wit/standing.wit, threat",
        remedy: "write one threat a kind, and leave out the priority where a law spares the pod",
        verdict: |lab| lab.each(threats_are_sound),
    },
    Check {
        id: "standing/running-pods-only",
        demands: "A pod that waits, is leaving or has ended has no threats",
        rule: "wit/standing.wit, standings",
        remedy: "answer with an empty list for a pod that has no node, is leaving or has ended",
        verdict: running_pods_only,
    },
    Check {
        id: "standing/same-question-same-answer",
        demands: "Where nothing has changed, the answer about a pod is the same, whatever pods are asked about with it",
        rule: "wit/standing.wit, standings",
        remedy: "answer from what was told of the cluster alone",
        verdict: same_question_same_answer,
    },
    Check {
        id: "standing/changes-no-decision",
        demands: "Decisions are the same whether or not standings are asked for",
        rule: "wit/standing.wit, standings",
        remedy: "change nothing that decisions depend on in `standings`",
        verdict: |lab| lab.same(&RunOptions { standing: true, ..RunOptions::default() }),
    },
    Check {
        id: "standing/unknown-pod",
        demands: "A pod that there is not has no threats, or is an error, and no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod`, or an empty list",
        verdict: unknown_pod,
    },
];

fn one_answer_a_pod(exchange: &Exchange) -> Option<Result<(), String>> {
    let (Call::Standings(pods), CallReply::Standings(lists)) = (&exchange.call, &exchange.reply) else { return None };
    let (asked, answered) = (pods.len(), lists.len());
    Some(ensure(asked == answered, || format!("{asked} pods are asked about, and {answered} lists come back")))
}

fn threats_are_sound(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Standings(lists) = &exchange.reply else { return None };
    let list = |threats: &Vec<Threat>| {
        let mut kinds = BTreeSet::new();
        threats.iter().try_for_each(|Threat { by, priority, spared }| {
            ensure(!by.is_empty() && kinds.insert(by), || format!("the kind `{by}` is empty, or there twice"))?;
            let wrong = || format!("a law spares the pod from `{by}`, and they may evict it from some priority on");
            ensure(spared.is_none() || priority.is_none(), wrong)
        })
    };
    Some(lists.iter().try_for_each(list))
}

/// Calls `standings` for pods that the policy has received.
fn standings_of(policy: &mut dyn Policy, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, String> {
    policy.standings(pods).map_err(|error| format!("`standing.standings`: {error}"))
}

fn running_pods_only(lab: &CheckContext<'_>) -> CheckResult {
    let (session, tap) = lab.start_loaded()?;
    let ended = |pod: &Pod| matches!(pod.phase, Phase::Succeeded | Phase::Failed);
    let rests = session.mirror().pods().filter(|pod| pod.node.is_none() || pod.terminating || ended(pod));
    let rests: Vec<PodId> = rests.map(|pod| pod.id).collect();
    let lists = tap.call_unrecorded(|policy| standings_of(policy, &rests))?;
    let threatened = rests.iter().zip(lists).find(|(_, threats)| !threats.is_empty());
    let name = |pod: PodId| session.mirror().pod_name(pod).unwrap_or_default().to_owned();
    threatened.map_or(Ok(rests.len()), |(pod, _)| {
        Err(format!("`standing.standings` has threats to `{}`, which does not run", name(*pod)))
    })
}

fn same_question_same_answer(lab: &CheckContext<'_>) -> CheckResult {
    let (session, tap) = lab.start_loaded()?;
    let running: Vec<PodId> = session.mirror().pods().filter(|pod| pod.node.is_some()).map(|pod| pod.id).collect();
    let together = tap.call_unrecorded(|policy| standings_of(policy, &running))?;
    for (pod, before) in running.iter().zip(&together).rev() {
        let alone = tap.call_unrecorded(|policy| standings_of(policy, &[*pod]))?;
        let name = session.mirror().pod_name(*pod).unwrap_or_default();
        ensure(alone.first() == Some(before), || {
            format!("`standing.standings` of `{name}` is {before:?} among others, and then {alone:?}")
        })?;
    }
    Ok(running.len())
}

fn unknown_pod(lab: &CheckContext<'_>) -> CheckResult {
    let (_, tap) = lab.start_loaded()?;
    match tap.call_unrecorded(|policy: &mut dyn Policy| policy.standings(&[PodId::MAX])) {
        Err(CallError::Refused { .. }) => Ok(1),
        Ok(lists) => {
            let safe = lists.iter().all(Vec::is_empty);
            ensure(safe, || "`standing.standings` has threats to an unknown pod".to_owned()).map(|()| 1)
        }
        Err(other) => Err(format!("`standing.standings` of an unknown pod: {other}")),
    }
}
