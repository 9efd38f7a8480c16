//! What a step notes of nodes and gangs.

use super::{Context, Simulation};
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::model::{NodeIx, PodIx};

/// The code of what is no law's: whether a node has room.
const HAS_ROOM: &str = "node/has-room";

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
            let message = || format!("{}{beside}", lack.sentence(cluster));
            notes.say(subject, Outcome::Barred, HAS_ROOM, message);
        }
    }
}

/// Notes that a gang keeps the room that others leave.
pub fn promised(notes: &mut Notes, promised: &[(PodIx, NodeIx)]) {
    if !promised.is_empty() {
        let message = || "it keeps the room that pods which are leaving will leave: nobody else is evicted".to_owned();
        notes.say(Subject::Preemptor, Outcome::Chosen, HAS_ROOM, message);
    }
}

/// Notes how much of a gang found nodes.
pub fn half(notes: &mut Notes, context: &Context<'_>, placed: usize, lacking: usize) {
    let Some(law) = context.laws.permit.first() else { return };
    let message = || {
        let all = placed.saturating_add(lacking);
        format!("only {placed} of the {all} pods that the gang lacks find a node: none is bound")
    };
    if placed > 0 {
        notes.note(Subject::Preemptor, Outcome::Barred, &law.rule, message);
    }
}
