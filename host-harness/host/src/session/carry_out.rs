//! Plans: judged, and carried out whole or not at all.

use std::collections::{BTreeSet, VecDeque};

use lictor_contract::*;

use super::journal::UndoEntry;
use super::{
    AppliedPlan, EvictionBeneficiary, EvictionMethod, EvictionRecord, FailureCause, ProtocolError, RefusedPlan, Session,
};
use crate::cluster::PodChange;
use crate::verify::{self, PlanUnderTest, PlannedEviction, Violation};

impl Session {
    /// Claims the numbers of plans, and checks their reasons.
    ///
    /// # Errors
    /// A number was used before, or the policy cannot have such a reason.
    pub(super) fn register_plan_numbers<'a>(
        &mut self,
        call: &'static str,
        plans: impl IntoIterator<Item = (u64, &'a Reason)>,
    ) -> Result<(), FailureCause> {
        for (plan, reason) in plans {
            if !self.instance.used_plan_numbers.insert(plan) {
                return Err(ProtocolError::PlanReused(plan).into_cause(call));
            }
            Session::check_reason(reason).map_err(|error| error.into_cause(call))?;
        }
        Ok(())
    }

    /// Checks whether a plan is sound. The policy receives `PlanRefused` for an unsound plan.
    pub(super) fn verify_plan(&mut self, proposal: &PlanUnderTest<'_>) -> Result<Result<(), Violation>, FailureCause> {
        self.sync()?;
        let plan = proposal.plan;
        let verdict = verify::plan(&self.verify_context(), proposal);
        if let Err(violation) = &verdict {
            self.journal.report.refused.push(RefusedPlan {
                plan: plan.id,
                for_whom: EvictionBeneficiary::Preemptor(self.pod_name(plan.preemptor)),
                reason: violation.reason(),
            });
            self.send_event(Event::PlanRefused(plan.id))?;
        }
        Ok(verdict)
    }

    /// Carries out a sound plan: nominates, evicts, and applies the effects on other pods.
    pub(super) fn apply_plan(&mut self, plan: Plan, effects: Effects) -> Result<(), FailureCause> {
        let preemptor = EvictionBeneficiary::Preemptor(self.pod_name(plan.preemptor));
        self.apply_plan_for(preemptor, plan, effects)
    }

    /// Carries out a sound plan for a preemptor or a queue.
    pub(super) fn apply_plan_for(
        &mut self,
        for_whom: EvictionBeneficiary,
        plan: Plan,
        effects: Effects,
    ) -> Result<(), FailureCause> {
        let fates: Vec<(PodId, EvictionRecord)> =
            plan.victims.iter().map(|victim| (victim.pod, self.eviction_record(victim, &plan, &for_whom))).collect();
        self.instance.is_checkpoint_stale = true;
        self.send_event(Event::PlanAccepted(plan.id))?;
        self.apply_effects(VecDeque::from([effects]))?;
        self.journal.report.plans.push(AppliedPlan {
            plan: plan.id,
            for_whom,
            nominated: plan.nominations.iter().map(|at| (self.pod_name(at.pod), self.node_name(at.node))).collect(),
            victims: plan.victims.iter().map(|victim| self.pod_name(victim.pod)).collect(),
        });
        for nomination in &plan.nominations {
            self.journal.report.nominated.insert(self.pod_name(nomination.pod), self.node_name(nomination.node));
            let node = self.mirror.node(nomination.node).map(|node| node.name.clone());
            self.issue_command(nomination.pod, PodChange::Nominate(node), plan.id);
        }
        let mut rounds = VecDeque::new();
        for (victim, fate) in fates {
            match fate.how {
                EvictionMethod::Unreserved => rounds.extend(self.unreserve(victim, ReleaseCause::Preempted)?),
                how => self.evict(victim, how, &plan),
            }
            self.journal.report.victims.insert(self.pod_name(victim), fate);
        }
        self.apply_effects(rounds)
    }

