//! The questions of a scheduler that asks at its extension points, one at a time, in place of a cycle of the session's own.
//!
//! Such a scheduler chooses the node itself, and binds: a command to bind means that it may. What the policy answers is checked as it is
//! in a cycle, and what follows from it for others comes as commands and releases.

use std::collections::VecDeque;
use std::fmt;

use lictor_contract::*;
use serde::{Deserialize, Serialize};

use super::{Action, Attempt, Cause, CommandOutcome, RetryHint, Session, SessionError, Step};
use crate::reason::NamedReason;

/// A question about pods, named `namespace/name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Question {
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
pub enum Answer {
    /// The answer of [`Question::Try`].
    Tried(Tried),
    /// The answer of [`Question::PostFilter`]: the attempt as it ended. Its plan consists of commands.
    Planned(Box<Attempt>),
    /// The answer of [`Question::Permit`].
    Permitted(Allowed),
    /// The answer of [`Question::Keys`]: the epoch, and the keys by pod.
    Keys(u64, Vec<(String, Vec<u8>)>),
    /// The answer of the other questions.
    Done,
}

/// The result of PreFilter and Filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tried {
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
pub struct Allowed {
    /// The verdict of the policy.
    pub verdict: Verdict,
    /// The reason.
    pub reason: NamedReason,
    /// When another try is worthwhile, where the pod is rejected.
    pub retry: RetryHint,
}

/// The verdict of Permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The pod may be bound. A command says so, too.
    Allow,
    /// The pod waits, at most this many nanoseconds.
    Wait(i64),
    /// The pod has lost its node.
    Reject,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Try(pod) => write!(f, "try of {pod}"),
            Question::PostFilter(pod) => write!(f, "plan for {pod}"),
            Question::Reserve(pod, node) => write!(f, "reservation of {node} for {pod}"),
            Question::Permit(pod) => write!(f, "permit for {pod}"),
            Question::Unreserve(pod) => write!(f, "end of the reservation for {pod}"),
            Question::Keys(pods) => write!(f, "keys of {} pods", pods.len()),
            Question::Enforce => f.write_str("enforce"),
        }
    }
}

