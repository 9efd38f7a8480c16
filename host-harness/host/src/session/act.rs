//! A cycle that the policy runs itself, step by step.

use lictor_contract::*;

use super::{FailureCause, ProtocolError, RetryHint, Session};
use crate::reason::{NamedFact, NamedReason, render};
use crate::verify::{self, PlanUnderTest};

/// The maximum steps of a cycle.
const STEPS: usize = 64;

impl Session {
    /// Runs a cycle of the policy: carries out each step until the policy has no next step.
    pub(super) fn act(&mut self) -> Result<(), FailureCause> {
        let waits = |pod: &&Pod| self.instance.noted != NotedPods::None && self.occupancy.is_pending(pod);
        let waiting: Vec<PodId> = self.mirror.pods().filter(waits).map(|pod| pod.id).collect();
        self.steps()?;
        for pod in waiting {
            if let Some(explanation) = self.explanation(pod, false)?.filter(|why| !why.notes.is_empty()) {
                self.journal.report.explanations.insert(self.pod_name(pod), explanation);
            }
        }
        Ok(())
    }

    /// Runs the steps of the cycle.
    ///
    /// # Errors
    /// The policy fails, or its answer is invalid; a cycle of more than [`STEPS`] steps is invalid.
    fn steps(&mut self) -> Result<(), FailureCause> {
        let mut retry = RetryHint::default();
        for _ in 0..STEPS {
            let actions = self.call_policy(|policy| policy.act())?;
            retry.add(actions.retry);
            let plans = split_plans(actions.plans).map_err(|protocol_error| protocol_error.into_cause("act"))?;
            self.register_plan_numbers("act", plans.iter().map(|plan| (plan.id, &plan.reason)))?;
            self.bind_all(&actions.bindings)?;
            for plan in plans {
                if plan.nominations.iter().any(|nomination| self.is_paused(nomination.pod)) {
                    self.send_event(Event::PlanRefused(plan.id))?;
                    continue;
                }
                retry.add(self.verify_and_apply(plan)?);
            }
            self.report_refusals(actions.refusals)?;
            if !actions.more {
                self.due.cycle_retry = retry.retry_at;
                self.journal.report.retry = retry;
                return Ok(());
            }
        }
        Err(ProtocolError::TooManySteps(STEPS).into_cause("act"))
    }

    /// Reports why pods wait. A pod that does not exist is passed over.
    fn report_refusals(&mut self, refusals: Vec<Refusal>) -> Result<(), FailureCause> {
        for Refusal { pods, reason, nodes } in refusals {
            let mut reason = self.checked_reason("act", reason)?;
            if let Some(count) = nodes {
                let all = self.mirror.nodes().count();
                let facts = vec![NamedFact::count("count", count), NamedFact::count("nodes", all)];
                reason = reason.with_context(render("host/of-nodes", "", facts));
            }
            let names = pods.iter().filter_map(|pod| self.mirror.pod_name(*pod));
            let named: Vec<(String, NamedReason)> = names.map(|name| (name.to_owned(), reason.clone())).collect();
            self.journal.report.refusals.extend(named);
        }
        Ok(())
    }

    /// Binds all of these pods, or none where the answer is invalid. A pod whose command the API server has refused is skipped until its pause is
    /// over. The policy does not know of the pause, and names the pod in each cycle.
    fn bind_all(&mut self, bindings: &[Placement]) -> Result<(), FailureCause> {
        let sound = verify::bindings(&self.verify_context(), bindings);
        sound.map_err(|violation| ProtocolError::InvariantViolated(violation).into_cause("act"))?;
        let due: Vec<&Placement> = bindings.iter().filter(|binding| !self.is_paused(binding.pod)).collect();
        for binding in &due {
            self.reserve(binding.pod, binding.node)?;
        }
        for binding in due {
            self.bind(binding.pod, binding.node);
        }
        Ok(())
    }

    /// Returns whether a pod is paused, because the API server has refused a command about it.
    fn is_paused(&self, pod: PodId) -> bool {
        self.planned_evictions.refused_until(self.mirror.now(), pod).is_some()
    }