    /// Returns the fate of a victim, computed before the plan is carried out.
    fn eviction_record(&self, victim: &Victim, plan: &Plan, for_whom: &EvictionBeneficiary) -> EvictionRecord {
        EvictionRecord {
            how: if self.occupancy.permit_holds().contains(victim.pod) {
                EvictionMethod::Unreserved
            } else {
                EvictionMethod::from(victim.eviction)
            },
            node: self.occupancy.node_of(victim.pod).map(|node| self.node_name(node)),
            plan: plan.id,
            for_whom: for_whom.clone(),
            reason: self.named_reason(plan.reason.clone()),
        }
    }

    /// Marks a bound victim, and deletes it unless another controller deletes marked pods.
    fn evict(&mut self, victim: PodId, how: EvictionMethod, plan: &Plan) {
        let deleted = (how == EvictionMethod::Delete).then(|| self.mirror.now());
        self.issue_command(victim, PodChange::Evict { deleted, marks: plan.marks.clone() }, plan.id);
        let beneficiaries: BTreeSet<PodId> = plan.nominations.iter().map(|nomination| nomination.pod).collect();
        let departure = PlannedEviction { plan: plan.id, beneficiaries };
        let before = self.planned_evictions.set(victim, Some(departure));
        self.record_eviction(victim);
        self.journal.undo_log.push(UndoEntry::PlannedEviction(victim, before));
    }

    /// Counts an eviction for the rails.
    fn record_eviction(&mut self, victim: PodId) {
        let (now, window) = (self.mirror.now(), self.mirror.rails().longest_window());
        let Some(pod) = self.mirror.pod(victim) else { return };
        let history = self.planned_evictions.history_mut();
        history.forget_before(now.saturating_sub(window));
        history.record(now, victim, pod.template.namespace.clone());
        self.journal.undo_log.push(UndoEntry::EvictionRecord(victim));
    }
}

#[cfg(test)]
mod tests {

