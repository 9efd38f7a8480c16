//! `account`: the books of queues and quotas.

use std::collections::BTreeSet;

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::super::check::{Check, hold};
use super::super::exchange::{Exchange, Said};
use super::super::lab::{Lab, Verdict};

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
];

fn parents_before_children(exchange: &Exchange) -> Option<Result<(), String>> {
    let Said::Queues(queues) = &exchange.said else { return None };
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    for (place, queue) in queues.iter().enumerate() {
        let parent = queue.parent.as_ref();
        let sound = hold(parent.is_none_or(|parent| seen.contains(parent)), || {
            format!("`{}` comes before its parent `{}`", queue.name, parent.map_or("", String::as_str))
        });
        let sibling = queues.iter().take(place).rfind(|other| other.parent == queue.parent);
        let sound = sound.and(hold(sibling.is_none_or(|other| other.name <= queue.name), || {
            format!("`{}` does not come by its name among its siblings", queue.name)
        }));
        let sound = sound.and(hold(seen.insert(&queue.name), || format!("`{}` is there twice", queue.name)));
        if sound.is_err() {
            return Some(sound);
        }
    }
    Some(Ok(()))
}

fn amounts_are_known(exchange: &Exchange) -> Option<Result<(), String>> {
    let Said::Queues(queues) = &exchange.said else { return None };
    let known = exchange.known.resources.len();
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

/// What all queues use, by name.
fn used(policy: &mut dyn Policy) -> Result<Vec<(String, Vec<Amount>)>, CallError> {
    let spent = |amounts: Vec<Amount>| {
        let mut spent: Vec<Amount> = amounts.into_iter().filter(|amount| amount.value != 0).collect();
        spent.sort();
        spent
    };
    Ok(policy.queues()?.into_iter().map(|queue| (queue.name, spent(queue.used))).collect())
}

fn unreserve_gives_back(lab: &Lab<'_>) -> Verdict {
    let asked = lab.reserving(|policy, pod, node| {
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
        hold(before == after, wrong)?;
        // A pod of no queue counts nowhere.
        seen = seen.saturating_add(usize::from(before != during));
    }
    Ok(seen)
}
