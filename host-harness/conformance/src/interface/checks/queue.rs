//! `queue`: sort keys and their epochs.

use std::collections::BTreeMap;

use lictor_contract::*;
use lictor_host::policy::Policy;

use super::super::check::{Check, ensure};
use super::super::exchange::{Call, CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult, pending};
use super::super::play::RunRecord;
use super::core::unknown_pod_refused;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "queue/one-key-a-pod",
        demands: "`queue-keys` answers with one key for each pod of the question",
        rule: "wit/queue.wit, sort-keys.keys",
        remedy: "answer with one key a pod, in the order of the question",
        verdict: |lab| lab.each(one_key_a_pod),
    },
    Check {
        id: "queue/keys-hold-in-their-epoch",
        demands: "While the epoch is the same, a pod that has not changed has the same key",
        rule: "wit/queue.wit, sort-keys.epoch",
        remedy: "take a new epoch whenever the key of a pod that has not changed may be another",
        verdict: |lab| over_runs(lab, keys_are_stable),
    },
    Check {
        id: "queue/epoch-never-goes-back",
        demands: "The epoch of an instance never goes back",
        rule: "wit/queue.wit, sort-keys.epoch",
        remedy: "count epochs upwards in each instance",
        verdict: |lab| over_runs(lab, epochs_never_fall),
    },
    Check {
        id: "queue/order-of-the-question",
        demands: "The order of the pods in the question does not change their places",
        rule: "wit/queue.wit, queue-keys",
        remedy: "make the key of what was told of the pod, not of its place in the question",
        verdict: order_of_the_question,
    },
    Check {
        id: "queue/unknown-pod",
        demands: "A question about a pod that there is not is refused with an error, and is no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod` for a number that was not told, or whose pod is gone",
        verdict: |lab| unknown_pod_refused(lab, &[ExtensionPoint::QueueOrder]),
    },
];

/// Returns the epoch and the keys of an answer, by pod. `None`: the answer is another one, or does not have one key for each pod.
fn keys(exchange: &Exchange) -> Option<(u64, BTreeMap<PodId, &Vec<u8>>)> {
    match (&exchange.call, &exchange.reply) {
        (Call::QueueKeys(pods), CallReply::Keys(said)) if pods.len() == said.keys.len() => {
            Some((said.epoch, pods.iter().copied().zip(&said.keys).collect()))
        }
        _ => None,
    }
}

fn one_key_a_pod(exchange: &Exchange) -> Option<Result<(), String>> {
    let (Call::QueueKeys(pods), CallReply::Keys(said)) = (&exchange.call, &exchange.reply) else { return None };
    let (asked, answered) = (pods.len(), said.keys.len());
    Some(ensure(asked == answered, || format!("{asked} pods are asked about, and {answered} keys come back")))
}

/// Checks the answers of each instance, one instance after the other.
fn over_runs(lab: &CheckContext<'_>, look: fn(&[&Exchange]) -> CheckResult) -> CheckResult {
    let mut seen = 0_usize;
    for run in lab.runs() {
        for life in by_instance(run) {
            let found = look(&life).map_err(|wrong| format!("`queue.queue-keys`: {wrong}"))?;
            seen = seen.saturating_add(found);
        }
    }
    Ok(seen)
}

/// Returns the answers about the queue, by instance.
fn by_instance(run: &RunRecord) -> Vec<Vec<&Exchange>> {
    let mut lives: BTreeMap<usize, Vec<&Exchange>> = BTreeMap::new();
    for exchange in run.exchanges.iter().filter(|exchange| keys(exchange).is_some()) {
        lives.entry(exchange.instance).or_default().push(exchange);
    }
    lives.into_values().collect()
}

fn keys_are_stable(life: &[&Exchange]) -> CheckResult {
    let mut last: BTreeMap<PodId, (u64, u64, Vec<u8>)> = BTreeMap::new();
    for exchange in life {
        let Some((epoch, keys)) = keys(exchange) else { continue };
        for (pod, key) in keys {
            let changed = exchange.received.pods.get(&pod).map_or(0, |known| known.changed);
            let before = last.insert(pod, (epoch, changed, key.clone()));
            let held = before.is_none_or(|(of, when, was)| (of, when) != (epoch, changed) || was == *key);
            ensure(held, || {
                format!("`{}` has another key in epoch {epoch}, and has not changed", exchange.received.pod(pod))
            })?;
        }
    }
    Ok(life.len())
}

fn epochs_never_fall(life: &[&Exchange]) -> CheckResult {
    let mut last = 0;
    for (epoch, _) in life.iter().filter_map(|exchange| keys(exchange)) {
        ensure(epoch >= last, || format!("epoch {epoch} comes after epoch {last}"))?;
        last = epoch;
    }
    Ok(life.len())
}

fn order_of_the_question(lab: &CheckContext<'_>) -> CheckResult {
    if !lab.decides(ExtensionPoint::QueueOrder) {
        return Ok(0);
    }
    let (session, tap) = lab.start_loaded()?;
    let pods = pending(&session);
    let turned: Vec<PodId> = pods.iter().rev().copied().collect();
    let ask = |pods: &[PodId]| {
        let keys = tap
            .call_unrecorded(|policy: &mut dyn Policy| policy.queue_keys(pods))
            .map_err(|error| error.to_string())?;
        let mut places: Vec<(Vec<u8>, PodId)> = keys.keys.into_iter().zip(pods.iter().copied()).collect();
        places.sort();
        Ok::<_, String>(places.into_iter().map(|(_, pod)| pod).collect::<Vec<_>>())
    };
    let (one, other) = (ask(&pods)?, ask(&turned)?);
    let wrong = "`queue.queue-keys` orders the same pods otherwise when they are asked about the other way round";
    ensure(one == other, || wrong.to_owned())?;
    Ok(pods.len())
}
