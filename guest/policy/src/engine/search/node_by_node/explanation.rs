//! The explanation of a search node by node.

use super::super::PreemptionContext;
use super::super::node_dry_run::{NodeDryRun, PodToPlace};
use super::super::trace::{ReprieveObstacle, cost_facts};
use super::PreemptionCandidate;
use crate::contract::{Outcome, Subject};
use crate::engine::reasons::{NODE_SUFFICES, NOT_LOOKED_AT};
use crate::engine::room::InsufficientResources;
use crate::laws::ReasonFacts;
use crate::model::{Cluster, NodeIx, PodIx};

/// Explains the nodes that were not tried, because enough others fit.
pub(super) fn explain_not_examined(
    context: &mut PreemptionContext<'_>,
    nodes: impl Iterator<Item = (u64, NodeIx)>,
    offers: usize,
) {
    for (_, node) in nodes {
        let detail = || ReasonFacts::default().count("candidates", offers);
        context.notes.record(Subject::Node(node.0), Outcome::Unneeded, &NOT_LOOKED_AT, detail);
    }
}

/// Explains the victims of the chosen node, and that the other nodes were not chosen.
pub(super) fn explain_choice(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    offers: &[PreemptionCandidate],
    ask: &PodToPlace<'_>,
) {
    let chosen = offers.iter().min_by_key(|offer| offer.sort_key()).map(|offer| offer.dry_run.node);
    for PreemptionCandidate { dry_run, eviction_cost: price } in offers {
        if Some(dry_run.node) == chosen {
            explain_victims(cluster, context, dry_run, (&price.victims, ask));
            continue;
        }
        let detail = || match price.budget_violations {
            0 => cost_facts(cluster, &price.victims, ""),
            violations => cost_facts(cluster, &price.victims, "").count("violations", violations),
        };
        context.notes.record(Subject::Node(dry_run.node.0), Outcome::Enough, &NODE_SUFFICES, detail);
        let there = context.in_reprieve_order(cluster, dry_run.pods());
        context.explain_unneeded_candidates(&there, "unused-node");
    }
}

/// Explains which candidates of a node are reprieved, and what the preemptor would lack with each of the others.
fn explain_victims(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    dry_run: &NodeDryRun,
    (victims, ask): (&[PodIx], &PodToPlace<'_>),
) {
    let mut room = dry_run.capacity_after(cluster, victims);
    for ix in context.in_reprieve_order(cluster, dry_run.pods()) {
        if context.is_leaving(cluster, ix) {
            context.explain_unneeded_candidates(&[ix], "leaving");
        } else if victims.contains(&ix) {
            let frees = cluster.freed_by_eviction(ix);
            room.subtract(&frees);
            let others: Vec<PodIx> = victims.iter().copied().filter(|other| *other != ix).collect();
            let why =
                match (InsufficientResources::of(&room, ask.request), dry_run.violation_after(cluster, ask, &others)) {
                    (None, Some(lack)) => ReprieveObstacle::InterPod(lack),
                    (None, None) => {
                        match ask.plan_invariants.and_then(|limits| limits.first_failed(cluster, &others)) {
                            Some((rule, denial)) => ReprieveObstacle::Law(rule, denial),
                            None => ReprieveObstacle::Insufficient(InsufficientResources::default()),
                        }
                    }
                    (lack, _) => ReprieveObstacle::Insufficient(lack.unwrap_or_default()),
                };
            context.notes.explain_needed(cluster, ix, &why);
            room.add(&frees);
        } else {
            context.notes.explain_reprieved(ix);
        }
    }
}
