//! `account`: the books of queues and quotas.

use std::collections::BTreeSet;

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::super::check::{Check, ensure};
use super::super::exchange::{Call, CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "account/parents-before-children",
        demands: "Parents come before their children, siblings by name, each name once",
        rule: "wit/account.wit, queues",
        remedy: "walk the tree from its roots, and sort the children of each queue by name",
        verdict: |lab| lab.each(parents_before_children),
    },
    Check {
        id: "account/amounts-are-known",
        demands: "Amounts name resources that were announced, each once in a list, and what is held is not negative",
        rule: "wit/cluster.wit, amount",
        remedy: "keep the numbers of resources as `event.resources` announced them",
        verdict: |lab| lab.each(amounts_are_known),
    },
    Check {
        id: "account/unreserve-gives-back",
        demands: "What a reserved pod holds counts as used, and no more when the pod is unreserved",
        rule: "wit/account.wit, queue-account.used",
        remedy: "add what the pod requests in `reserve`, and take the same away in `unreserve`",
        verdict: unreserve_gives_back,
    },
    Check {
        id: "account/one-membership-a-pod",
        demands: "There is one membership for each pod that is asked about",
        rule: "wit/account.wit, memberships",
        remedy: "answer with one membership a pod, in the order of the question",
        verdict: |lab| lab.each(one_membership_a_pod),
    },
    Check {
        id: "account/members-of-its-queues",
        demands: "A membership names no queue that is not one of `queues`",
        rule: "wit/account.wit, membership.queue",
        remedy: "name the queue as `queues` does, and none for a pod that counts against none of them",
        verdict: members_of_its_queues,
    },
    Check {
        id: "account/jobs-by-namespace-and-name",
        demands: "A membership names a job as `namespace/name`",
        rule: "wit/account.wit, membership.job",
        remedy: "put the namespace of its pods and `/` before the name of the job",
        verdict: |lab| lab.each(jobs_by_namespace_and_name),
    },
    Check {
        id: "account/unknown-pod",
        demands: "A pod that there is not belongs nowhere, or is an error, and no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod`, or a membership without queue and job",
        verdict: unknown_pod,
    },
];

fn parents_before_children(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Queues(queues) = &exchange.reply else { return None };
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    for (place, queue) in queues.iter().enumerate() {
        let parent = queue.parent.as_ref();
        let sound = ensure(parent.is_none_or(|parent| seen.contains(parent)), || {
            format!("`{}` comes before its parent `{}`", queue.name, parent.map_or("", String::as_str))
        });
        let sibling = queues.iter().take(place).rfind(|other| other.parent == queue.parent);
        let sound = sound.and(ensure(sibling.is_none_or(|other| other.name <= queue.name), || {
            format!("`{}` does not come by its name among its siblings", queue.name)
        }));
        let sound = sound.and(ensure(seen.insert(&queue.name), || format!("`{}` is there twice", queue.name)));
        if sound.is_err() {
            return Some(sound);
        }
    }
    Some(Ok(()))
}

fn amounts_are_known(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Queues(queues) = &exchange.reply else { return None };
    let known = exchange.received.resources.len();
    let sound = |queue: &QueueAccount| {
        let bounds = queue.bounds.iter().map(|bound| (&bound.amounts, true));
        let held = [&queue.used, &queue.promised, &queue.pending].map(|amounts| (amounts, false));
        bounds.chain(held).try_for_each(|(amounts, is_bound)| {
            let mut named = BTreeSet::new();
            let wrong = amounts.iter().find(|amount| {
                let strange = usize::try_from(amount.resource).is_ok_and(|at| at >= known);
                strange || !named.insert(amount.resource) || (!is_bound && amount.value < 0)
            });
            wrong.map_or(Ok(()), |it| {
                Err(format!("`{}` has {} of resource number {}, which cannot be", queue.name, it.value, it.resource))
            })
        })
    };
    Some(queues.iter().try_for_each(sound))
}

fn one_membership_a_pod(exchange: &Exchange) -> Option<Result<(), String>> {
    let (Call::Memberships(pods), CallReply::Memberships(members)) = (&exchange.call, &exchange.reply) else {
        return None;
    };
    let (asked, answered) = (pods.len(), members.len());
    let wrong = || format!("{asked} pods are asked about, and {answered} memberships come back");
    Some(ensure(asked == answered, wrong))
}

fn members_of_its_queues(lab: &CheckContext<'_>) -> CheckResult {
    let mut seen = 0_usize;
    for run in lab.runs() {
        // The host calls `queues` right before `memberships`.
        let mut queues: BTreeSet<&str> = BTreeSet::new();
        for exchange in &run.exchanges {
            match &exchange.reply {
                CallReply::Queues(said) => queues = said.iter().map(|queue| queue.name.as_str()).collect(),
                CallReply::Memberships(members) => {
                    let mut named = members.iter().filter_map(|it| it.queue.as_deref());
                    let stranger = named.find(|queue| !queues.contains(queue));
                    stranger.map_or(Ok(()), |queue| {
                        Err(format!("`account.memberships` names the queue `{queue}`, which `account.queues` has not"))
                    })?;
                    seen = seen.saturating_add(1);
                }
                _ => {}
            }
        }
    }
    Ok(seen)
}

fn jobs_by_namespace_and_name(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Memberships(members) = &exchange.reply else { return None };
    let is_name =
        |job: &str| job.split_once('/').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    let wrong = members.iter().filter_map(|it| it.job.as_deref()).find(|job| !is_name(job));
    Some(wrong.map_or(Ok(()), |job| Err(format!("a job is named `{job}`"))))
}

fn unknown_pod(lab: &CheckContext<'_>) -> CheckResult {
    let (_, tap) = lab.start_loaded()?;
    match tap.call_unrecorded(|policy: &mut dyn Policy| policy.memberships(&[PodId::MAX])) {
        Err(CallError::Refused { .. }) => Ok(1),
        Ok(members) => {
            let nowhere = members.iter().all(|it| *it == Membership::default());
            ensure(nowhere, || "`account.memberships` says where an unknown pod belongs".to_owned()).map(|()| 1)
        }
        Err(other) => Err(format!("`account.memberships` of an unknown pod: {other}")),
    }
}

/// Returns the non-zero use of all queues, by name.
fn used(policy: &mut dyn Policy) -> Result<Vec<(String, Vec<Amount>)>, CallError> {
    let spent = |amounts: Vec<Amount>| {
        let mut spent: Vec<Amount> = amounts.into_iter().filter(|amount| amount.value != 0).collect();
        spent.sort();
        spent
    };
    Ok(policy.queues()?.into_iter().map(|queue| (queue.name, spent(queue.used))).collect())
}

fn unreserve_gives_back(lab: &CheckContext<'_>) -> CheckResult {
    let asked = lab.call_for_reserved(|policy, pod, node| {
        let before = used(policy)?;
        policy.reserve(pod, node)?;
        let during = used(policy)?;
        policy.unreserve(pod, ReleaseCause::Failed)?;
        Ok((before, during, used(policy)?))
    })?;
    let mut seen = 0_usize;
    for (pod, answer) in asked {
        let (before, during, after) = answer.map_err(|error| error.to_string())?;
        let wrong = || {
            format!("`account.queues`: `{pod}` was reserved and unreserved, and the queues use otherwise than before")
        };
        ensure(before == after, wrong)?;
        // A pod without a queue counts nowhere.
        seen = seen.saturating_add(usize::from(before != during));
    }
    Ok(seen)
}
