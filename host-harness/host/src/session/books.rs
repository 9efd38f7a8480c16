//! The books of queues and quotas, and where pods belong. No decision needs them: they are for those who show and explain.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::{ProtocolError, Session, SessionError};
use crate::policy::Policy;

impl Session {
    /// The books, as of now.
    ///
    /// # Errors
    /// The policy keeps none, or fails.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, SessionError> {
        let input = || "accounts".to_owned();
        self.run(input, |session| {
            session.up()?;
            session.ask(|policy| policy.queues())
        })
    }

    /// The queue and the job of each pod that the policy was told, as of now. A policy without the interface for it has no queues, and
    /// each pod is a job of its own: then nothing is asked, and no pod is in the answer.
    ///
    /// # Errors
    /// The policy fails, or answers what cannot be.
    pub fn memberships(&mut self) -> Result<BTreeMap<PodId, Membership>, SessionError> {
        let input = || "memberships".to_owned();
        self.run(input, |session| {
            session.up()?;
            if !session.policy.has(Interface::Account) {
                return Ok(BTreeMap::new());
            }
            session.sync()?;
            let pods: Vec<PodId> = session.mirror.pods().map(|pod| pod.id).collect();
            let pods: Vec<PodId> = pods.into_iter().filter(|pod| !session.left_out.has_pod(*pod)).collect();
            let (queues, answer) = session.ask(|policy| Ok((policy.queues()?, policy.memberships(&pods)?)))?;
            check(&pods, &queues, &answer).map_err(|lie| lie.in_answer_to("memberships"))?;
            Ok(pods.into_iter().zip(answer).collect())
        })
    }
}

/// Whether these can be the memberships of the pods, in these queues.
fn check(pods: &[PodId], queues: &[QueueAccount], answer: &[Membership]) -> Result<(), ProtocolError> {
    if pods.len() != answer.len() {
        return Err(ProtocolError::MembershipCount { asked: pods.len(), answered: answer.len() });
    }
    let known: BTreeSet<&str> = queues.iter().map(|queue| queue.name.as_str()).collect();
    let mut named = answer.iter().filter_map(|it| it.queue.as_deref());
    if let Some(queue) = named.find(|queue| !known.contains(queue)) {
        return Err(ProtocolError::UnknownQueue(queue.to_owned()));
    }
    let is_name =
        |job: &&str| job.split_once('/').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    match answer.iter().filter_map(|it| it.job.as_deref()).find(|job| !is_name(job)) {
        Some(job) => Err(ProtocolError::JobName(job.to_owned())),
        None => Ok(()),
    }
}
