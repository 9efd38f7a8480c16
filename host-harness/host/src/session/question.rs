//! The questions of a scheduler that asks at its extension points, one at a time, in place of a cycle of the session's own.
//!
//! Such a scheduler chooses the node itself, and binds: a command to bind means that it may. What the policy answers is checked as it is
//! in a cycle, and what follows from it for others comes as commands and releases.

use std::collections::VecDeque;
use std::fmt;

use lictor_contract::*;
use serde::{Deserialize, Serialize};

use super::{Attempt, CommandAction, CommandOutcome, FailureCause, RetryHint, Session, SessionError, StepOutput};
use crate::reason::NamedReason;

/// A question about pods, named `namespace/name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PluginRequest {
    /// PreFilter and Filter: whether a pending pod may be tried, and the nodes that take it.
    Try(String),
    /// PostFilter: a plan for a pending pod that was refused or found no node.
    PostFilter(String),
    /// Reserve: a pending pod gets a node, until it is bound or unreserved.
    Reserve(String, String),
    /// Permit: whether a reserved pod may be bound.
    Permit(String),
    /// Unreserve: a reserved or permitted pod is not bound. Another pod stays as it is.
    Unreserve(String),
    /// QueueSort: the keys of these pods. Unknown pods are left out.
    Keys(Vec<String>),
    /// Enforce: the pods that queues give back. The result consists of commands.
    Enforce,
}

/// The answer of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginResponse {
    /// The answer of [`PluginRequest::Try`].
    FilterResult(FilterResult),
    /// The answer of [`PluginRequest::PostFilter`]: the attempt as it ended. Its plan consists of commands.
    Attempt(Box<Attempt>),
    /// The answer of [`PluginRequest::Permit`].
    PermitResult(PermitResult),
    /// The answer of [`PluginRequest::Keys`]: the epoch, and the keys by pod.
    Keys(u64, Vec<(String, Vec<u8>)>),
    /// The answer of the other questions.
    Done,
}

/// The result of PreFilter and Filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterResult {
    /// Why the pod may not be tried. `None`: it may.
    pub refused: Option<NamedReason>,
    /// Whether no plan helps.
    pub is_final: bool,
    /// One byte per node, by node number: 0 takes the pod, n has `obstacles[n-1]`. Empty where the policy does not judge nodes.
    pub codes: Vec<u8>,
    /// The meanings of the codes.
    pub obstacles: Vec<String>,
    /// One score per node, by node number: 0 to 100, more is better; 0 for a node that does not take the pod. Empty where the policy does not score.
    pub scores: Vec<u8>,
    /// When another try is worthwhile, where the pod may not be tried.
    pub retry: RetryHint,
}

/// The result of Permit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermitResult {
    /// The verdict of the policy.
    pub verdict: PermitDecision,
    /// The reason.
    pub reason: NamedReason,
    /// When another try is worthwhile, where the pod is rejected.
    pub retry: RetryHint,
}

/// The verdict of Permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermitDecision {
    /// The pod may be bound. A command says so, too.
    Allow,
    /// The pod waits, at most this many nanoseconds.
    Wait(i64),
    /// The pod has lost its node.
    Reject,
}

impl fmt::Display for PluginRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PluginRequest::Try(pod) => write!(f, "try of {pod}"),
            PluginRequest::PostFilter(pod) => write!(f, "plan for {pod}"),
            PluginRequest::Reserve(pod, node) => write!(f, "reservation of {node} for {pod}"),
            PluginRequest::Permit(pod) => write!(f, "permit for {pod}"),
            PluginRequest::Unreserve(pod) => write!(f, "end of the reservation for {pod}"),
            PluginRequest::Keys(pods) => write!(f, "keys of {} pods", pods.len()),
            PluginRequest::Enforce => f.write_str("enforce"),
        }
    }
}

impl Session {
    /// Answers one question of a scheduler.
    ///
    /// # Errors
    /// Those of [`Session::handle`]; also, the pod of the question does not exist, or is not in the state that the question needs.
    pub fn serve_request(&mut self, question: &PluginRequest) -> Result<(PluginResponse, StepOutput), SessionError> {
        let faults = self.instance.breaker.consecutive_faults;
        let answer = self.run_input(|| question.to_string(), |session| session.response_to(question))?;
        if self.instance.breaker.consecutive_faults == faults {
            self.instance.breaker.record_success();
        }
        Ok((answer, self.step()))
    }

    fn response_to(&mut self, question: &PluginRequest) -> Result<PluginResponse, FailureCause> {
        self.ensure_instance()?;
        self.sync()?;
        let answer = match question {
            PluginRequest::Try(pod) => PluginResponse::FilterResult(self.try_nodes(pod)?),
            PluginRequest::PostFilter(pod) => PluginResponse::Attempt(Box::new(self.plan_for(pod)?)),
            PluginRequest::Reserve(pod, node) => self.reserve_node(pod, node).map(|()| PluginResponse::Done)?,
            PluginRequest::Permit(pod) => PluginResponse::PermitResult(self.permit_reserved(pod)?),
            PluginRequest::Unreserve(pod) => self.unreserve_requested(pod).map(|()| PluginResponse::Done)?,
            PluginRequest::Keys(pods) => self.keys_by_name(pods)?,
            PluginRequest::Enforce => self.enforce().map(|()| PluginResponse::Done)?,
        };
        // A decision is reported before it can fail.
        self.sync()?;
        Ok(answer)
    }

