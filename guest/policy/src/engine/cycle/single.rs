//! An attempt for one gang outside the cycle: the plan that the actions of the cycle would make for it now.

use super::pending_jobs::{self, PendingJob};
use super::preempt::find_plan;
use super::{CycleContext, Simulation};
use crate::engine::Preemptor;
use crate::engine::plan::PlanDraft;
use crate::engine::reasons::{NO_ACTION, QUEUE_IS_UNKNOWN};
use crate::engine::search::{PlanObstacle, PreemptionContext, PreemptionSearch, pending_members_with};
use crate::laws::{Action, ActiveLaw, Denial, Laws, ReclaimRules};
use crate::model::{Cluster, MissingMembers, PodInfo, PodIx, Preemptibility};

/// The search by jobs: it returns the plan of the first action of the cycle that finds one. Capacity promised to other pods is kept.
pub struct JobBundleSearch;

impl PreemptionSearch for JobBundleSearch {
    /// Returns the pod first, then the other pods that its gang lacks. Leaves out pods above the minimum of an elastic job.
    fn pods(&self, cluster: &Cluster, laws: &Laws, preemptor: PodIx) -> Vec<PodIx> {
        let own = cluster.pod(preemptor).map(|pod| pod.attributes.preemptibility);
        let is_normal = own == Some(Preemptibility::NonPreemptible);
        let mut shortage = if is_normal { cluster.shortage(preemptor) } else { MissingMembers::default() };
        let mut pods = pending_members_with(cluster, laws, preemptor);
        pods.sort_by_key(|member| *member != preemptor);
        pods.retain(|member| {
            let Some(pod) = cluster.pod(*member) else { return false };
            let useful = Some(pod.attributes.preemptibility) == own && shortage.take(pod);
            *member == preemptor || useful
        });
        pods
    }

    fn may_take_nomination_of(&self, _: &Preemptor, _: &PodInfo) -> bool {
        false
    }

    /// Returns no pod if the search ran without a plan: the gang keeps its nominations, which the next cycle may use.
    fn withdrawn_on_failure(&self, preemptor: &Preemptor, searched: bool) -> Vec<PodIx> {
        if searched { Vec::new() } else { preemptor.pods.clone() }
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {
        let PreemptionContext { preemptor, laws, ledger, refuted, notes, .. } = context;
        let nothing = |rule| PlanObstacle::Law(rule, Denial::Case(""));
        let (cycle, queue) = laws.cycle.as_ref().zip(preemptor.part.queue).ok_or_else(|| nothing(QUEUE_IS_UNKNOWN))?;
        let rules = cycle.actions.iter().filter_map(|action| match action {
            Action::Reclaim => Some(&cycle.reclaim),
            Action::Preempt => Some(&cycle.preempt),
            Action::Allocate | Action::Elastic | Action::Backfill => None,
        });
        let rules: Vec<&ReclaimRules> = rules.collect();
        let step = CycleContext { laws, cycle, ledger };
        let mut simulation = Simulation::new(cluster, &step, Vec::new());
        if preemptor.pods.iter().any(|ix| simulation.is_promised(*ix)) {
            return Err(PlanObstacle::GangWillFit);
        }
        let lead = simulation.cluster().pod(preemptor.pod);
        let asks = lead.is_some_and(|pod| pending_jobs::requests_resources(simulation.cluster(), pod));
        let pending_job = PendingJob { queue, pods: preemptor.pods.clone() };
        let mut first: Option<(ActiveLaw, Denial)> = None;
        for rules in rules.into_iter().filter(|rules| asks || rules.serves_best_effort) {
            match find_plan(&mut simulation, notes, &step, rules, &pending_job, refuted) {
                Err(PlanObstacle::Law(rule, denial)) => drop(first.get_or_insert((rule, denial))),
                found => return found,
            }
        }
        let first = first.map(|(rule, denial)| PlanObstacle::Law(rule, denial));
        Err(first.unwrap_or_else(|| nothing(NO_ACTION)))
    }
}