impl Session {
    /// Answers one question of a scheduler.
    ///
    /// # Errors
    /// Those of [`Session::handle`]; also, the pod of the question does not exist, or is not in the state that the question needs.
    pub fn question(&mut self, question: &Question) -> Result<(Answer, Step), SessionError> {
        let faults = self.breaker.in_row;
        let answer = self.run(|| question.to_string(), |session| session.answer(question))?;
        if self.breaker.in_row == faults {
            self.breaker.served();
        }
        Ok((answer, self.step()))
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Cause> {
        self.up()?;
        self.sync()?;
        let answer = match question {
            Question::Try(pod) => Answer::Tried(self.try_nodes(pod)?),
            Question::PostFilter(pod) => Answer::Planned(Box::new(self.plan_for(pod)?)),
            Question::Reserve(pod, node) => self.reserve_node(pod, node).map(|()| Answer::Done)?,
            Question::Permit(pod) => Answer::Permitted(self.permit_reserved(pod)?),
            Question::Unreserve(pod) => self.unreserve_asked(pod).map(|()| Answer::Done)?,
            Question::Keys(pods) => self.keys_by_name(pods)?,
            Question::Enforce => self.enforce().map(|()| Answer::Done)?,
        };
        // A decision is reported before it can fail.
        self.sync()?;
        Ok(answer)
    }

    fn pod_named(&self, name: &str) -> Result<PodId, Cause> {
        self.mirror.pod_id(name).ok_or_else(|| Cause::NoSuchPod(name.to_owned()))
    }

    /// Returns the pod of this name.
    ///
    /// # Errors
    /// The pod does not exist, or is not pending.
    fn pending_named(&self, name: &str) -> Result<PodId, Cause> {
        let pod = self.pod_named(name)?;
        self.must_wait_for_a_node(pod)?;
        Ok(pod)
    }

    fn try_nodes(&mut self, name: &str) -> Result<Tried, Cause> {
        let pod = self.pending_named(name)?;
        let (admission, retry) = self.pre_filter(pod)?;
        let (reason, is_final) = match admission {
            Admission::Pass => {
                let (codes, obstacles) = self.verdict_bytes(pod)?;
                let scores = self.score_bytes(pod, &codes)?;
                return Ok(Tried { codes, obstacles, scores, ..Tried::default() });
            }
            Admission::Refused(reason) => (reason, false),
            Admission::Final(reason) => (reason, true),
        };
        let refused = self.heard("pre-filter", reason)?;
        let tried = Tried { refused: Some(refused), is_final, retry: retry.into(), ..Tried::default() };
        if is_final {
            self.remember_retry(pod, &tried.retry);
            let (reason, retry) = (tried.refused.clone(), tried.retry.clone());
            self.happened.attempts.push(Attempt { reason, retry, ..Attempt::rejected(name.to_owned()) });
        }
        Ok(tried)
    }

    fn plan_for(&mut self, name: &str) -> Result<Attempt, Cause> {
        let pod = self.pending_named(name)?;
        let mut attempt = self.post_filter(pod, Attempt::rejected(name.to_owned()))?;
        if attempt.node.is_none() {
            attempt.retry.add(RetryHint::of_nodes(self.mirror.has_claims(pod)));
        }
        attempt.explanation = self.explanation(pod, true)?;
        self.remember_retry(pod, &attempt.retry);
        self.happened.attempts.push(attempt.clone());
        Ok(attempt)
    }

    /// Reserves a node for a pod. The scheduler has chosen the node, and checks its free capacity itself.
    fn reserve_node(&mut self, name: &str, node: &str) -> Result<(), Cause> {
        let pod = self.pending_named(name)?;
        let node = self.mirror.node_id(node).ok_or_else(|| Cause::NoSuchNode(node.to_owned()))?;
        self.write(pod, node)?;
        self.reserve(pod, node)?;
        self.hold(pod, node, i64::MAX);
        Ok(())
    }

    fn permit_reserved(&mut self, name: &str) -> Result<Allowed, Cause> {
        let pod = self.pod_named(name)?;
        let place = self.occupancy.held().get(pod).ok_or_else(|| Cause::NotReserved(name.to_owned()))?;
        // As in a cycle, the effects of the answer are about other pods only.
        self.let_go(pod);
        let (verdict, reason, retry) = self.permit_and_settle(pod, place.node)?;
        Ok(Allowed { verdict, reason, retry })
    }

    fn unreserve_asked(&mut self, name: &str) -> Result<(), Cause> {
        let Some(pod) = self.mirror.pod_id(name) else { return Ok(()) };
        if let Some(place) = self.occupancy.held().get(pod) {
            let is_late = place.deadline <= self.mirror.now();
            let cause = if is_late { ReleaseCause::Timeout } else { ReleaseCause::Failed };
            let effects = self.unreserve(pod, cause)?;
            return self.carry(VecDeque::from_iter(effects));
        }
        let is_binding = |action: Action| matches!(action, Action::Bind { .. });
        let asked = self.asked.open.iter().filter(|(_, ask)| ask.pod == pod);
        let asked: Vec<u64> =
            asked.filter(|(_, ask)| is_binding(Action::of(&ask.change, ask.plan))).map(|(id, _)| *id).collect();
        for id in asked {
            self.settle(id, CommandOutcome::Failed("the scheduler has not bound it".to_owned()));
        }
        // The cluster shows that the pod is not bound.
        self.commit();
        Ok(())
    }

    /// Returns the keys of these pods by name. Empty: the policy does not order the queue, and the scheduler keeps its own order.
    fn keys_by_name(&mut self, names: &[String]) -> Result<Answer, Cause> {
        if !self.decides(ExtensionPoint::QueueOrder) {
            return Ok(Answer::Keys(0, Vec::new()));
        }
        let pods: Vec<PodId> = names.iter().filter_map(|name| self.mirror.pod_id(name)).collect();
        let SortKeys { epoch, keys } = self.queue_keys(&pods)?;
        let names = pods.iter().map(|pod| self.pod_name(*pod));
        Ok(Answer::Keys(epoch, names.zip(keys).collect()))
    }
}