    /// Carries out a sound plan. An unsound plan is refused to the policy, whose next step may propose another. Returns when the same plan may be
    /// accepted.
    fn verify_and_apply(&mut self, plan: Plan) -> Result<RetryHint, FailureCause> {
        let effects = Effects::default();
        let refuted = Refuted::default();
        let proposal = PlanUnderTest { plan: &plan, preemptor: None, effects: &effects, refuted: &refuted };
        match self.verify_plan(&proposal)? {
            Ok(()) => self.apply_plan(plan, effects).map(|()| RetryHint::default()),
            Err(violation) => Ok(RetryHint::from(&violation)),
        }
    }
}

/// Splits the flat lists of an answer into plans.
///
/// # Errors
/// A range or a reason lies outside of its list.
pub(super) fn split_plans(plans: Plans) -> Result<Vec<Plan>, ProtocolError> {
    let mut unfolded = Vec::with_capacity(plans.slices.len());
    let (mut nominated, mut evicted) = (0, 0);
    for slice in plans.slices {
        let nominations =
            plan_slice(&plans.nominations, &mut nominated, slice.nominations_end, slice.id, "nominations")?;
        let victims = plan_slice(&plans.victims, &mut evicted, slice.victims_end, slice.id, "victims")?;
        let reason = usize::try_from(slice.reason).ok().and_then(|index| plans.reasons.get(index));
        let reason = reason.cloned().ok_or(ProtocolError::InvalidRange {
            plan: slice.id,
            list: "reasons",
            start: 0,
            end: usize::try_from(slice.reason).unwrap_or(usize::MAX),
            length: plans.reasons.len(),
        })?;
        unfolded.push(Plan {
            id: slice.id,
            preemptor: slice.preemptor,
            nominations,
            victims,
            marks: Vec::new(),
            reason,
        });
    }
    Ok(unfolded)
}

/// Returns the part of a flat list between the end of the previous plan and this end.
fn plan_slice<T: Clone>(
    list: &[T],
    start: &mut usize,
    end: u32,
    plan: u64,
    name: &'static str,
) -> Result<Vec<T>, ProtocolError> {
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let part = list.get(*start..end).ok_or(ProtocolError::InvalidRange {
        plan,
        list: name,
        start: *start,
        end,
        length: list.len(),
    })?;
    *start = end;
    Ok(part.to_vec())
}

#[cfg(test)]
mod tests {

    use lictor_contract::ExtensionPoint;

    use super::*;
    use crate::session::testing::{Scripted, ScriptedPlan, ScriptedReply, reason, session};
    use crate::verify::testing::{node, on, pod};

    fn acting(steps: impl IntoIterator<Item = ScriptedReply>) -> Scripted {
        let acting = Scripted::deciding(&[ExtensionPoint::Act, ExtensionPoint::Reserve]);
        steps.into_iter().fold(acting, |policy, step| policy.reply("act", step))
    }

    fn bind(bindings: &'static [(&'static str, &'static str)], more: bool) -> ScriptedReply {
        ScriptedReply::Act { bindings, plans: Vec::new(), more }
    }

