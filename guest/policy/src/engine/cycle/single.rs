//! One gang by itself, outside the cycle: what the steps of the cycle that evict would do for it now.

use super::pending_jobs::{self, PendingJob};
use super::preempt::find_plan;
use super::{Context, Simulation};
use crate::engine::Preemptor;
use crate::engine::plan::Plan;
use crate::engine::reasons::{NO_ACTION, QUEUE_IS_UNKNOWN};
use crate::engine::search::{Obstacle, PreemptionContext, Search, waiting};
use crate::laws::{Action, Denial, Laws, ReclaimRules, Rule};
use crate::model::{Class, Cluster, Pod, PodIx, Shortage};

/// The search by jobs: a plan for the gang of a pod, by the first step of the cycle that has one. Room that is promised to others is
/// theirs.
pub struct JobByJob;

impl Search for JobByJob {
    /// The pod, first, and the others that its gang lacks beside it; those beyond the minimum of an elastic job are no help.
    fn pods(&self, cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
        let class = cluster.pod(preemptor).map(|pod| pod.attributes.class);
        let is_normal = class == Some(Class::NonPreemptible);
        let mut shortage = if is_normal { cluster.shortage(preemptor) } else { Shortage::default() };
        let mut pods = waiting(cluster, laws, preemptor);
        pods.sort_by_key(|member| *member != preemptor);
        pods.retain(|member| {
            let Some(pod) = cluster.pod(*member) else { return false };
            let useful = Some(pod.attributes.class) == class && shortage.fill(pod);
            *member == preemptor || useful
        });
        pods
    }

    fn outranks(&self, _: &Preemptor, _: &Pod) -> bool {
        false
    }

    /// A gang for which a plan was looked for in vain keeps its nominations: the next cycle may use them.
    fn gives_up(&self, preemptor: &Preemptor, searched: bool) -> Vec<PodIx> {
        if searched { Vec::new() } else { preemptor.pods.clone() }
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<Plan, Obstacle> {
        let PreemptionContext { preemptor, laws, ledger, refuted, notes, .. } = context;
        let nothing = |rule| Obstacle::Law(rule, Denial::Case(""));
        let (cycle, queue) = laws.cycle.as_ref().zip(preemptor.queue).ok_or_else(|| nothing(QUEUE_IS_UNKNOWN))?;
        let rules = cycle.actions.iter().filter_map(|action| match action {
            Action::Reclaim => Some(&cycle.reclaim),
            Action::Preempt => Some(&cycle.preempt),
            Action::Allocate | Action::Elastic | Action::Backfill => None,
        });
        let rules: Vec<&ReclaimRules> = rules.collect();
        let step = Context { laws, cycle, ledger };
        let mut simulation = Simulation::new(cluster, Vec::new());
        if preemptor.pods.iter().any(|ix| simulation.is_promised(*ix)) {
            return Err(Obstacle::Room);
        }
        let lead = simulation.cluster().pod(preemptor.pod);
        let asks = lead.is_some_and(|pod| pending_jobs::asks(simulation.cluster(), pod));
        let pending_job = PendingJob { queue, pods: preemptor.pods.clone() };
        let mut first: Option<(Rule, Denial)> = None;
        for rules in rules.into_iter().filter(|_| asks) {
            match find_plan(&mut simulation, notes, &step, rules, &pending_job, refuted) {
                Err(Obstacle::Law(rule, denial)) => drop(first.get_or_insert((rule, denial))),
                found => return found,
            }
        }
        let first = first.map(|(rule, denial)| Obstacle::Law(rule, denial));
        Err(first.unwrap_or_else(|| nothing(NO_ACTION)))
    }
}