    fn pod_named(&self, name: &str) -> Result<PodId, FailureCause> {
        self.mirror.pod_id(name).ok_or_else(|| FailureCause::NoSuchPod(name.to_owned()))
    }

    /// Returns the pod of this name.
    ///
    /// # Errors
    /// The pod does not exist, or is not pending.
    fn pending_named(&self, name: &str) -> Result<PodId, FailureCause> {
        let pod = self.pod_named(name)?;
        self.require_pending(pod)?;
        Ok(pod)
    }

    fn try_nodes(&mut self, name: &str) -> Result<FilterResult, FailureCause> {
        let pod = self.pending_named(name)?;
        let (admission, retry) = self.pre_filter(pod)?;
        let (reason, is_final) = match admission {
            Admission::Pass => {
                let (codes, obstacles) = self.verdict_bytes(pod)?;
                let scores = self.score_bytes(pod, &codes)?;
                return Ok(FilterResult { codes, obstacles, scores, ..FilterResult::default() });
            }
            Admission::Refused(reason) => (reason, false),
            Admission::Final(reason) => (reason, true),
        };
        let refused = self.checked_reason("pre-filter", reason)?;
        let tried = FilterResult { refused: Some(refused), is_final, retry: retry.into(), ..FilterResult::default() };
        if is_final {
            self.remember_retry(pod, &tried.retry);
            let (reason, retry) = (tried.refused.clone(), tried.retry.clone());
            self.journal.report.attempts.push(Attempt { reason, retry, ..Attempt::rejected(name.to_owned()) });
        }
        Ok(tried)
    }

    fn plan_for(&mut self, name: &str) -> Result<Attempt, FailureCause> {
        let pod = self.pending_named(name)?;
        let mut attempt = self.post_filter(pod, Attempt::rejected(name.to_owned()))?;
        if attempt.node.is_none() {
            attempt.retry.add(RetryHint::of_nodes(self.mirror.has_claims(pod)));
        }
        attempt.explanation = self.explanation(pod, true)?;
        self.remember_retry(pod, &attempt.retry);
        self.journal.report.attempts.push(attempt.clone());
        Ok(attempt)
    }

    /// Reserves a node for a pod. The scheduler has chosen the node, and checks its free capacity itself.
    fn reserve_node(&mut self, name: &str, node: &str) -> Result<(), FailureCause> {
        let pod = self.pending_named(name)?;
        let node = self.mirror.node_id(node).ok_or_else(|| FailureCause::NoSuchNode(node.to_owned()))?;
        self.assume_marks(pod, node)?;
        self.reserve(pod, node)?;
        self.hold(pod, node, i64::MAX);
        Ok(())
    }

    fn permit_reserved(&mut self, name: &str) -> Result<PermitResult, FailureCause> {
        let pod = self.pod_named(name)?;
        let place = self.occupancy.permit_holds().get(pod).ok_or_else(|| FailureCause::NotReserved(name.to_owned()))?;
        // As in a cycle, the effects of the answer are about other pods only.
        self.release_hold(pod);
        let (verdict, reason, retry) = self.permit_and_apply(pod, place.node)?;
        Ok(PermitResult { verdict, reason, retry })
    }

    fn unreserve_requested(&mut self, name: &str) -> Result<(), FailureCause> {
        let Some(pod) = self.mirror.pod_id(name) else { return Ok(()) };
        if let Some(place) = self.occupancy.permit_holds().get(pod) {
            let is_late = place.deadline <= self.mirror.now();
            let cause = if is_late { ReleaseCause::Timeout } else { ReleaseCause::Failed };
            let effects = self.unreserve(pod, cause)?;
            return self.apply_effects(VecDeque::from_iter(effects));
        }
        let is_binding = |action: CommandAction| matches!(action, CommandAction::Bind { .. });
        let asked = self.pending_commands.in_flight.iter().filter(|(_, ask)| ask.pod == pod);
        let asked: Vec<u64> =
            asked.filter(|(_, ask)| is_binding(CommandAction::of(&ask.change, ask.plan))).map(|(id, _)| *id).collect();
        for id in asked {
            self.apply_outcome(id, CommandOutcome::Failed("the scheduler has not bound it".to_owned()));
        }
        // The cluster shows that the pod is not bound.
        self.commit();
        Ok(())
    }

    /// Returns the keys of these pods by name. Empty: the policy does not order the queue, and the scheduler keeps its own order.
    fn keys_by_name(&mut self, names: &[String]) -> Result<PluginResponse, FailureCause> {
        if !self.decides(ExtensionPoint::QueueOrder) {
            return Ok(PluginResponse::Keys(0, Vec::new()));
        }
        let pods: Vec<PodId> = names.iter().filter_map(|name| self.mirror.pod_id(name)).collect();
        let SortKeys { epoch, keys } = self.queue_keys(&pods)?;
        let names = pods.iter().map(|pod| self.pod_name(*pod));
        Ok(PluginResponse::Keys(epoch, names.zip(keys).collect()))
    }
}
