//! One scheduling attempt for one pod.

use std::collections::VecDeque;

use lictor_contract::*;

use super::filter::FilterDecision;
use super::journal::UndoEntry;
use super::question::PermitDecision;
use super::{Attempt, AttemptResult, FailureCause, ProtocolError, RetryHint, Session};
use crate::policy::{CallError, Policy};
use crate::verify;

impl Session {
    /// Tries one pending pod: PreFilter, Filter, PostFilter where no node fits, Reserve, Permit, bind.
    pub(super) fn attempt(&mut self, pod: PodId) -> Result<Attempt, FailureCause> {
        self.sync()?;
        if let Some(reason) = self.mirror.pod(pod).and_then(|pod| self.reason_not_scheduled(pod)) {
            let attempt = Attempt { reason: Some(reason), ..Attempt::rejected(self.pod_name(pod)) };
            self.journal.report.attempts.push(attempt.clone());
            return Ok(attempt);
        }
        self.require_pending(pod)?;
        let mut attempt = self.run_from_prefilter(pod)?;
        attempt.explanation = self.explanation(pod, attempt.nodes.is_some() || attempt.node.is_some())?;
        self.remember_retry(pod, &attempt.retry);
        self.journal.report.attempts.push(attempt.clone());
        Ok(attempt)
    }

    /// Checks that a pod is pending; only such a pod can be tried.
    ///
    /// # Errors
    /// `NoSuchPod` or `NotPending`.
    pub(super) fn require_pending(&self, pod: PodId) -> Result<(), FailureCause> {
        let known = self.mirror.pod(pod).ok_or_else(|| FailureCause::NoSuchPod(self.pod_name(pod)))?;
        match self.occupancy.not_pending(known) {
            None => Ok(()),
            Some(state) => Err(FailureCause::NotPending { pod: self.pod_name(pod), state }),
        }
    }

    /// Runs PreFilter and the steps after it.
    fn run_from_prefilter(&mut self, pod: PodId) -> Result<Attempt, FailureCause> {
        let mut attempt = Attempt::rejected(self.pod_name(pod));
        let (admission, retry) = self.pre_filter(pod)?;
        match admission {
            Admission::Pass => {}
            Admission::Refused(reason) => {
                attempt.retry.add(retry);
                attempt.reason = Some(self.checked_reason("pre-filter", reason)?);
                return self.post_filter(pod, attempt);
            }
            Admission::Final(reason) => {
                attempt.retry.add(retry);
                attempt.reason = Some(self.checked_reason("pre-filter", reason)?);
                return Ok(attempt);
            }
        }
        match self.filter(pod)? {
            FilterDecision::Fits(node) => self.reserve_and_bind(pod, node, attempt),
            FilterDecision::NoNode(summary) => {
                attempt.result = AttemptResult::Unschedulable;
                attempt.nodes = Some(summary);
                // The pod may get a node later, whatever prevents a preemption.
                attempt.retry.add(RetryHint::of_nodes(self.mirror.has_claims(pod)));
                self.post_filter(pod, attempt)
            }
        }
    }

    /// Runs PreFilter, and applies its effects on other pods. Returns the admission and the retry hint.
    pub(super) fn pre_filter(&mut self, pod: PodId) -> Result<(Admission, Retry), FailureCause> {
        if !self.decides(ExtensionPoint::PreFilter) {
            return Ok((Admission::Pass, Retry::default()));
        }
        let PreFiltered { admission, retry, effects } = self.call_policy(|policy| policy.pre_filter(pod))?;
        self.check_effects("pre-filter", &effects)?;
        self.apply_effects(VecDeque::from([effects]))?;
        Ok((admission, retry))
    }

    /// Runs Reserve and Permit, and binds the pod unless Permit delays or rejects it.
    fn reserve_and_bind(&mut self, pod: PodId, node: NodeId, mut attempt: Attempt) -> Result<Attempt, FailureCause> {
        self.assume_marks(pod, node)?;
        let sound = verify::bindings(&self.verify_context(), &[Placement { pod, node }]);
        sound.map_err(|violation| ProtocolError::InvariantViolated(violation).into_cause("filter"))?;
        attempt.node = Some(self.node_name(node));
        self.reserve(pod, node)?;
        let (verdict, reason, retry) = self.permit_and_apply(pod, node)?;
        attempt.reason = self.decides(ExtensionPoint::Permit).then_some(reason);
        attempt.result = match verdict {
            PermitDecision::Allow => AttemptResult::Scheduled,
            PermitDecision::Wait(_) => AttemptResult::Waiting,
            PermitDecision::Reject => AttemptResult::Unschedulable,
        };
        if verdict == PermitDecision::Reject {
            attempt.node = None;
            attempt.retry.add(retry);
        }
        Ok(attempt)
    }

