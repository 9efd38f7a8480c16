//! What holds for every system.

use crate::amounts::Amounts;
use crate::outcome::{Ended, Outcome};
use crate::tally::Verdict;
use crate::world::{Node, Pod, World};

/// What came of a step can be: who is bound fits, who is evicted was there.
pub(crate) fn sound(world: &World, outcome: &Outcome, verdict: &mut Verdict) {
    for (name, place) in &outcome.bound {
        match (world.pods.get(name), world.nodes.get(place)) {
            (Some(pod), Some(node)) if pod.node.is_none() && world.may_run(pod, node) => {}
            _ => verdict.breach("bound-where-it-may-run", format!("`{name}` was bound to `{place}`")),
        }
    }
    for node in world.nodes.values() {
        let arriving = |pod: &&Pod| outcome.bound.get(&pod.name) == Some(&node.name) && pod.place() != Some(&node.name);
        let free = free_for(world, node, arriving);
        if world.pods.values().any(|pod| arriving(&pod)) && free.0.values().any(|free| *free < 0) {
            verdict.breach("no-node-is-overcommitted", format!("`{}` holds more than it has: {free:?}", node.name));
        }
    }
    for name in &outcome.victims {
        match world.pods.get(name) {
            Some(pod) if pod.place().is_some() && !pod.leaving => {}
            _ => verdict.breach("victim-runs-and-stays", format!("`{name}` is a victim and does not run, or leaves already")),
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

/// What is left of a node when these have come to it, inside a reservation or beside it.
fn free_for(world: &World, node: &Node, arriving: impl Fn(&&Pod) -> bool) -> Amounts {
    let mut free = world.free(node);
    world.pods.values().filter(arriving).for_each(|pod| free.take(&pod.request));
    free
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
