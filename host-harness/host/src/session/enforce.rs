//! Enforce: pods that queues give back, because they hold more than they may.

use lictor_contract::*;

use super::{EvictionBeneficiary, FailureCause, RefusedPlan, Session};
use crate::verify;

impl Session {
    /// Calls `enforce` and carries out the sound part of the answer. The policy receives a refusal of the rest.
    pub(super) fn enforce(&mut self) -> Result<(), FailureCause> {
        if !self.decides(ExtensionPoint::Enforce) {
            return Ok(());
        }
        let answer = self.call_policy(|policy| policy.enforce())?;
        self.register_plan_numbers("enforce", answer.enforcements.iter().map(|it| (it.id, &it.reason)))?;
        // The time until queues must give back is not shown in the cluster, so a checkpoint must keep it for a new instance.
        self.instance.is_checkpoint_stale |= answer.retry.at != self.due.enforce_at;
        self.due.enforce_at = answer.retry.at;
        for enforcement in answer.enforcements {
            self.sync()?;
            let verdict = verify::enforcement(&self.verify_context(), &enforcement);
            let Enforcement { id, queue, victims, marks, reason } = enforcement;
            let for_whom = EvictionBeneficiary::Queue(queue);
            match verdict {
                Ok(()) => {
                    let (preemptor, nominations) = (PodId::MAX, Vec::new());
                    let plan = Plan { id, preemptor, nominations, victims, marks, reason };
                    self.apply_plan_for(for_whom, plan, Effects::default())?;
                }
                Err(violation) => {
                    self.due.enforce_at = self.due.enforce_at.into_iter().chain(violation.retry_at()).min();
                    self.journal.report.refused.push(RefusedPlan { plan: id, for_whom, reason: violation.reason() });
                    self.send_event(Event::PlanRefused(id))?;
                }
            }
        }
        Ok(())
    }

    /// Calls `enforce` where the time has come that the policy named.
    pub(super) fn enforce_if_due(&mut self) -> Result<(), FailureCause> {
        if self.due.enforce_at.is_none_or(|at| at > self.mirror.now()) {
            return Ok(());
        }
        self.ensure_instance()?;
        self.enforce()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::{Scripted, ScriptedPlan, ScriptedReply, session};
    use crate::session::{CommandAction, CommandOutcome, EvictionMethod, Session, SessionInput};
    use crate::verify::testing::{node, object, on, pod};

    const POINTS: &[ExtensionPoint] = &[ExtensionPoint::Enforce];

    fn sketch(id: u64, victims: &'static [&'static str]) -> ScriptedPlan {
        ScriptedPlan { id, victims, ..ScriptedPlan::default() }
    }

    fn policy(answers: impl IntoIterator<Item = ScriptedReply>) -> Scripted {
        answers.into_iter().fold(Scripted::deciding(POINTS), |policy, answer| policy.reply("enforce", answer))
    }

    fn cluster() -> [serde_json::Value; 3] {
        [node("n1", 4), on("n1", pod("v", 1, 0)), on("n1", pod("w", 1, 0))]
    }

    #[test]
    fn a_cycle_begins_with_what_queues_give_back() {
        let policy = policy([ScriptedReply::Enforce(vec![sketch(1, &["default/v"])], None)]);
        let mut session = session(&policy, cluster());
        session.cycle().unwrap();
        let happened = session.take_report();
        let v = happened.victims.get("default/v").unwrap();
        assert_eq!((v.how, &v.for_whom), (EvictionMethod::Delete, &EvictionBeneficiary::Queue("q".to_owned())));
        assert!(happened.nominated.is_empty() && !happened.victims.contains_key("default/w"));
        assert!(policy.received("default/v").terminating);
        assert_eq!(policy.log(), ["enforce", "accepted 1"]);
        let shown = serde_json::to_value(v).unwrap();
        assert_eq!((shown.get("queue").unwrap(), shown.get("preemptor")), (&serde_json::json!("q"), None));
    }

