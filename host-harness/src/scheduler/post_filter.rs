//! PostFilter: what can be done for a pod that was refused or found no node.

use std::collections::VecDeque;

use lictor_policy::contract::*;

use super::{Attempt, AttemptResult, Session, SessionError};
use crate::verify::Proposal;

/// How often a policy whose plan was refused is asked again.
const AGAIN: usize = 8;

impl Session<'_> {
    /// Asks for a plan until one is sound or there is none. The attempt comes in as it ends without a plan.
    pub(super) fn post_filter(&mut self, pod: PodId, mut attempt: Attempt) -> Result<Attempt, SessionError> {
        if !self.decides(ExtensionPoint::PostFilter) {
            return Ok(attempt);
        }
        let mut refuted: Vec<Placement> = Vec::new();
        for _ in 0..=AGAIN {
            let answer = self.ask(|policy| policy.post_filter(pod, &refuted))?;
            self.check_effects("post-filter", &answer.effects)?;
            attempt.preemption = Some(answer.reason);
            let Some(plan) = answer.plan else {
                self.carry(VecDeque::from([answer.effects]))?;
                return Ok(attempt);
            };
            self.claim("post-filter", [plan.id])?;
            let proposal = Proposal { plan: &plan, asker: Some(pod), effects: &answer.effects, refuted: &refuted };
            match self.judge(&proposal)? {
                Ok(()) => {
                    let node = plan.nominations.iter().find(|nomination| nomination.pod == pod);
                    attempt.node = node.map(|nomination| self.node_name(nomination.node));
                    attempt.result = AttemptResult::Nominated;
                    self.carry_out(plan, answer.effects)?;
                    return Ok(attempt);
                }
                Err(violation) => {
                    attempt.preemption = Some(violation.reason());
                    refuted.extend(violation.refutes(&plan));
                }
            }
        }
        Ok(attempt)
    }
}
