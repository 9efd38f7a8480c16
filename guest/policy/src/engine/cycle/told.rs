//! What a step notes of nodes and gangs.

use super::{Context, Simulation};
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::engine::reasons::{HAS_ROOM, KEEPS_PROMISES, ROOM_IS_COMING};
use crate::laws::Detail;
use crate::model::{NodeIx, PodIx};

/// Notes of every node that a pod may run on what it lacks for it; once for a job.
pub fn nodes(simulation: &Simulation<'_>, notes: &mut Notes, ix: PodIx) {
    if !notes.are_on() {
        return;
    }
    let cluster = simulation.cluster();
    let Some(pod) = cluster.pod(ix) else { return };
    for (node, _) in cluster.nodes().filter(|(node, _)| cluster.eligible(pod.shape, *node)) {
        let subject = Subject::Node(node.0);
        if let Some((lack, beside)) = simulation.lacks(node, &pod.request)
            && !notes.tell_of(&subject, Outcome::Barred)
        {
            let rule = if beside { KEEPS_PROMISES } else { HAS_ROOM };
            notes.note(subject, Outcome::Barred, &rule, || lack.detail(cluster));
        }
    }
}

/// Notes that a gang keeps the room that others leave.
pub fn promised(notes: &mut Notes, promised: &[(PodIx, NodeIx)]) {
    if !promised.is_empty() {
        notes.note(Subject::Preemptor, Outcome::Chosen, &ROOM_IS_COMING, || Detail::case("kept"));
    }
}

/// Notes how much of a gang found nodes.
pub fn half(notes: &mut Notes, context: &Context<'_>, placed: usize, lacking: usize) {
    let Some(law) = context.laws.permit.first() else { return };
    let detail = || Detail::case("half").count("placed", placed).count("pods", placed.saturating_add(lacking));
    if placed > 0 {
        notes.note(Subject::Preemptor, Outcome::Barred, &law.rule, detail);
    }
}
