//! PostFilter: what can be done for a pod that was refused or found no node.

use std::collections::VecDeque;

use lictor_contract::*;

use super::{Attempt, AttemptResult, FailureCause, RetryHint, Session};
use crate::verify::PlanUnderTest;

/// The maximum number of further calls after a refused plan.
const MAX_FURTHER_CALLS: usize = 8;

impl Session {
    /// Calls PostFilter until a plan is sound or there is no plan, at most 1 + [`MAX_FURTHER_CALLS`] times. `attempt` is the attempt as it ends without a plan.
    pub(super) fn post_filter(&mut self, pod: PodId, mut attempt: Attempt) -> Result<Attempt, FailureCause> {
        if !self.decides(ExtensionPoint::PostFilter) {
            return Ok(attempt);
        }
        let mut refuted = Refuted::default();
        for _ in 0..=MAX_FURTHER_CALLS {
            let answer = self.call_policy(|policy| policy.post_filter(&[pod], &refuted))?;
            self.check_effects("post-filter", &answer.effects)?;
            attempt.preemption = Some(self.checked_reason("post-filter", answer.reason)?);
            let Some(plan) = answer.plan else {
                attempt.retry.add(answer.retry);
                self.apply_effects(VecDeque::from([answer.effects]))?;
                return Ok(attempt);
            };
            self.register_plan_numbers("post-filter", [(plan.id, &plan.reason)])?;
            let proposal =
                PlanUnderTest { plan: &plan, preemptor: Some(pod), effects: &answer.effects, refuted: &refuted };
            match self.verify_plan(&proposal)? {
                Ok(()) => {
                    let node = plan.nominations.iter().find(|nomination| nomination.pod == pod);
                    attempt.node = node.map(|nomination| self.node_name(nomination.node));
                    attempt.result = AttemptResult::Nominated;
                    attempt.retry = RetryHint::default();
                    self.apply_plan(plan, answer.effects)?;
                    return Ok(attempt);
                }
                Err(violation) => {
                    attempt.preemption = Some(violation.reason());
                    attempt.retry.add(&violation);
                    let Refuted { placements, victims } = violation.refuted_part(&plan);
                    refuted.placements.extend(placements);
                    refuted.victims.extend(victims);
                }
            }
        }
        Ok(attempt)
    }
}

#[cfg(test)]
mod tests {