    #[test]
    fn steps_are_carried_out_until_there_is_no_next() {
        let policy = acting([
            bind(&[("default/a", "n1"), ("default/b", "n1")], true),
            bind(&[("default/c", "n1")], false),
            bind(&[("default/d", "n1")], false),
        ]);
        let cluster = [node("n1", 8), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0), pod("d", 1, 0)];
        let mut session = session(&policy, cluster);
        session.cycle().unwrap();
        let bound: Vec<String> = session.take_report().bound.into_keys().collect();
        assert_eq!(bound, ["default/a", "default/b", "default/c"]);
        let expected =
            ["act", "reserve default/a n1", "reserve default/b n1", "act", "reserve default/c n1"].map(str::to_owned);
        assert_eq!(policy.log(), expected);
    }

    #[test]
    fn a_refusal_is_reported_for_each_pod_that_exists() {
        let mut session = session(&acting([]), [node("n1", 4), node("n2", 4), pod("a", 1, 0), pod("b", 1, 0)]);
        let [a, b] = ["default/a", "default/b"].map(|name| session.mirror().pod_id(name).unwrap());
        let refusal = |pods, nodes| Refusal { pods, reason: reason("too small"), nodes };
        let refusals = vec![refusal(vec![a, PodId::MAX], None), refusal(vec![b], Some(1))];
        session.session.report_refusals(refusals).unwrap();
        let reported = session.session.journal.report.refusals.clone();
        let message = |pod: &str| reported.get(pod).unwrap().message.as_str();
        assert_eq!(reported.len(), 2);
        assert_eq!(message("default/a"), "too small");
        assert!(message("default/b").starts_with("1 of 2 nodes"), "{}", message("default/b"));
    }

    #[test]
    fn bindings_that_do_not_fit_together_are_a_lie_and_none_is_bound() {
        let policy = acting([bind(&[("default/a", "n1"), ("default/b", "n1")], false)]);
        let mut session = session(&policy, [node("n1", 3), pod("a", 2, 0), pod("b", 2, 0)]);
        let error = session.cycle().unwrap_err().to_string();
        assert!(
            error.starts_with("the policy's answer to `act` cannot be: `n1` lacks room: cpu: allocatable 3"),
            "{error}"
        );
        assert!(session.take_report().bound.is_empty());
    }

    #[test]
    fn sound_plans_are_carried_out_and_others_are_refused() {
        let plan = |id, nominations, victims| ScriptedPlan { id, nominations, victims, ..ScriptedPlan::default() };
        let plans = vec![
            plan(1, &[("default/p", "n1")], &["default/v"]),
            plan(2, &[("default/q", "n2")], &[]),
            plan(3, &[("default/q", "n2")], &["default/w"]),
        ];
        let policy = acting([ScriptedReply::Act { bindings: &[], plans, more: false }]);
        let cluster = [
            node("n1", 4),
            node("n2", 4),
            on("n1", pod("v", 4, 0)),
            on("n2", pod("w", 4, 0)),
            pod("p", 4, 0),
            pod("q", 4, 0),
        ];
        let mut session = session(&policy, cluster);
        session.cycle().unwrap();
        let happened = session.take_report();
        assert_eq!(happened.victims.into_keys().collect::<Vec<_>>(), ["default/v", "default/w"]);
        assert_eq!(happened.refused.iter().map(|refused| refused.plan).collect::<Vec<_>>(), [2]);
        assert_eq!(policy.log(), ["act", "accepted 1", "refused 2", "accepted 3"]);
    }

    #[test]
    fn a_number_of_a_plan_is_used_once_and_nothing_of_the_answer_is_carried_out() {
        let plan = ScriptedPlan {
            id: 1,
            nominations: &[("default/p", "n1")],
            victims: &["default/v"],
            ..ScriptedPlan::default()
        };
        let policy =
            acting([ScriptedReply::Act { bindings: &[("default/q", "n1")], plans: vec![plan, plan], more: false }]);
        let cluster = [node("n1", 4), on("n1", pod("v", 3, 0)), pod("p", 3, 0), pod("q", 1, 0)];
        let mut session = session(&policy, cluster);
        let error = session.cycle().unwrap_err().to_string();
        assert_eq!(error, "the policy's answer to `act` cannot be: the number 1 was given to an earlier plan");
        let happened = session.take_report();
        assert!(happened.bound.is_empty() && happened.victims.is_empty());
    }

    #[test]
    fn a_cycle_without_an_end_is_a_lie() {
        let policy = acting((0..100).map(|_| bind(&[], true)));
        let error = session(&policy, []).cycle().unwrap_err().to_string();
        assert_eq!(error, "the policy's answer to `act` cannot be: the cycle has more than 64 steps");
    }

    #[test]
    fn flat_lists_are_cut_where_they_say() {
        let on = |pod| Placement { pod, node: 0 };
        let slice =
            |id, nominations_end, reason| PlanSlice { id, preemptor: 0, nominations_end, victims_end: 0, reason };
        let plans = |slices| Plans {
            slices,
            nominations: vec![on(1), on(2), on(3)],
            victims: Vec::new(),
            reasons: vec![reason("one"), reason("two")],
        };
        let cut = split_plans(plans(vec![slice(1, 2, 1), slice(2, 3, 0)])).unwrap();
        let parts: Vec<_> = cut.into_iter().map(|plan| (plan.nominations, plan.reason)).collect();
        assert_eq!(parts, [(vec![on(1), on(2)], reason("two")), (vec![on(3)], reason("one"))]);
        let ragged = |slices| split_plans(plans(slices)).unwrap_err().to_string();
        assert_eq!(ragged(vec![slice(1, 4, 0)]), "plan 1 ends at 4 of 3 nominations, after 0");
        assert_eq!(ragged(vec![slice(1, 2, 0), slice(2, 1, 0)]), "plan 2 ends at 1 of 3 nominations, after 2");
        assert_eq!(ragged(vec![slice(1, 1, 2)]), "plan 1 ends at 2 of 2 reasons, after 0");
    }
}
