//! Several pods of a job that are tried together, in a system that plans for one pod at a time.

use crate::contract::{PolicyError, PostFiltered, Refuted};
use crate::engine::Engine;
use crate::engine::closed_nominations::closed_nominations;
use crate::engine::plan::PlanDraft;
use crate::engine::search::{Branch, PlanObstacle, PreemptionContext, PreemptionSearch};
use crate::laws::{Laws, Preemptor};
use crate::model::{PodIx, Trial};

impl Engine {
    /// Returns a plan for pods that the search plans one by one: one after the other in a trial, all or none.
    pub(super) fn plan_each_pod(
        &mut self,
        search: &dyn PreemptionSearch,
        lead: &Preemptor,
        (laws, pods, refuted): (&Laws, &[PodIx], &Refuted),
    ) -> Result<PostFiltered, PolicyError> {
        self.plans_in_flight.drop_proposed();
        let mut whole = lead.clone().with(&self.cluster, pods.to_vec());
        let mut trial = Trial::new(&mut self.cluster);
        let (mut nominations, mut victims) = (Vec::new(), Vec::new());
        let mut stopped = None;
        for pod in pods {
            let preemptor = Preemptor::of(trial.cluster(), laws, *pod, vec![*pod]);
            let mut preemptor = preemptor.ok_or(PolicyError::UnknownPod(pod.0))?;
            let closed = closed_nominations((trial.cluster(), &self.plans_in_flight), laws, &preemptor);
            for part in [&mut preemptor, &mut whole] {
                Preemptor::close(std::slice::from_mut(part), trial.cluster(), &closed);
            }
            self.trace.plan(*pod);
            let case = preemptor.context_for_plan(trial.cluster(), &self.plans_in_flight);
            let broken = case
                .first_failed_check(&laws.preconditions.in_flight)
                .or_else(|| case.first_failed_check(&laws.preconditions.preemption));
            let found = match broken {
                Some((rule, denial)) => Err(PlanObstacle::Law(rule, denial)),
                None => {
                    let (ledger, notes, branch) = (&self.plans_in_flight, &mut self.trace, &Branch::default());
                    let (gangs, preemptor) = (std::slice::from_ref(&preemptor), &preemptor);
                    let mut context = PreemptionContext { preemptor, gangs, laws, ledger, refuted, branch, notes };
                    search.find(trial.nested(), &mut context)
                }
            };
            let (node, leaving) = match found {
                Ok(plan) => (plan.nominations.first().map(|(_, node)| *node), plan.victims),
                Err(PlanObstacle::NodeWillFit(node)) => (Some(node), Vec::new()),
                Err(obstacle) => {
                    stopped = Some(obstacle);
                    break;
                }
            };
            leaving.iter().for_each(|victim| trial.evict_set(*victim));
            if let Some(node) = node {
                trial.place(*pod, node);
                nominations.push((*pod, node));
            }
            victims.extend(leaving);
        }
        drop(trial);
        self.trace.resume(lead.pod);
        let plan = PlanDraft::by_node(lead.pod, nominations, victims);
        let stopped = stopped.or_else(|| plan.victims.is_empty().then_some(PlanObstacle::GangWillFit));
        let found = match stopped {
            Some(obstacle) => Err(obstacle),
            None => self.unless_reclaimed(laws, std::slice::from_ref(&whole), plan),
        };
        match found {
            Ok(plan) => self.plan_answer(search, std::slice::from_ref(&whole), &plan),
            Err(obstacle) => {
                let reason = self.no_plan_reason(std::slice::from_ref(&whole), obstacle);
                let effects = self.failure_effects(&whole, search.withdrawn_on_failure(&whole, true));
                Ok(self.no_plan_answer(reason, effects))
            }
        }
    }
}