    use crate::driver::VirtualDriver;
    use crate::session::AttemptResult;
    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply, host_reason, session};
    use crate::verify::testing::{node, on, pod};

    const ASKED: &str = "post-filter default/p";

    /// Returns a node full with `v` (3 cores) and `w` (1); `p` (3) is pending.
    fn full(policy: &Scripted) -> VirtualDriver {
        let cluster = [node("n1", 4), on("n1", pod("v", 3, 0)), on("n1", pod("w", 1, 0)), pod("p", 3, 9)];
        session(policy, cluster)
    }

    /// Returns a policy for which no node fits.
    fn nowhere() -> Scripted {
        Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[]))
    }

    /// Returns a plan for `p`.
    fn sketch(id: u64, victims: &'static [&'static str]) -> ScriptedPlan {
        ScriptedPlan { id, nominations: &[("default/p", "n1")], victims, ..ScriptedPlan::default() }
    }

    #[test]
    fn a_sound_plan_nominates() {
        let policy = nowhere().reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/v"]), ScriptedEffects::default()));
        let mut session = full(&policy);
        let attempt = session.try_pod("default/p").unwrap();
        assert_eq!((attempt.result, attempt.node.as_deref()), (AttemptResult::Nominated, Some("n1")));
        assert_eq!(attempt.message(), "0/1 nodes are available: 1 Insufficient cpu; preemption: needs room");
        session.sync().unwrap();
        assert_eq!(policy.log().last().unwrap(), "accepted 1");
        assert!(policy.received("default/p").nominated.is_some());
        assert!(policy.received("default/v").terminating);
        assert!(!policy.received("default/w").terminating);
    }

    #[test]
    fn a_refusal_by_pre_filter_can_be_cured_too() {
        let policy = Scripted::deciding(ALL)
            .reply("pre-filter default/p", ScriptedReply::Refused("the quota is full"))
            .reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/v"]), ScriptedEffects::default()));
        let attempt = full(&policy).try_pod("default/p").unwrap();
        assert_eq!(attempt.result, AttemptResult::Nominated);
        assert_eq!(attempt.reason, Some(host_reason("the quota is full")));
    }

    #[test]
    fn an_unsound_plan_is_refused_and_another_is_asked_for() {
        let policy = nowhere()
            .reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/w"]), ScriptedEffects::default()))
            .reply(ASKED, ScriptedReply::NoPlan("no other node", ScriptedEffects::default()));
        let mut session = full(&policy);
        let attempt = session.try_pod("default/p").unwrap();
        assert_eq!(attempt.result, AttemptResult::Unschedulable);
        assert_eq!(attempt.preemption, Some(host_reason("no other node")));
        let happened = session.take_report();
        let refused = happened.refused.first().unwrap();
        assert_eq!((refused.plan, refused.reason.code.as_str()), (1, "host/fits"));
        assert!(happened.victims.is_empty() && happened.nominated.is_empty());
        let tail = ["post-filter default/p 0", "refused 1", "post-filter default/p 1"];
        assert!(policy.log().ends_with(&tail.map(str::to_owned)), "{:?}", policy.log());
    }

    #[test]
    fn a_victim_that_cannot_be_one_is_named_and_its_node_is_not() {
        let policy = nowhere()
            .reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/v", "default/q"]), ScriptedEffects::default()))
            .reply(ASKED, ScriptedReply::Plan(sketch(2, &["default/v"]), ScriptedEffects::default()));
        let cluster =
            [node("n1", 4), on("n1", pod("v", 3, 0)), on("n1", pod("w", 1, 0)), pod("p", 3, 9), pod("q", 1, 0)];
        let mut session = session(&policy, cluster);
        let attempt = session.try_pod("default/p").unwrap();
        assert_eq!((attempt.result, attempt.node.as_deref()), (AttemptResult::Nominated, Some("n1")));
        let asked: Vec<String> = policy.log().into_iter().filter(|asked| asked.starts_with(ASKED)).collect();
        assert_eq!(asked, ["post-filter default/p 0", "post-filter default/p 0 without default/q"]);
    }

    #[test]
    fn a_policy_that_insists_on_a_victim_gets_no_plan() {
        let mut policy = nowhere();
        for id in 1..=20 {
            policy = policy
                .reply(ASKED, ScriptedReply::Plan(sketch(id, &["default/v", "default/p"]), ScriptedEffects::default()));
        }
        let mut session = full(&policy);
        let attempt = session.try_pod("default/p").unwrap();
        assert_eq!(attempt.result, AttemptResult::Unschedulable);
        assert_eq!(attempt.preemption.unwrap().message, "`default/p` was refused as a victim before");
        assert!(session.take_report().victims.is_empty());
        assert_eq!(policy.log().iter().filter(|asked| asked.starts_with(ASKED)).count(), 9);
    }

    #[test]
    fn a_policy_that_does_not_learn_is_asked_nine_times() {
        let mut policy = nowhere();
        for id in 1..=20 {
            policy = policy.reply(ASKED, ScriptedReply::Plan(sketch(id, &["default/w"]), ScriptedEffects::default()));
        }
        let attempt = full(&policy).try_pod("default/p").unwrap();
        assert_eq!(attempt.result, AttemptResult::Unschedulable);
        assert_eq!(attempt.preemption.unwrap().message, "`default/p` on `n1` was refused before");
        assert_eq!(policy.log().iter().filter(|asked| asked.starts_with(ASKED)).count(), 9);
    }

    #[test]
    fn a_number_of_a_plan_is_used_once() {
        let policy = nowhere()
            .reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/w"]), ScriptedEffects::default()))
            .reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/v"]), ScriptedEffects::default()));
        let mut session = full(&policy);
        let error = session.try_pod("default/p").unwrap_err();
        let said = "the policy's answer to `post-filter` cannot be: the number 1 was given to an earlier plan";
        assert_eq!(error.to_string(), said);
        assert!(session.take_report().victims.is_empty());
    }

    #[test]
    fn without_a_way_out_a_nomination_can_be_withdrawn() {
        let own = ScriptedEffects { withdrawn: &["default/p"], ..ScriptedEffects::default() };
        let policy = nowhere()
            .reply(ASKED, ScriptedReply::Plan(sketch(1, &["default/v"]), ScriptedEffects::default()))
            .reply("filter default/p", ScriptedReply::Fits(&[]))
            .reply(ASKED, ScriptedReply::NoPlan("nobody is left", own));
        let mut session = full(&policy);
        session.try_pod("default/p").unwrap();
        session.take_report();
        session.try_pod("default/p").unwrap();
        assert_eq!(session.take_report().withdrawn, ["default/p"]);
        session.sync().unwrap();
        assert_eq!(policy.received("default/p").nominated, None);
    }
}
