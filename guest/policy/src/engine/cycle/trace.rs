//! Explanations of a step: nodes and gangs.

use super::{CycleContext, IdleCapacity, Simulation};
use crate::contract::{Outcome, Reason, Subject};
use crate::engine::DecisionTrace;
use crate::engine::reasons::{HAS_ROOM, INTER_POD, KEEPS_PROMISES, ROOM_IS_COMING};
use crate::engine::room::{NodeFit, inter_pod_facts};
use crate::laws::ReasonFacts;
use crate::model::{NodeIx, PodIx};

/// Explains what each eligible node lacks for a pod; once for each job.
pub fn explain_nodes(simulation: &Simulation<'_>, notes: &mut DecisionTrace, ix: PodIx) {
    notes.refuse_on_nodes(|| most_frequent_lack(simulation, ix));
    if !notes.is_recording() {
        return;
    }
    let cluster = simulation.cluster();
    let Some(pod) = cluster.pod(ix) else { return };
    let others = simulation.promise_overlays(ix, IdleCapacity::Current);
    for (node, _) in cluster.nodes().filter(|(node, _)| cluster.eligible(pod.requirements.shape, *node)) {
        let subject = Subject::Node(node.0);
        if notes.has_entry(&subject, Outcome::Barred) {
            continue;
        }
        if let Some((lack, beside)) = simulation.lacks(node, pod.request()) {
            let rule = if beside { KEEPS_PROMISES } else { HAS_ROOM };
            notes.record(subject, Outcome::Barred, &rule, || lack.detail(cluster));
        } else if let Some(lack) = others.violation(cluster, ix, node) {
            notes.record(subject, Outcome::Barred, &INTER_POD, || inter_pod_facts(lack));
        }
    }
}

/// Returns what most nodes lack for a pod that found no node, and how many they are. `None`: there are no nodes.
fn most_frequent_lack(simulation: &Simulation<'_>, ix: PodIx) -> Option<(Reason, u32)> {
    let cluster = simulation.cluster();
    let pod = cluster.pod(ix)?;
    let others = simulation.promise_overlays(ix, IdleCapacity::Current);
    let mut counts: Vec<(NodeFit, u32)> = Vec::new();
    for (node, _) in cluster.nodes() {
        let fit = if !cluster.eligible(pod.requirements.shape, node) {
            NodeFit::Ineligible
        } else if let Some((lack, beside)) = simulation.lacks(node, pod.request()) {
            let short = lack.first()?;
            if beside { NodeFit::NominatedToOthers(short) } else { NodeFit::InsufficientFree(short) }
        } else if let Some(lack) = others.violation(cluster, ix, node) {
            NodeFit::InterPod(lack)
        } else {
            continue;
        };
        match counts.iter_mut().find(|(known, _)| *known == fit) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => counts.push((fit, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max()?;
    let (fit, count) = counts.into_iter().find(|(_, count)| *count == most)?;
    Some((fit.obstacle(cluster).reason, count))
}

/// Explains that the capacity of leaving pods is kept for a gang.
pub fn explain_promise(notes: &mut DecisionTrace, promised: &[(PodIx, NodeIx)]) {
    if !promised.is_empty() {
        notes.record(Subject::Preemptor, Outcome::Chosen, &ROOM_IS_COMING, || ReasonFacts::case("kept"));
    }
}

/// Explains how many pods of a gang fit.
pub fn explain_partial_gang(notes: &mut DecisionTrace, context: &CycleContext<'_>, placed: usize, lacking: usize) {
    let Some(law) = context.laws.preconditions.permit.first() else { return };
    let detail = || ReasonFacts::case("half").count("placed", placed).count("pods", placed.saturating_add(lacking));
    if placed > 0 {
        notes.record(Subject::Preemptor, Outcome::Barred, &law.rule, detail);
    }
}
