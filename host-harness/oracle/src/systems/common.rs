//! What holds for every system.

use std::collections::BTreeMap;

use crate::amounts::Amounts;
use crate::outcome::{Ended, Outcome};
use crate::tally::Verdict;
use crate::world::{Node, World};

/// What came of a step can be: who is bound fits, who is evicted was there.
pub(crate) fn sound(world: &World, outcome: &Outcome, verdict: &mut Verdict) {
    for (name, place) in &outcome.bound {
        match (world.pods.get(name), world.nodes.get(place)) {
            (Some(pod), Some(node)) if pod.node.is_none() && world.may_run(pod, node) => {}
            _ => verdict.breach("bound-where-it-may-run", format!("`{name}` was bound to `{place}`")),
        }
    }
    for node in world.nodes.values() {
        let (comes, free) = then(world, node, outcome);
        if comes && free.0.values().any(|free| *free < 0) {
            verdict.breach("no-node-is-overcommitted", format!("`{}` holds more than it has: {free:?}", node.name));
        }
    }
    for name in &outcome.victims {
        match world.pods.get(name) {
            Some(pod) if pod.place().is_some() && !pod.leaving => {}
            _ => verdict
                .breach("victim-runs-and-stays", format!("`{name}` is a victim and does not run, or leaves already")),
        }
    }
    for (name, place) in &outcome.nominated {
        match (world.pods.get(name), world.nodes.get(place)) {
            (Some(pod), Some(node)) if pod.node.is_none() && world.may_run(pod, node) => {}
            _ => verdict.breach("nominated-where-it-may-run", format!("`{name}` was nominated to `{place}`")),
        }
    }
    if outcome.victims.is_empty() && !outcome.nominated.is_empty() && outcome.ended != Some(Ended::Nominated) {
        verdict.breach("a-plan-is-told-whole", "somebody is nominated and the attempt does not say so");
    }
}

/// Whether somebody comes to a node with this outcome, and what is free on it then.
fn then(world: &World, node: &Node, outcome: &Outcome) -> (bool, Amounts) {
    let (mut comes, mut free) = (false, node.allocatable.clone());
    for pod in world.pods.values().filter(|pod| !pod.finished && !world.inside(pod)) {
        let held = pod.held.as_ref().filter(|_| outcome.waiting.contains(&pod.name));
        let held =
            held.or(outcome.node.as_ref().filter(|_| pod.place().is_none() && outcome.waiting.contains(&pod.name)));
        let place = outcome.bound.get(&pod.name).or(pod.node.as_ref()).or(held);
        if place == Some(&node.name) {
            free.take(&pod.request);
            comes |= pod.place() != Some(&node.name);
        }
    }
    (comes, free)
}

/// The words of an attempt agree with each other.
pub(crate) fn attempt_is_told(outcome: &Outcome, pod: &str, verdict: &mut Verdict) {
    let said = match outcome.ended {
        Some(Ended::Scheduled) => outcome.bound.get(pod) == outcome.node.as_ref() && outcome.node.is_some(),
        Some(Ended::Waiting) => outcome.waiting.contains(pod) && outcome.node.is_some(),
        Some(Ended::Nominated) => outcome.nominated.get(pod) == outcome.node.as_ref() && outcome.node.is_some(),
        Some(Ended::Unschedulable | Ended::Rejected) => outcome.node.is_none() && outcome.victims.is_empty(),
        None => false,
    };
    if !said {
        verdict.breach("an-attempt-is-told-whole", format!("`{pod}`: {outcome:?}"));
    }
    verdict.decided(match outcome.ended {
        Some(Ended::Scheduled) => "scheduled",
        Some(Ended::Waiting) => "waiting",
        Some(Ended::Nominated) => "nominated",
        Some(Ended::Unschedulable) => "unschedulable",
        Some(Ended::Rejected) => "rejected",
        None => "untold",
    });
}

/// The books say what the pods hold.
pub(crate) fn books(expected: &BTreeMap<String, Amounts>, outcome: &Outcome, verdict: &mut Verdict) {
    for (name, told) in &outcome.books {
        let holds = expected.get(name).cloned().unwrap_or_default();
        // Whether resources that the quota does not limit are told is left open.
        if holds.0.keys().any(|resource| holds.get(resource) != told.get(resource)) {
            verdict.breach("books-say-what-is-held", format!("`{name}` holds {holds:?}, and its books say {told:?}"));
        }
    }
}
