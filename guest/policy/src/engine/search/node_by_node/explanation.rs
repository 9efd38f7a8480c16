//! The explanation of a search node by node.

use super::super::PreemptionContext;
use super::super::node_dry_run::{NodeDryRun, PodToPlace};
use super::super::trace::{ReprieveObstacle, cost};
use super::PreemptionCandidate;
use crate::contract::{Outcome, Subject};
use crate::engine::reasons::{NODE_SUFFICES, NOT_LOOKED_AT};
use crate::engine::room::InsufficientResources;
use crate::laws::ReasonFacts;
use crate::model::{Cluster, NodeIx, PodIx};

/// Explains the nodes that were not tried, because enough others fit.
pub(super) fn tell_not_looked_at(
    context: &mut PreemptionContext<'_>,
    nodes: impl Iterator<Item = (u64, NodeIx)>,
    offers: usize,
) {
    for (_, node) in nodes {
        let detail = || ReasonFacts::default().count("candidates", offers);
        context.notes.note(Subject::Node(node.0), Outcome::Unneeded, &NOT_LOOKED_AT, detail);
    }
}

/// Explains the victims of the chosen node, and that the other nodes were not chosen.
pub(super) fn tell_offers(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    offers: &[PreemptionCandidate],
    ask: &PodToPlace<'_>,
) {
    let chosen = offers.iter().min_by_key(|offer| offer.order()).map(|offer| offer.dry_run.node);
    for PreemptionCandidate { dry_run, price } in offers {
        if Some(dry_run.node) == chosen {
            tell_victims(cluster, context, dry_run, (&price.victims, ask));
            continue;
        }
        let detail = || match price.violations {
            0 => cost(cluster, &price.victims, ""),
            violations => cost(cluster, &price.victims, "").count("violations", violations),
        };
        context.notes.note(Subject::Node(dry_run.node.0), Outcome::Enough, &NODE_SUFFICES, detail);
        let there = context.in_reprieve_order(cluster, dry_run.pods());
        context.tell_unneeded(&there, "unused-node");
    }
}

/// Explains which candidates of a node are reprieved, and what the preemptor would lack with each of the others.
fn tell_victims(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    dry_run: &NodeDryRun,
    (victims, ask): (&[PodIx], &PodToPlace<'_>),
) {
    let mut room = dry_run.without(cluster, victims);
    for ix in context.in_reprieve_order(cluster, dry_run.pods()) {
        if context.is_leaving(cluster, ix) {
            context.tell_unneeded(&[ix], "leaving");
        } else if victims.contains(&ix) {
            let frees = cluster.frees(ix);
            room.subtract(&frees);
            let others: Vec<PodIx> = victims.iter().copied().filter(|other| *other != ix).collect();
            let why = match (InsufficientResources::of(&room, ask.request), dry_run.lack_without(cluster, ask, &others))
            {
                (None, Some(lack)) => ReprieveObstacle::InterPod(lack),
                (None, None) => match ask.limits.and_then(|limits| limits.broken(cluster, &others)) {
                    Some((rule, denial)) => ReprieveObstacle::Law(rule, denial),
                    None => ReprieveObstacle::Lack(InsufficientResources::default()),
                },
                (lack, _) => ReprieveObstacle::Lack(lack.unwrap_or_default()),
            };
            context.notes.needed(cluster, ix, &why);
            room.add(&frees);
        } else {
            context.notes.reprieved(ix);
        }
    }
}