    /// Stores the marks that the policy wants on the pod together with this node.
    pub(super) fn assume_marks(&mut self, pod: PodId, node: NodeId) -> Result<(), FailureCause> {
        let marks = match self.policy.marks(pod, node) {
            Err(CallError::MissingInterface(_)) => return Ok(()),
            answer => answer?,
        };
        if !marks.is_empty() {
            let number = self.pending_commands.number();
            let before = self.set_assumed_marks(pod, Some((number, marks)));
            self.journal.undo_log.push(UndoEntry::AssumedMarks(pod, before));
        }
        Ok(())
    }

    /// Reserves the node for the pod until the pod is bound or unreserved.
    pub(super) fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<(), FailureCause> {
        if self.decides(ExtensionPoint::Reserve) {
            let effects = self.call_policy(|policy| policy.reserve(pod, node))?;
            self.check_effects("reserve", &effects)?;
            self.apply_effects(VecDeque::from([effects]))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {

    use crate::driver::VirtualDriver;
    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply, host_reason, session};
    use crate::session::{AttemptResult, FailureCause, ProtocolError};
    use crate::verify::testing::{node, on, pod};

    /// The calls of the policy, without the events of the cluster.
    const PASSED: [&str; 4] = ["pre-filter default/a", "filter default/a", "reserve default/a n1", "permit default/a"];

    #[test]
    fn a_pod_passes_every_extension_point_and_is_bound() {
        let policy = Scripted::deciding(ALL);
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let attempt = session.try_pod("default/a").unwrap();
        assert_eq!((attempt.result, attempt.node.as_deref()), (AttemptResult::Scheduled, Some("n1")));
        let happened = session.take_report();
        assert_eq!(happened.bound, [("default/a".to_owned(), "n1".to_owned())].into());
        assert_eq!(happened.attempts, [attempt]);
        session.sync().unwrap();
        assert_eq!(policy.log(), PASSED);
        assert!(policy.received("default/a").node.is_some());
    }

    #[test]
    fn points_that_the_laws_do_not_decide_at_are_passed() {
        let policy = Scripted::deciding(&[]);
        let mut session = session(&policy, [node("n1", 4), pod("a", 3, 0), pod("b", 3, 0)]);
        assert_eq!(session.try_pod("default/a").unwrap().result, AttemptResult::Scheduled);
        let attempt = session.try_pod("default/b").unwrap();
        assert_eq!(attempt.result, AttemptResult::Unschedulable);
        let said = "0/1 nodes are available: 1 `n1` lacks room: cpu: allocatable 4, in use 3, requested 3";
        assert_eq!(attempt.message(), said);
        assert_eq!(policy.log(), Vec::<String>::new());
    }

    #[test]
    fn a_final_refusal_asks_for_no_plan() {
        let policy = Scripted::deciding(ALL).reply("pre-filter default/a", ScriptedReply::Final("too few members"));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let attempt = session.try_pod("default/a").unwrap();
        assert_eq!((attempt.result, attempt.message()), (AttemptResult::Rejected, "too few members".to_owned()));
        assert_eq!(policy.log(), ["pre-filter default/a"]);
    }

    #[test]
    fn a_refusal_without_a_plan_is_a_rejection() {
        let policy = Scripted::deciding(ALL).reply("pre-filter default/a", ScriptedReply::Refused("the quota is full"));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let attempt = session.try_pod("default/a").unwrap();
        assert_eq!(attempt.result, AttemptResult::Rejected);
        assert_eq!(attempt.message(), "the quota is full; preemption: no pod can be evicted");
        assert_eq!(policy.log(), ["pre-filter default/a", "post-filter default/a 0"]);
    }

    #[test]
    fn a_pod_that_permit_rejects_loses_its_node() {
        let policy = Scripted::deciding(ALL)
            .reply("permit default/a", ScriptedReply::Reject("not now", ScriptedEffects::default()));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let attempt = session.try_pod("default/a").unwrap();
        assert_eq!((attempt.result, attempt.node), (AttemptResult::Unschedulable, None));
        assert_eq!(attempt.reason, Some(host_reason("not now")));
        assert!(session.take_report().bound.is_empty());
        assert_eq!(policy.log().last().unwrap(), "unreserve default/a Failed");
    }

    #[test]
    fn what_pre_filter_releases_is_free_for_filter() {
        let releases = ScriptedEffects { releases: &["default/h"], ..ScriptedEffects::default() };
        let policy = Scripted::deciding(ALL)
            .reply("permit default/h", ScriptedReply::Wait(10, ScriptedEffects::default()))
            .reply("pre-filter default/a", ScriptedReply::Pass(releases));
        let mut session = session(&policy, [node("n1", 4), pod("a", 4, 0), pod("h", 4, 0)]);
        assert_eq!(session.try_pod("default/h").unwrap().result, AttemptResult::Waiting);
        assert_eq!(session.try_pod("default/a").unwrap().result, AttemptResult::Scheduled);
        let tail = ["pre-filter default/a", "unreserve default/h Released", "filter default/a"];
        assert!(policy.log().windows(3).any(|asked| asked == tail), "{:?}", policy.log());
    }

    #[test]
    fn a_node_without_room_is_a_lie_and_nothing_is_bound() {
        let policy = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&["n1"]));
        let mut session = session(&policy, [node("n1", 4), on("n1", pod("v", 4, 0)), pod("a", 1, 0)]);
        let error = session.try_pod("default/a").unwrap_err();
        assert!(
            matches!(
                error,
                FailureCause::ProtocolError { call: "filter", protocol_error: ProtocolError::InvariantViolated(_) }
            ),
            "{error}"
        );
        assert!(session.take_report().bound.is_empty());
        assert_eq!(policy.log(), ["pre-filter default/a", "filter default/a"]);
    }