    #[test]
    fn the_session_asks_when_the_moment_has_come_and_not_before() {
        let policy = policy([
            ScriptedReply::Enforce(vec![], Some(30)),
            ScriptedReply::Enforce(vec![sketch(1, &["default/v"])], None),
        ]);
        let mut session = session(&policy, cluster());
        session.cycle().unwrap();
        let wake_at = |session: &mut Session, at| session.handle(SessionInput::Clock(at)).unwrap().wake_at;
        assert_eq!(wake_at(&mut session.session, 29), Some(30));
        let asked = || policy.log().into_iter().filter(|said| !said.starts_with("clock")).collect::<Vec<_>>();
        assert_eq!(asked(), ["enforce"]);
        // No cycle runs, and no pod is pending.
        let step = session.session.handle(SessionInput::Clock(30)).unwrap();
        assert!(
            matches!(step.commands.as_slice(), [command] if matches!(command.action, CommandAction::Evict { delete: true, plan: 1, .. }))
        );
        assert_eq!(asked(), ["enforce", "enforce", "accepted 1"]);
        wake_at(&mut session.session, 40);
        assert_eq!(asked().len(), 3);
    }

    #[test]
    fn what_is_not_sound_is_refused_and_told_and_the_rest_is_carried_out() {
        let both = vec![sketch(1, &["default/v"]), sketch(2, &["default/v", "default/w"]), sketch(3, &["default/w"])];
        let policy = policy([ScriptedReply::Enforce(both, None)]);
        let mut session = session(&policy, cluster());
        session.cycle().unwrap();
        let happened = session.take_report();
        assert_eq!(happened.victims.into_keys().collect::<Vec<_>>(), ["default/v", "default/w"]);
        let refused: Vec<_> = happened.refused.iter().map(|it| (it.plan, it.reason.code.as_str())).collect();
        assert_eq!(refused, [(2, "host/leaving")]);
        assert_eq!(policy.log(), ["enforce", "accepted 1", "refused 2", "accepted 3"]);
    }

    #[test]
    fn a_victim_that_could_not_be_evicted_stays_and_the_policy_is_told() {
        let policy = policy([
            ScriptedReply::Enforce(vec![sketch(1, &["default/v"])], None),
            ScriptedReply::Enforce(vec![sketch(2, &["default/v"])], None),
        ]);
        let mut session = Session::open(Box::new(policy.clone()), "test", "").unwrap();
        session.handle(SessionInput::Objects(cluster().map(object).to_vec())).unwrap();
        let step = session.handle(SessionInput::Cycle).unwrap();
        let id = step.commands.first().unwrap().id;
        session.handle(SessionInput::Outcomes(vec![(id, CommandOutcome::Failed("busy".to_owned()))])).unwrap();
        assert!(!policy.received("default/v").terminating);
        // The victim may be evicted again.
        assert_eq!(session.handle(SessionInput::Cycle).unwrap().commands.len(), 1);
        assert_eq!(policy.log(), ["enforce", "accepted 1", "refused 1", "enforce", "accepted 2"]);
    }

    #[test]
    fn a_number_that_was_used_is_a_lie() {
        let twice = vec![sketch(1, &["default/v"]), sketch(1, &["default/w"])];
        let policy = policy([ScriptedReply::Enforce(twice, None)]);
        let mut session = session(&policy, cluster());
        let error = session.cycle().unwrap_err().to_string();
        assert_eq!(error, "the policy's answer to `enforce` cannot be: the number 1 was given to an earlier plan");
        assert!(session.take_report().victims.is_empty());
    }

    #[test]
    fn a_system_that_does_not_decide_here_is_not_asked() {
        let policy = Scripted::deciding(&[]);
        let mut session = session(&policy, cluster());
        session.cycle().unwrap();
        assert_eq!(policy.log(), Vec::<String>::new());
    }
}