    use crate::driver::VirtualDriver;
    use crate::session::EvictionMethod;
    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply, session};
    use crate::verify::testing::{IN_SLOT, node, on, pod, slot, with};
    use serde_json::json;

    const ASKED: &str = "post-filter default/p";

    /// Returns a plan for `p` on `n1`.
    fn sketch(id: u64, victims: &'static [&'static str], soft: bool) -> ScriptedPlan {
        ScriptedPlan { id, nominations: &[("default/p", "n1")], victims, soft }
    }

    /// Adds an attempt for `p` to a policy: no node fits, and PostFilter answers with this plan.
    fn planned(policy: Scripted, plan: ScriptedPlan) -> Scripted {
        policy
            .reply("filter default/p", ScriptedReply::Fits(&[]))
            .reply(ASKED, ScriptedReply::Plan(plan, ScriptedEffects::default()))
    }

    fn cluster(policy: &Scripted) -> VirtualDriver {
        session(policy, [node("n1", 4), on("n1", pod("v", 3, 0)), on("n1", pod("w", 1, 0)), pod("p", 3, 9)])
    }

    #[test]
    fn a_victim_is_told_with_how_where_and_for_whom() {
        let policy = planned(Scripted::deciding(ALL), sketch(5, &["default/v"], false));
        let mut session = cluster(&policy);
        session.try_pod("default/p").unwrap();
        let happened = session.take_report();
        let v = happened.victims.get("default/v").unwrap();
        assert_eq!(
            (v.how, v.node.as_deref(), v.plan, v.for_whom.preemptor()),
            (EvictionMethod::Delete, Some("n1"), 5, Some("default/p"))
        );
        assert_eq!(happened.nominated, [("default/p".to_owned(), "n1".to_owned())].into());
    }

    #[test]
    fn a_soft_victim_is_marked_and_stays() {
        let policy = planned(Scripted::deciding(ALL), sketch(5, &["default/v"], true));
        let mut session = cluster(&policy);
        session.try_pod("default/p").unwrap();
        assert_eq!(session.take_report().victims.get("default/v").unwrap().how, EvictionMethod::Soft);
        session.sync().unwrap();
        let v = policy.received("default/v");
        assert!(!v.terminating);
        assert_eq!(v.template.annotations.first().unwrap().value, "marked");
    }

    #[test]
    fn a_victim_held_at_permit_is_unreserved() {
        let policy =
            Scripted::deciding(ALL).reply("permit default/h", ScriptedReply::Wait(10, ScriptedEffects::default()));
        let policy = planned(policy, sketch(5, &["default/h"], false));
        let mut session = session(&policy, [node("n1", 4), pod("h", 3, 0), pod("p", 3, 9)]);
        session.try_pod("default/h").unwrap();
        session.try_pod("default/p").unwrap();
        let happened = session.take_report();
        assert_eq!(happened.victims.get("default/h").unwrap().how, EvictionMethod::Unreserved);
        assert!(session.waiting().is_empty());
        assert_eq!(session.session.planned_evictions.iter().count(), 0);
        session.sync().unwrap();
        assert_eq!(policy.log().last().unwrap(), "unreserve default/h Preempted");
        assert!(!policy.received("default/h").terminating);
    }

    #[test]
    fn evictions_complete_when_the_host_says_so() {
        let policy = planned(Scripted::deciding(ALL), sketch(5, &["default/v"], true));
        let mut session = cluster(&policy);
        session.try_pod("default/p").unwrap();
        session.evictions_complete().unwrap();
        assert_eq!(session.mirror().pod_id("default/v"), None);
        assert!(session.mirror().pod_id("default/w").is_some());
        assert_eq!(session.session.planned_evictions.iter().count(), 0);
        assert_eq!(session.try_pod("default/p").unwrap().node.unwrap(), "n1");
        assert!(policy.log().contains(&"removed default/v".to_owned()));
    }

    #[test]
    fn who_uses_a_slot_leaves_with_it() {
        let allocated = json!({IN_SLOT: r#"{"slot":{"name":"r"}}"#});
        let owner = on("n1", with(pod("o", 1, 0), "/metadata", "annotations", allocated));
        let policy = planned(Scripted::deciding(ALL), sketch(5, &["Slot/r"], true));
        let mut session = session(&policy, [node("n1", 4), slot("r", 4, Some("n1")), owner, pod("p", 3, 9)]);
        session.try_pod("default/p").unwrap();
        session.evictions_complete().unwrap();
        assert_eq!(session.mirror().pod_id("Slot/r"), None);
        assert_eq!(session.mirror().pod_id("default/o"), None);
    }

    #[test]
    fn a_plan_under_way_is_not_planned_again_by_another_pod() {
        let plan = |id, nominations| ScriptedPlan { id, nominations, victims: &["default/v"], soft: true };
        let policy = Scripted::deciding(ALL)
            .reply("filter default/p", ScriptedReply::Fits(&[]))
            .reply("filter default/q", ScriptedReply::Fits(&[]))
            .reply(ASKED, ScriptedReply::Plan(plan(5, &[("default/p", "n1")]), ScriptedEffects::default()))
            .reply(
                "post-filter default/q",
                ScriptedReply::Plan(plan(6, &[("default/q", "n1")]), ScriptedEffects::default()),
            );
        let cluster = [node("n1", 4), on("n1", pod("v", 4, 0)), pod("p", 3, 9), pod("q", 1, 9)];
        let mut session = session(&policy, cluster);
        session.try_pod("default/p").unwrap();
        session.take_report();
        session.try_pod("default/q").unwrap();
        let happened = session.take_report();
        let refused: Vec<&str> = happened.refused.iter().map(|refused| refused.reason.code.as_str()).collect();
        assert_eq!((refused.as_slice(), happened.victims.len()), (["host/leaving"].as_slice(), 0));
    }
}