    #[test]
    fn a_wait_that_is_negative_is_a_lie() {
        let policy =
            Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(-1, ScriptedEffects::default()));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let error = session.try_pod("default/a").unwrap_err();
        assert_eq!(error.to_string(), "the policy's answer to `permit` cannot be: a wait of -1 ns");
        assert!(session.waiting().is_empty());
    }

    #[test]
    fn only_who_waits_for_a_node_can_be_tried() {
        let policy =
            Scripted::deciding(ALL).reply("permit default/h", ScriptedReply::Wait(10, ScriptedEffects::default()));
        let mut session = session(&policy, [node("n1", 4), on("n1", pod("v", 1, 0)), pod("h", 1, 0)]);
        let bound = session.try_pod("default/v").unwrap_err().to_string();
        assert_eq!(bound, "`default/v` cannot be tried: it is bound already");
        session.try_pod("default/h").unwrap();
        let held = session.try_pod("default/h").unwrap_err().to_string();
        assert_eq!(held, "`default/h` cannot be tried: it is held at permit");
    }

    #[test]
    fn what_comes_with_a_node_is_written_before_reserve_and_taken_back_with_it() {
        let policy = Scripted::deciding(ALL)
            .reply("marks default/a", ScriptedReply::Marks("other", "inside r"))
            .reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()))
            .reply("marks default/b", ScriptedReply::Marks("other", "inside s"));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)]);
        let written = |session: &VirtualDriver, name: &str| {
            let pod = session.mirror().pod(session.mirror().pod_id(name).unwrap()).unwrap();
            pod.template.annotations.first().map(|annotation| annotation.value.clone())
        };
        session.try_pod("default/a").unwrap();
        assert_eq!(written(&session, "default/a").unwrap(), "inside r");
        session.advance(10).unwrap();
        assert_eq!(written(&session, "default/a"), None);
        session.try_pod("default/b").unwrap();
        session.advance(100).unwrap();
        assert_eq!(written(&session, "default/b").unwrap(), "inside s");
    }

    #[test]
    fn a_fault_stops_the_attempt() {
        let policy = Scripted::deciding(ALL).reply("reserve default/a", ScriptedReply::CallError);
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let error = session.try_pod("default/a").unwrap_err();
        assert!(matches!(error, FailureCause::CallError(_)), "{error}");
        assert!(session.take_report().bound.is_empty());
    }
}
