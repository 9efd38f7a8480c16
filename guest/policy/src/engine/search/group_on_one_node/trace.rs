//! Explanations of the nodes with and without a group of victims.

use super::gather::best_group;
use super::{GroupCandidate, GroupSearchBound, LEVELS, NodeDryRun, PodToPlace, PreemptionContext, case};
use crate::contract::{Outcome, Subject};
use crate::engine::reasons::{ALL_EVICTED, MORE_EVICTED};
use crate::engine::room::InsufficientResources;
use crate::engine::search::trace::ReprieveObstacle;
use crate::laws::{ActiveLaw, Denial, LawCheck, VictimGroupLaws};
use crate::model::{Cluster, PodIx};

/// Explains why each victim is needed and the others are not, and whether the other nodes would fit.
pub(super) fn found(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    group: &VictimGroupLaws,
    (ask, dry_runs): (&PodToPlace<'_>, &[&NodeDryRun]),
    best: &GroupCandidate,
) {
    for dry_run in dry_runs {
        let there = in_order(dry_run);
        if dry_run.node == best.node {
            victims(cluster, context, (ask, dry_run), &best.victims);
            context.tell_unneeded(&others(&there, &best.victims), "others-suffice");
            continue;
        }
        let mut others = LEVELS.into_iter().filter_map(|level| {
            Some((best_group(cluster, context, (group, ask), dry_run, GroupSearchBound::level(level))?, level))
        });
        let Some((other, level)) = others.next() else {
            unfit(cluster, context, group, ask, dry_run);
            continue;
        };
        let case = if level == 0 { "" } else { "spared" };
        context.tell_enough(cluster, dry_run.node, &other.victims, case);
        context.tell_unneeded(&there, "unused-node");
    }
}

fn others(there: &[PodIx], victims: &[PodIx]) -> Vec<PodIx> {
    there.iter().copied().filter(|ix| !victims.contains(ix)).collect()
}

/// Explains what the preemptor would lack with each victim back.
fn victims(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    (ask, dry_run): (&PodToPlace<'_>, &NodeDryRun),
    victims: &[PodIx],
) {
    for ix in victims {
        let without = others(victims, &[*ix]);
        let lack =
            InsufficientResources::of(&dry_run.without(cluster, &without), ask.request).map(ReprieveObstacle::Lack);
        let lack = lack.or_else(|| dry_run.lack_without(cluster, ask, &without).map(ReprieveObstacle::InterPod));
        let limit = || broken(cluster, context, &context.laws.limits, &without);
        let why = lack.or_else(|| limit().map(|(rule, denial)| ReprieveObstacle::Law(rule, denial)));
        if let Some(why) = why {
            context.notes.needed(cluster, *ix, &why);
        }
    }
}

/// Explains why a node has no group of victims: too little capacity, a limit, or a floor.
pub(super) fn unfit(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    group: &VictimGroupLaws,
    ask: &PodToPlace<'_>,
    dry_run: &NodeDryRun,
) {
    let there = in_order(dry_run);
    let all = dry_run.pods();
    if dry_run.emptied.lacks(ask.request).is_some() || dry_run.lack_without(cluster, ask, &all).is_some() {
        return context.tell_full(cluster, dry_run, ask);
    }
    let subject = Subject::Node(dry_run.node.0);
    let limit = broken(cluster, context, &context.laws.limits, &there);
    if let Some((rule, denial)) = limit {
        context.notes.note(subject, Outcome::Barred, &rule, || denial.detail(cluster).within(&ALL_EVICTED));
    } else if let Some((rule, denial)) = broken(cluster, context, &group.floors, &there) {
        context.notes.note(subject, Outcome::Barred, &rule, || denial.detail(cluster).within(&MORE_EVICTED));
    }
    context.tell_unneeded(&there, "not-enough");
}

/// Returns the candidates, the least important first.
fn in_order(dry_run: &NodeDryRun) -> Vec<PodIx> {
    dry_run.pods().into_iter().rev().collect()
}

fn broken(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    gates: &[LawCheck],
    gone: &[PodIx],
) -> Option<(ActiveLaw, Denial)> {
    case(cluster, context, gone).first_broken(gates)
}
