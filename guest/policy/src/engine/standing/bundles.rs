//! The ways to preempt, and the pods that are evicted with a pod.
//!
//! Where jobs are evicted and not pods ([`bundles`](super::super::search::bundles)), a pod of a gang is evicted alone only if the gang does
//! without it. Otherwise the whole gang is evicted, elastic pods first: every pod of it must be allowed to leave after those before it.

use std::collections::BTreeMap;

use super::ProtectingLaw;
use crate::laws::{Action, Laws, PodComparator, Preemptor, VictimFilter};
use crate::model::{Cluster, JobIx, PlansInFlight, PodInfo, PodIx, QueueIx, Trial};

/// A way to preempt.
pub struct PreemptionMode<'a> {
    /// The laws about each victim.
    pub victim_filters: &'a [VictimFilter],
    /// The laws about a pod that is evicted alone, and the order of the pods of a job. `None`: pods are evicted, not jobs.
    of_jobs: Option<(&'a [VictimFilter], PodComparator)>,
}

impl PreemptionMode<'_> {
    /// Returns the ways of a table of laws. Empty where the configured actions evict no pods.
    pub fn all(laws: &Laws) -> Vec<PreemptionMode<'_>> {
        let Some(cycle) = &laws.cycle else {
            return vec![PreemptionMode { victim_filters: &laws.victim_filters, of_jobs: None }];
        };
        let ways = [(Action::Reclaim, &cycle.reclaim), (Action::Preempt, &cycle.preempt)];
        let used = ways.into_iter().filter(|(action, _)| cycle.actions.contains(action));
        used.map(|(_, rules)| PreemptionMode {
            victim_filters: &rules.victim_filters,
            of_jobs: Some((&rules.single_victim_filters, cycle.tasks)),
        })
        .collect()
    }
}

/// The inputs of the standing of a gang: the gang, the queue and the priority of the preemptor, and the number of the way.
type Key = (JobIx, Option<QueueIx>, i32, usize);

/// The standing of a gang.
#[derive(Clone)]
struct GangStanding {
    /// Whether the gang may shrink to a legal size, by elastic pods that may be evicted.
    shrinks: bool,
    /// The law that spares the whole gang.
    protects_whole: ProtectingLaw,
}

/// The standings of gangs that are known already, as a gang has many pods with the same answer.
#[derive(Default)]
pub struct GangStandings(BTreeMap<Key, GangStanding>);

/// The laws of a way to preempt, with the preemptor that they are checked for.
pub struct ModeCheck<'a> {
    /// The plans in flight.
    pub ledger: &'a PlansInFlight,
    /// The preemptor.
    pub preemptor: &'a Preemptor,
    /// The guards that are checked.
    pub victim_filters: &'a [VictimFilter],
    /// The way and its number.
    pub mode: (usize, &'a PreemptionMode<'a>),
}

impl ModeCheck<'_> {
    /// Returns the law that spares a pod. The trial is unchanged.
    pub fn protecting_law(&self, trial: &mut Trial<'_>, known: &mut GangStandings, ix: PodIx) -> ProtectingLaw {
        let cluster = trial.cluster();
        let denied = self.denied_by(cluster, self.victim_filters, ix);
        let Some((single, order)) = self.mode.1.of_jobs.filter(|_| denied.is_none()) else { return denied };
        let pod = cluster.pod(ix)?;
        let (job, is_elastic) = (pod.attributes.job, pod.is_preemptible());
        let alone = match job.and_then(|job| cluster.elastic(job)) {
            Some(_) => None,
            None if cluster.disruption_group(ix).is_some() => None,
            None => match self.denied_by(cluster, single, ix) {
                None => return None,
                denied => denied,
            },
        };
        // A pod without a job is its own gang.
        let Some(job) = job else { return self.gang(trial, ix, order).protects_whole };
        if cluster.minimum(ix) == 0 {
            return alone;
        }
        let key = (job, self.preemptor.part.queue, self.preemptor.priority, self.mode.0);
        let gang = known.0.entry(key).or_insert_with(|| self.gang(trial, ix, order));
        if is_elastic && gang.shrinks { None } else { gang.protects_whole.clone() }
    }

    fn denied_by(&self, cluster: &Cluster, guards: &[VictimFilter], ix: PodIx) -> ProtectingLaw {
        self.preemptor.context_for_plan(cluster, self.ledger).first_denial(guards, ix)
    }

    /// Returns the standing of the gang of a pod. The trial is unchanged.
    fn gang(&self, trial: &mut Trial<'_>, ix: PodIx, order: PodComparator) -> GangStanding {
        let cluster = trial.cluster();
        let mut pods: Vec<(PodIx, &PodInfo)> = cluster.placed_members(ix).collect();
        pods.sort_by(|(_, a), (_, b)| (order.compare)(cluster, b, a));
        pods.sort_by_key(|(_, pod)| !pod.is_preemptible());
        let pods: Vec<PodIx> = pods.into_iter().map(|(ix, _)| ix).collect();
        let shrinks = self.shrinks(cluster, ix, &pods);
        // Like in the search: each pod is judged with the whole gang there, and then again with those before it evicted.
        let mut whole = pods.iter().find_map(|ix| self.denied_by(cluster, self.victim_filters, *ix));
        let before = trial.savepoint();
        for ix in pods {
            whole = whole.or_else(|| self.denied_by(trial.cluster(), self.victim_filters, ix));
            trial.evict(ix);
        }
        trial.rewind(before);
        GangStanding { shrinks, protects_whole: whole }
    }

    /// Checks that an elastic job may shrink to a legal size by elastic pods that may be evicted.
    fn shrinks(&self, cluster: &Cluster, ix: PodIx, holders: &[PodIx]) -> bool {
        let job = cluster.pod(ix).and_then(|pod| pod.attributes.job);
        let Some(terms) = job.and_then(|job| cluster.elastic(job)) else { return false };
        let is_elastic = |ix: &PodIx| cluster.pod(*ix).is_some_and(PodInfo::is_preemptible);
        let may_go = |ix: &PodIx| is_elastic(ix) && self.denied_by(cluster, self.victim_filters, *ix).is_none();
        let (most, minimum) = (holders.iter().filter(|ix| may_go(ix)).count(), cluster.minimum(ix));
        let left = |step: usize| holders.len().saturating_sub(step);
        (1..=most).any(|step| left(step) >= minimum && terms.allows(minimum, left(step)))
    }
}
