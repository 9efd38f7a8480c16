//! Preemption for a gang: all the members that it lacks find room then, or nobody goes.

use std::collections::BTreeSet;

use serde_json::json;

use super::{allocated, group, members, minimum};
use crate::outcome::{Ended, Outcome};
use crate::puzzle::{Asker, Mover, Puzzle};
use crate::systems::kubernetes;
use crate::tally::Verdict;
use crate::world::{Pod, World};

/// A member that no node takes: somebody is evicted only if the gang then has its minimum. Where it lacks this one member alone,
/// that is kube-scheduler's own preemption.
pub(super) fn without_room(world: &World, pod: &Pod, gang: &str, outcome: &Outcome, verdict: &mut Verdict) {
    if !matches!(outcome.ended, Some(Ended::Nominated | Ended::Unschedulable)) {
        return verdict
            .breach("bound-where-there-is-room", format!("`{}` has no room, and {:?}", pod.name, outcome.ended));
    }
    let mates = |other: &Pod| group(other) == Some(gang);
    let missing = minimum(pod).saturating_sub(allocated(world, gang)).max(1);
    if missing == 1 {
        return kubernetes::without_room(world, pod, &mates, outcome, verdict);
    }
    let planned = outcome.ended == Some(Ended::Nominated);
    let barred = [
        (pod.never_preempts, "preemptionPolicy Never"),
        (kubernetes::waits_for_victims(world, pod), "victims on the nominated node are leaving"),
        (kubernetes::is_held_up(world, pod, &mates, kubernetes::stated), "its room is held at permit"),
    ];
    if let Some((_, why)) = barred.into_iter().find(|(bars, _)| *bars) {
        if planned {
            verdict.breach("may-preempt", format!("`{}` preempted although: {why}", pod.name));
        }
        return verdict.excuse(why);
    }
    let pending: Vec<&Pod> = members(world, gang).into_iter().filter(|pod| pod.pending()).collect();
    if planned {
        let seated: Vec<&Pod> =
            pending.iter().copied().filter(|pod| outcome.nominated.contains_key(&pod.name)).collect();
        if seated.len() != missing || !outcome.nominated.contains_key(&pod.name) {
            let text = format!("{:?} were evicted for {} of {missing} missing members", outcome.victims, seated.len());
            verdict.breach_expecting("gang-is-complete", text, json!({"victims": []}));
        }
        return legal(world, pod, &seated, outcome, verdict);
    }
    // Whoever else of the gang is chosen beside the pod: the smallest ones are the easiest.
    let mut others: Vec<&Pod> = pending.iter().copied().filter(|other| other.name != pod.name).collect();
    others.sort_by_key(|other| other.request.get("cpu"));
    others.truncate(missing - 1);
    others.insert(0, pod);
    if others.len() < missing {
        return;
    }
    let (puzzle, _) = puzzle(world, pod, &others);
    if !puzzle.solved_by(puzzle.all()) {
        return;
    }
    if pending.iter().any(|other| other.request != pod.request) {
        return verdict.excuse("members of different size are placed one after the other");
    }
    let text = format!(
        "`{}` found no plan, and its gang fits when {:?} leave",
        pod.name,
        puzzle.movers.iter().map(|mover| mover.name).collect::<Vec<_>>()
    );
    verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
}

/// These pods of a gang, and everybody who may make way for them.
fn puzzle<'w>(world: &'w World, pod: &Pod, askers: &[&'w Pod]) -> (Puzzle<'w>, Vec<&'w str>) {
    let nodes: Vec<_> = world.nodes.values().collect();
    let places = || nodes.iter().enumerate();
    let mut movers = Vec::new();
    for (place, node) in places() {
        let able = |other: &&Pod| other.priority < pod.priority && !other.leaving && group(other) != group(pod);
        let lower = world.on(&node.name).filter(able);
        movers.extend(lower.map(|other| Mover { name: &other.name, node: place, request: &other.request }));
    }
    let ours: BTreeSet<&str> = askers.iter().map(|pod| pod.name.as_str()).collect();
    let free = nodes.iter().map(|node| {
        let mut free = world.free(node);
        world.on(&node.name).filter(|other| other.leaving).for_each(|other| free.add(&other.request));
        let kept = world.pods.values().filter(|other| {
            other.pending() && other.nominated.as_deref() == Some(&node.name) && other.priority >= pod.priority
        });
        kept.filter(|other| !ours.contains(other.name.as_str())).for_each(|other| free.take(&other.request));
        free
    });
    let asks = |pod: &&'w Pod| {
        let nodes = places().filter(|(_, node)| world.may_run(pod, node)).map(|(place, _)| place).collect();
        Asker { request: &pod.request, nodes }
    };
    let puzzle = Puzzle { free: free.collect(), movers, askers: askers.iter().map(asks).collect() };
    (puzzle, nodes.iter().map(|node| node.name.as_str()).collect())
}

/// The victims may go, all who are nominated then fit where they are nominated to, and no victim could stay.
fn legal(world: &World, pod: &Pod, seated: &[&Pod], outcome: &Outcome, verdict: &mut Verdict) {
    let (puzzle, nodes) = puzzle(world, pod, seated);
    let victims = puzzle.set(|name| outcome.victims.contains(name));
    for victim in &outcome.victims {
        if puzzle.set(|name| name == victim) == 0 {
            verdict.breach("victim-ranks-lower", format!("`{victim}` is of no lower priority than `{}`", pod.name));
        }
    }
    let place = |pod: &&Pod| {
        let node = outcome.nominated.get(&pod.name)?;
        nodes.iter().position(|name| name == node)
    };
    let places: Vec<usize> = seated.iter().filter_map(place).collect();
    if !puzzle.seated(victims, &places) {
        let text = format!("{:?} do not fit when {:?} have left", outcome.nominated, outcome.victims);
        verdict.breach("nobody-is-evicted-in-vain", text);
    }
    for victim in &outcome.victims {
        if puzzle.seated(victims & !puzzle.set(|name| name == victim), &places) {
            verdict.breach("who-can-stay-stays", format!("`{victim}` need not go for {:?}", outcome.nominated));
        }
    }
    verdict.planned(outcome.victims.len(), puzzle.fewest(outcome.victims.len(), |_| true));
}
