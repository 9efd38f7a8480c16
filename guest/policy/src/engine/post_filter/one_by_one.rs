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
    pub(super) fn one_by_one(
        &mut self,
        search: &dyn PreemptionSearch,
        lead: &Preemptor,
        (laws, pods, refuted): (&Laws, &[PodIx], &Refuted),
    ) -> Result<PostFiltered, PolicyError> {
        self.ledger.forget_unanswered();
        let mut whole = lead.clone().with(&self.cluster, pods.to_vec());
        let mut trial = Trial::new(&mut self.cluster);
        let (mut nominations, mut victims) = (Vec::new(), Vec::new());
        let mut stopped = None;
        for pod in pods {
            let preemptor = Preemptor::of(trial.cluster(), laws, *pod, vec![*pod]);
            let mut preemptor = preemptor.ok_or(PolicyError::UnknownPod(pod.0))?;
            let closed = closed_nominations((trial.cluster(), &self.ledger), laws, &preemptor);
            for part in [&mut preemptor, &mut whole] {
                Preemptor::close(std::slice::from_mut(part), trial.cluster(), &closed);
            }
            self.notes.plan(*pod);
            let case = preemptor.waiting(trial.cluster(), &self.ledger);
            let broken = case.first_broken(&laws.under_way).or_else(|| case.first_broken(&laws.trigger));
            let found = match broken {
                Some((rule, denial)) => Err(PlanObstacle::Law(rule, denial)),
                None => {
                    let (ledger, notes, branch) = (&self.ledger, &mut self.notes, &Branch::default());
                    let (gangs, preemptor) = (std::slice::from_ref(&preemptor), &preemptor);
                    let mut context = PreemptionContext { preemptor, gangs, laws, ledger, refuted, branch, notes };
                    search.find(trial.inner(), &mut context)
                }
            };
            let (node, leaving) = match found {
                Ok(plan) => (plan.nominations.first().map(|(_, node)| *node), plan.victims),
                Err(PlanObstacle::Coming(node)) => (Some(node), Vec::new()),
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
        self.notes.resume(lead.pod);
        let plan = PlanDraft::by_node(lead.pod, nominations, victims);
        let stopped = stopped.or_else(|| plan.victims.is_empty().then_some(PlanObstacle::Room));
        let found = match stopped {
            Some(obstacle) => Err(obstacle),
            None => self.unless_claimed(laws, std::slice::from_ref(&whole), plan),
        };
        match found {
            Ok(plan) => self.planned(search, std::slice::from_ref(&whole), &plan),
            Err(obstacle) => {
                let reason = self.obstacle(std::slice::from_ref(&whole), obstacle);
                let effects = self.give_up(&whole, search.gives_up(&whole, true));
                Ok(self.without(reason, effects))
            }
        }
    }
}
