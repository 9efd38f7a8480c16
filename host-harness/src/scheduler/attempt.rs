//! One scheduling attempt for one pod.

use std::collections::VecDeque;

use lictor_policy::contract::*;

use super::filter::Filtered;
use super::{Attempt, AttemptResult, Lie, Session, SessionError};
use crate::verify;

impl Session<'_> {
    /// Tries one pending pod: PreFilter, Filter, PostFilter where no node is left, Reserve, Permit, bind.
    pub fn attempt(&mut self, pod: PodId) -> Result<Attempt, SessionError> {
        self.sync()?;
        self.must_wait_for_a_node(pod)?;
        let attempt = self.pre_filter_and_on(pod)?;
        self.happened.attempts.push(attempt.clone());
        Ok(attempt)
    }

    /// Whether a pod waits for a node and is not held for one: the pods of the queue.
    pub(super) fn is_pending(&self, pod: &Pod) -> bool {
        pod.phase == Phase::Pending && pod.node.is_none() && !pod.terminating && !self.held.contains(pod.id)
    }

    /// Only such a pod can be tried.
    fn must_wait_for_a_node(&self, pod: PodId) -> Result<(), SessionError> {
        let known = self.mirror.pod(pod).ok_or(SessionError::NoSuchPod(pod))?;
        let state = if self.is_pending(known) {
            return Ok(());
        } else if known.node.is_some() {
            "is bound already"
        } else if self.held.contains(pod) {
            "is held at permit"
        } else if known.terminating {
            "is being deleted"
        } else {
            "is not pending"
        };
        Err(SessionError::NotPending { pod: self.pod_name(pod), state })
    }

    /// PreFilter, and what follows from it.
    fn pre_filter_and_on(&mut self, pod: PodId) -> Result<Attempt, SessionError> {
        let mut attempt = Attempt {
            pod: self.pod_name(pod),
            result: AttemptResult::Rejected,
            node: None,
            reason: None,
            nodes: None,
            preemption: None,
        };
        if self.decides(ExtensionPoint::PreFilter) {
            let answer = self.ask(|policy| policy.pre_filter(pod))?;
            self.check_effects("pre-filter", &answer.effects)?;
            self.carry(VecDeque::from([answer.effects]))?;
            match answer.admission {
                Admission::Pass => {}
                Admission::Refused(reason) => {
                    attempt.reason = Some(reason);
                    return self.post_filter(pod, attempt);
                }
                Admission::Final(reason) => {
                    attempt.reason = Some(reason);
                    return Ok(attempt);
                }
            }
        }
        match self.filter(pod)? {
            Filtered::Fits(node) => self.place(pod, node, attempt),
            Filtered::Nowhere(summary) => {
                attempt.result = AttemptResult::Unschedulable;
                attempt.nodes = Some(summary);
                self.post_filter(pod, attempt)
            }
        }
    }

    /// Reserve, Permit, bind.
    fn place(&mut self, pod: PodId, node: NodeId, mut attempt: Attempt) -> Result<Attempt, SessionError> {
        let sound = verify::bindings(&self.ground(), &[Placement { pod, node }]);
        sound.map_err(|violation| Lie::Unsound(violation).told_by("filter"))?;
        attempt.node = Some(self.node_name(node));
        self.reserve(pod, node)?;
        let (permission, reason, effects) = self.permit(pod)?;
        attempt.reason = reason;
        let mut rounds = VecDeque::from([effects]);
        match permission {
            Permission::Allow => {
                self.bind(pod, node);
                attempt.result = AttemptResult::Scheduled;
            }
            Permission::Wait(nanoseconds) => {
                self.hold(pod, node, nanoseconds);
                attempt.result = AttemptResult::Waiting;
            }
            Permission::Reject(reason) => {
                rounds.push_front(self.ask_unreserve(pod, ReleaseCause::Failed)?);
                attempt.result = AttemptResult::Unschedulable;
                attempt.node = None;
                attempt.reason = Some(reason);
            }
        }
        self.carry(rounds)?;
        Ok(attempt)
    }

    /// Gives the pod the node until it is bound or unreserved.
    pub(super) fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<(), SessionError> {
        if self.decides(ExtensionPoint::Reserve) {
            let effects = self.ask(|policy| policy.reserve(pod, node))?;
            self.check_effects("reserve", &effects)?;
            self.carry(VecDeque::from([effects]))?;
        }
        Ok(())
    }

    /// Whether the reserved pod may be bound.
    fn permit(&mut self, pod: PodId) -> Result<(Permission, Option<Reason>, Effects), SessionError> {
        if !self.decides(ExtensionPoint::Permit) {
            return Ok((Permission::Allow, None, Effects::default()));
        }
        let answer = self.ask(|policy| policy.permit(pod))?;
        self.check_effects("permit", &answer.effects)?;
        match answer.permission {
            Permission::Wait(nanoseconds) if nanoseconds < 0 => Err(Lie::NegativeWait(nanoseconds).told_by("permit")),
            permission => Ok((permission, Some(answer.reason), answer.effects)),
        }
    }
}
