//! The answers of a policy in shadow that decide otherwise: what cannot be an answer, and what the difference is, in names.

use lictor_contract::*;

use super::act::split_plans;
use super::scoring::MAX_SCORE;
use super::{FailureCause, ProtocolError, Session};
use crate::replace::{
    ComparableReply, DecisionSummary, ReplacementState, ReplyDifference, agree_on_existing_nodes, sorted_pods,
    summarize,
};
use crate::verify::{self, PlanUnderTest};

impl Session {
    /// Examines the answers that decide differently, while the cluster is still as it was when they were given.
    pub(super) fn compare_shadow_replies(&mut self) {
        if !self.policy.has_mismatches() {
            return;
        }
        let watching = self.replacement().is_some_and(|progress| progress.state == ReplacementState::Watching);
        for unlike in self.policy.take_mismatches() {
            if agree_on_existing_nodes(&unlike.primary, &unlike.shadow, &self.mirror) {
                continue;
            }
            let call = unlike.shadow.call();
            if let Err(lie) = self.check_shadow_reply(&unlike.shadow) {
                if let Some(shadow) = &mut self.policy.shadow {
                    shadow.record_invalid_reply(call, lie.to_string());
                }
                continue;
            }
            let in_force = summarize(&unlike.primary, &unlike.shadow, &self.mirror);
            let beside = self.with_host_refusal(
                summarize(&unlike.shadow, &unlike.primary, &self.mirror),
                &unlike.shadow,
                unlike.pod,
            );
            let (old, new) = if watching { (beside, in_force) } else { (in_force, beside) };
            let pod = unlike.pod.map(|pod| self.pod_name(pod));
            let difference = ReplyDifference { at: self.mirror.now(), call, pod, old, new };
            if let Some(shadow) = &mut self.policy.shadow {
                shadow.comparison.report.add(difference);
            }
        }
    }

    /// Checks an answer of the shadow policy like one of the policy in force.
    fn check_shadow_reply(&self, answer: &ComparableReply) -> Result<(), FailureCause> {
        let call = answer.call();
        let effects = |effects: &Effects| self.check_effects(call, effects);
        let lie = |protocol_error: ProtocolError| Err(protocol_error.into_cause(call));
        match answer {
            ComparableReply::Order { pods: asked, keys } if sorted_pods(asked, keys).is_none() => {
                lie(ProtocolError::Keys { asked: asked.len(), answered: keys.keys.len() })
            }
            ComparableReply::Order { .. } | ComparableReply::Marks(_) | ComparableReply::Enforce(_) => Ok(()),
            ComparableReply::PreFilter(answer) => effects(&answer.effects),
            ComparableReply::Filter(answer) => match self.read_verdicts(answer.clone()) {
                Ok(_) => Ok(()),
                Err(protocol_error) => lie(protocol_error),
            },
            ComparableReply::PostFilter(answer, _) => effects(&answer.effects),
            ComparableReply::Score(nodes, scores) if nodes.len() != scores.len() => {
                lie(ProtocolError::ScoreCount { nodes: nodes.len(), scores: scores.len() })
            }
            ComparableReply::Score(_, scores) => match scores.iter().find(|score| !(0..=MAX_SCORE).contains(*score)) {
                Some(score) => lie(ProtocolError::ScoreRange(*score)),
                None => Ok(()),
            },
            ComparableReply::Reserve(answer) | ComparableReply::Unreserve(answer) => effects(answer),
            ComparableReply::Permit(answer) => match answer.permission {
                Permission::Wait(nanoseconds) if nanoseconds < 0 => lie(ProtocolError::NegativeWait(nanoseconds)),
                _ => effects(&answer.effects),
            },
            ComparableReply::Act(actions) => {
                if let Err(protocol_error) = split_plans(actions.plans.clone()) {
                    return lie(protocol_error);
                }
                let sound = verify::bindings(&self.verify_context(), &actions.bindings);
                sound.map_err(|violation| ProtocolError::InvariantViolated(violation).into_cause(call))
            }
        }
    }

    /// Returns the decision, with the host's refusal where it would not carry the decision out.
    fn with_host_refusal(
        &self,
        mut decided: DecisionSummary,
        answer: &ComparableReply,
        pod: Option<PodId>,
    ) -> DecisionSummary {
        let ground = self.verify_context();
        let refused = match answer {
            ComparableReply::PostFilter(PostFiltered { plan: Some(plan), effects, .. }, refuted) => {
                verify::plan(&ground, &PlanUnderTest { plan, preemptor: pod, effects, refuted }).err()
            }
            ComparableReply::Enforce(answer) => {
                answer.enforcements.iter().find_map(|enforcement| verify::enforcement(&ground, enforcement).err())
            }
            _ => None,
        };
        if let Some(violation) = refused {
            decided.effects.push(format!("refused by the host: {}", violation.reason().message));
        }
        decided
    }
}
