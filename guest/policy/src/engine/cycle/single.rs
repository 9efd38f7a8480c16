//! One gang by itself, outside the cycle: what the steps of the cycle that make others make way would do for it now.

use super::pending_jobs::{self, PendingJob};
use super::preempt::{Draft, Help, find_plan};
use super::{Context, Simulation, placement};
use crate::contract::*;
use crate::engine::{Engine, Preemptor};
use crate::laws::{Action, Denial, Laws, ReclaimRules, Rule};

impl Engine {
    /// A plan for the gang of a pod, by the first step of the cycle that has one; room that is promised to others is theirs.
    pub(in crate::engine) fn preempt_for_gang(
        &mut self,
        preemptor: &Preemptor,
        laws: &Laws,
        refuted: &[Placement],
    ) -> Result<PostFiltered, PolicyError> {
        self.ledger.forget_unanswered();
        let helped = self.helped(preemptor, laws, refuted);
        let nothing = |reason| Ok(PostFiltered { plan: None, reason, effects: Effects::default() });
        match helped {
            Help::Room => {
                let message =
                    "there is room once the pods that are leaving are gone: nobody else is evicted".to_owned();
                nothing(laws.node_choice.rule.reason(message))
            }
            Help::None(rule, denial) => {
                self.notes.denial(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
                nothing(self.reason(&rule, &denial))
            }
            Help::Plan(Draft { nominations, victims, rule, message, .. }) => {
                let eviction = self.system.as_ref().ok_or(PolicyError::NotConfigured)?.eviction();
                let preemptors = nominations.iter().map(|(pod, _)| *pod).collect();
                let reason = rule.reason(message);
                let plan = Plan {
                    id: self.ledger.propose(preemptors, victims.clone(), None),
                    preemptor: preemptor.pod.0,
                    nominations: nominations.into_iter().map(placement).collect(),
                    victims: victims.into_iter().map(|pod| Victim { pod: pod.0, eviction }).collect(),
                    marks: Vec::new(),
                    expires: None,
                    reason: reason.clone(),
                };
                Ok(PostFiltered { plan: Some(plan), reason, effects: Effects::default() })
            }
        }
    }

    fn helped(&mut self, preemptor: &Preemptor, laws: &Laws, refuted: &[Placement]) -> Help {
        let none = |denial| Help::None(laws.node_choice.rule, denial);
        let Some((cycle, queue)) = laws.cycle.as_ref().zip(preemptor.queue) else {
            return none(Denial::Fact("its queue is not known"));
        };
        let pursuits: Vec<&ReclaimRules> = cycle
            .actions
            .iter()
            .filter_map(|action| match action {
                Action::Reclaim => Some(&cycle.reclaim),
                Action::Preempt => Some(&cycle.preempt),
                Action::Allocate | Action::Elastic | Action::Backfill => None,
            })
            .collect();
        let context = Context { laws, cycle, ledger: &self.ledger };
        let mut simulation = Simulation::new(&mut self.cluster, Vec::new());
        if preemptor.pods.iter().any(|ix| simulation.is_promised(*ix)) {
            return Help::Room;
        }
        let asks =
            simulation.cluster().pod(preemptor.pod).is_some_and(|pod| pending_jobs::asks(simulation.cluster(), pod));
        let pending_job = PendingJob { queue, pods: preemptor.pods.clone() };
        let mut first: Option<(Rule, Denial)> = None;
        for rules in pursuits.into_iter().filter(|_| asks) {
            match find_plan(&mut simulation, &mut self.notes, &context, rules, &pending_job, refuted) {
                Help::None(rule, denial) => drop(first.get_or_insert((rule, denial))),
                helped => return helped,
            }
        }
        let (rule, denial) = first
            .unwrap_or((laws.node_choice.rule, Denial::Fact("no action of the cycle makes others make way for it")));
        Help::None(rule, denial)
    }
}
