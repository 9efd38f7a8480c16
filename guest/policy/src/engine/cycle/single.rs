//! One gang by itself, outside the cycle: what the steps of the cycle that make others make way would do for it now.

use super::pursue::{Draft, Help, help};
use super::teams::{self, Team};
use super::{Context, Stage, placement};
use crate::contract::*;
use crate::engine::{Asker, Engine};
use crate::laws::{Action, Breach, Laws, Pursuit, Rule};
use crate::model::Overflow;

impl Engine {
    /// A plan for the gang of a pod, by the first step of the cycle that has one; room that is promised to others is theirs.
    pub(in crate::engine) fn pursue_for(
        &mut self,
        asker: &Asker,
        laws: &Laws,
        refuted: &[Placement],
    ) -> Result<PostFiltered, PolicyError> {
        self.ledger.forget_unanswered();
        let helped = self.helped(asker, laws, refuted).map_err(|over| self.overflow(over))?;
        let nothing = |reason| Ok(PostFiltered { plan: None, reason, effects: Effects::default() });
        match helped {
            Help::Room => {
                let message =
                    "there is room once the pods that are leaving are gone: nobody else is evicted".to_owned();
                nothing(Reason { law: laws.node_choice.rule.code.to_owned(), message })
            }
            Help::None(rule, breach) => {
                self.notes.breach(&self.cluster, Subject::Asker, Outcome::Barred, &rule, &breach);
                nothing(self.reason(&rule, &breach))
            }
            Help::Plan(Draft { nominations, victims, rule, message, .. }) => {
                let eviction = self.dialect.as_ref().ok_or(PolicyError::NotConfigured)?.eviction();
                let preemptors = nominations.iter().map(|(pod, _)| *pod).collect();
                let reason = Reason { law: rule.code.to_owned(), message };
                let plan = Plan {
                    id: self.ledger.propose(preemptors, victims.clone(), None),
                    preemptor: asker.pod.0,
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

    fn helped(&mut self, asker: &Asker, laws: &Laws, refuted: &[Placement]) -> Result<Help, Overflow> {
        let none = |breach| Ok(Help::None(laws.node_choice.rule, breach));
        let Some((cycle, queue)) = laws.cycle.as_ref().zip(asker.queue) else {
            return none(Breach::Fact("its queue is not known"));
        };
        let pursuits: Vec<&Pursuit> = cycle
            .actions
            .iter()
            .filter_map(|action| match action {
                Action::Reclaim => Some(&cycle.reclaim),
                Action::Preempt => Some(&cycle.preempt),
                Action::Allocate | Action::Elastic | Action::Backfill => None,
            })
            .collect();
        let context = Context { laws, cycle, ledger: &self.ledger };
        let mut stage = Stage::new(&mut self.cluster, Vec::new())?;
        if asker.pods.iter().any(|ix| stage.is_promised(*ix)) {
            return Ok(Help::Room);
        }
        let asks = stage.cluster().pod(asker.pod).is_some_and(|pod| teams::asks(stage.cluster(), pod));
        let team = Team { queue, pods: asker.pods.clone() };
        let mut first: Option<(Rule, Breach)> = None;
        for pursuit in pursuits.into_iter().filter(|_| asks) {
            match help(&mut stage, &mut self.notes, &context, pursuit, &team, refuted)? {
                Help::None(rule, breach) => drop(first.get_or_insert((rule, breach))),
                helped => return Ok(helped),
            }
        }
        let (rule, breach) = first
            .unwrap_or((laws.node_choice.rule, Breach::Fact("no action of the cycle makes others make way for it")));
        Ok(Help::None(rule, breach))
    }
}
