//! A plan in flight: its pods are nominated, and wait for room, or for each other.
//!
//! The pods of a gang are tried one by one. With constraints between pods, one of them may fit its node only when others are on theirs: it
//! waits. A search begins with the pod that is tried and may find no order, or other victims; the plan in flight still has one.

use super::Engine;
use super::plan::PlanDraft;
use super::reasons::ROOM_IS_COMING;
use super::search::{self, Branch, PlanObstacle, PreemptionContext, PreemptionSearch};
use crate::contract::{Outcome, Reason, Refuted, Subject};
use crate::engine::DecisionTrace;
use crate::laws::{Laws, Preemptor, ReasonFacts};
use crate::model::PodInfo;

impl Engine {
    /// Returns what an equal plan in flight waits for: neither plan evicts a pod, and both nominate the same number of pods of each kind to each
    /// node. Without this check, two equal pods could change places with each attempt. `None`: the plan is new.
    pub(super) fn awaited_obstacle(&self, plan: &PlanDraft) -> Option<PlanObstacle> {
        let pods = || plan.nominations.iter().filter_map(|(ix, node)| Some((*ix, *node, self.cluster.pod(*ix)?)));
        let shown = pods().filter(|(ix, ..)| self.plans_in_flight.is_in_flight_for(*ix));
        let kind = |pod: &PodInfo| (pod.requirements.class, pod.priority(), pod.queue);
        let mut shown: Vec<_> = shown.filter_map(|(.., pod)| Some((kind(pod), pod.state.nominated?))).collect();
        let mut planned: Vec<_> = pods().map(|(_, node, pod)| (kind(pod), node)).collect();
        shown.sort_unstable();
        planned.sort_unstable();
        match plan.nominations.as_slice() {
            _ if !plan.victims.is_empty() || shown != planned => None,
            [(_, node)] => Some(PlanObstacle::NodeWillFit(*node)),
            _ => Some(PlanObstacle::GangWillFit),
        }
    }

    /// Returns whether the plan in flight still works and the result of a search is no reason to replace it. Such results are: no plan, a plan that
    /// would evict pods, or a plan for pods that are already nominated by a plan without victims.
    pub(super) fn stays_in_flight(
        &mut self,
        found: &Result<PlanDraft, PlanObstacle>,
        (laws, gangs, refuted): (&Laws, &[Preemptor], &Refuted),
    ) -> bool {
        let may_stay = match found {
            Ok(plan) if plan.victims.is_empty() => {
                plan.nominations.iter().all(|(pod, _)| self.plans_in_flight.is_in_flight_for(*pod))
            }
            Ok(_) | Err(PlanObstacle::NoNode { .. } | PlanObstacle::Law(..) | PlanObstacle::WouldBeReclaimed(_)) => {
                true
            }
            Err(PlanObstacle::NodeWillFit(_) | PlanObstacle::GangWillFit) => false,
        };
        may_stay && self.plan_stands(laws, gangs, refuted)
    }

    /// Returns why a gang does not need the tried pod now: the pod is promised nothing, the gang lacks several pods, and as many other pods are
    /// nominated and can take their nodes. A plan with the tried pod would move the nominated pods, or evict for one pod too many. Once the gang is
    /// complete, the tried pod plans for itself. `None`: the gang needs the pod.
    pub(super) fn unneeded_pod_reason(
        &mut self,
        search: &dyn PreemptionSearch,
        (laws, gangs, refuted): (&Laws, &[Preemptor], &Refuted),
    ) -> Option<Reason> {
        let [gang] = gangs else { return None };
        if gang.pods.len() < 2 || self.cluster.is_nominated(gang.pod) {
            return None;
        }
        let mut promised = search::pending_members(&self.cluster, laws, gang.pod);
        promised.retain(|ix| self.cluster.is_nominated(*ix));
        if promised.len() < gang.pods.len() {
            return None;
        }
        let first = promised.iter().find(|ix| search::has_nominated_capacity(&self.cluster, **ix));
        let first = *first.or(promised.first())?;
        let others = Preemptor::of(&self.cluster, laws, first, promised)?;
        let others = search.gang_to_plan(&self.cluster, others);
        if !self.plan_stands(laws, &[others], refuted) {
            return None;
        }
        self.trace.retry_hints.add_reason(&ROOM_IS_COMING);
        let reason = ROOM_IS_COMING.reason(ReasonFacts::case("surplus"));
        self.trace.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
        Some(reason)
    }

    /// Returns whether the plan in flight for some gangs still stands (see [`search::plan_stands`]).
    pub(super) fn plan_stands(&mut self, laws: &Laws, gangs: &[Preemptor], refuted: &Refuted) -> bool {
        let Some(preemptor) = gangs.first() else { return false };
        let (ledger, notes, branch) = (&self.plans_in_flight, &mut DecisionTrace::default(), &Branch::default());
        let context = PreemptionContext { preemptor, gangs, laws, ledger, refuted, branch, notes };
        search::plan_stands(&mut self.cluster, &context)
    }
}
