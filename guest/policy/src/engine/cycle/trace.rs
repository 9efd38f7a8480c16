//! Explanations of a step: nodes and gangs.

use super::{CycleContext, IdleCapacity, Simulation};
use crate::contract::{Outcome, Subject};
use crate::engine::DecisionTrace;
use crate::engine::reasons::{HAS_ROOM, INTER_POD, KEEPS_PROMISES, ROOM_IS_COMING};
use crate::engine::room::inter_pod;
use crate::laws::ReasonFacts;
use crate::model::{NodeIx, PodIx};

/// Explains what each eligible node lacks for a pod; once for each job.
pub fn nodes(simulation: &Simulation<'_>, notes: &mut DecisionTrace, ix: PodIx) {
    if !notes.are_on() {
        return;
    }
    let cluster = simulation.cluster();
    let Some(pod) = cluster.pod(ix) else { return };
    let others = simulation.others(ix, IdleCapacity::Now);
    for (node, _) in cluster.nodes().filter(|(node, _)| cluster.eligible(pod.shape, *node)) {
        let subject = Subject::Node(node.0);
        if notes.tell_of(&subject, Outcome::Barred) {
            continue;
        }
        if let Some((lack, beside)) = simulation.lacks(node, &pod.request) {
            let rule = if beside { KEEPS_PROMISES } else { HAS_ROOM };
            notes.note(subject, Outcome::Barred, &rule, || lack.detail(cluster));
        } else if let Some(lack) = others.lack(cluster, ix, node) {
            notes.note(subject, Outcome::Barred, &INTER_POD, || inter_pod(lack));
        }
    }
}

/// Explains that the capacity of leaving pods is kept for a gang.
pub fn promised(notes: &mut DecisionTrace, promised: &[(PodIx, NodeIx)]) {
    if !promised.is_empty() {
        notes.note(Subject::Preemptor, Outcome::Chosen, &ROOM_IS_COMING, || ReasonFacts::case("kept"));
    }
}

/// Explains how many pods of a gang fit.
pub fn half(notes: &mut DecisionTrace, context: &CycleContext<'_>, placed: usize, lacking: usize) {
    let Some(law) = context.laws.permit.first() else { return };
    let detail = || ReasonFacts::case("half").count("placed", placed).count("pods", placed.saturating_add(lacking));
    if placed > 0 {
        notes.note(Subject::Preemptor, Outcome::Barred, &law.rule, detail);
    }
}
