//! What is noted of the nodes that offer a plan.

use super::{PreemptionCandidate, PreemptionContext};
use crate::contract::{Outcome, Subject};
use crate::engine::reasons::{NEEDED, NODE_SUFFICES, NOT_LOOKED_AT, REPRIEVED};
use crate::engine::room::Lack;
use crate::engine::search::tell::cost;
use crate::laws::Detail;
use crate::model::{Cluster, Node, NodeIx, PodIx, Request};

/// Notes the nodes that were not looked at because there were offers enough.
pub(super) fn not_looked_at(context: &mut PreemptionContext<'_>, nodes: &[(NodeIx, &Node)], offers: usize) {
    if !context.notes.are_on() {
        return;
    }
    for (node, _) in nodes {
        let detail = || Detail::default().count("candidates", offers);
        context.notes.note(Subject::Node(node.0), Outcome::Unneeded, &NOT_LOOKED_AT, detail);
    }
}

/// Notes of the chosen offer who could be put back and who could not; of the others that they were not chosen.
pub(super) fn offers(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    offers: &[PreemptionCandidate],
    request: &Request,
) {
    let chosen = offers.iter().min_by_key(|offer| offer.loss).map(|offer| offer.node);
    for offer in offers {
        if Some(offer.node) == chosen {
            victims(cluster, context, offer, request);
            continue;
        }
        let detail = || match offer.violations {
            0 => cost(cluster, &offer.victims, ""),
            violations => cost(cluster, &offer.victims, "").count("violations", violations),
        };
        context.notes.note(Subject::Node(offer.node.0), Outcome::Enough, &NODE_SUFFICES, detail);
        let there = candidates(cluster, context, offer.node);
        context.tell_unneeded(&there, "unused-node");
    }
}

/// Notes who of a node could be put back beside the asker, and what would be missing with each of the others back.
fn victims(cluster: &Cluster, context: &mut PreemptionContext<'_>, offer: &PreemptionCandidate, request: &Request) {
    let Some(node) = cluster.node(offer.node) else { return };
    let mut room = node.free.clone();
    for other in context.promised(cluster, node) {
        room.subtract(&other.request);
    }
    for victim in &offer.victims {
        room.add(&cluster.frees(*victim));
    }
    for ix in candidates(cluster, context, offer.node) {
        let subject = Subject::Pod(ix.0);
        if context.is_leaving(cluster, ix) {
            context.tell_unneeded(&[ix], "leaving");
            continue;
        }
        if !offer.victims.contains(&ix) {
            context.notes.note(subject, Outcome::PutBack, &REPRIEVED, Detail::default);
            continue;
        }
        let frees = cluster.frees(ix);
        room.subtract(&frees);
        let lacks = Lack::of(&room, request);
        room.add(&frees);
        let detail = || lacks.map_or_else(Detail::default, |lacks| lacks.detail(cluster));
        context.notes.note(subject, Outcome::Needed, &NEEDED, detail);
    }
}

/// Those on a node whom no law spares, in the order in which they are put back.
fn candidates(cluster: &Cluster, context: &PreemptionContext<'_>, at: NodeIx) -> Vec<PodIx> {
    let pods = cluster.node(at).map(|node| node.pods.as_slice()).unwrap_or_default();
    let mut free: Vec<PodIx> = pods.iter().copied().filter(|ix| context.barring(cluster, *ix).is_none()).collect();
    free.sort_unstable_by(|a, b| match (cluster.pod(*a), cluster.pod(*b)) {
        (Some(a), Some(b)) => (context.laws.put_back.compare)(cluster, a, b),
        _ => a.cmp(b),
    });
    free
}
