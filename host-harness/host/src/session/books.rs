//! The accounts of the queues, and the queue and the job of each pod. No decision needs them: they serve callers that show and explain.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::core::EVENTS_PER_CALL;
use super::{ProtocolError, Session, SessionError};
use crate::policy::Policy;

impl Session {
    /// Returns the current accounts of the queues.
    ///
    /// # Errors
    /// The policy has no accounts, or fails.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, SessionError> {
        let input = || "accounts".to_owned();
        self.run_input(input, |session| {
            session.ensure_instance()?;
            session.call_policy(|policy| policy.queues())
        })
    }

    /// Returns the queue and the job of each pod that the policy has received. Empty: the policy lacks the interface. Then there are no queues, and
    /// each pod is a job of its own.
    ///
    /// # Errors
    /// The policy fails, or its answer is invalid.
    pub fn memberships(&mut self) -> Result<BTreeMap<PodId, Membership>, SessionError> {
        let input = || "memberships".to_owned();
        self.run_input(input, |session| {
            session.ensure_instance()?;
            if !session.policy.has(Interface::Account) {
                return Ok(BTreeMap::new());
            }
            session.sync()?;
            let pods: Vec<PodId> = session.mirror.pods().map(|pod| pod.id).collect();
            let pods: Vec<PodId> = pods.into_iter().filter(|pod| !session.instance.uncountable.has_pod(*pod)).collect();
            let queues = session.call_policy(|policy| policy.queues())?;
            let mut members = BTreeMap::new();
            // The pods are sent in chunks, so that no answer is larger than the answers that decide.
            for pods in pods.chunks(EVENTS_PER_CALL) {
                let answer = session.call_policy(|policy| policy.memberships(pods))?;
                check(pods, &queues, &answer).map_err(|lie| lie.into_cause("memberships"))?;
                members.extend(pods.iter().copied().zip(answer));
            }
            Ok(members)
        })
    }
}

/// Checks the memberships of pods: one for each pod, in known queues and with valid job names.
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

#[cfg(test)]
mod tests {

    use super::*;
    use crate::session::testing::{Scripted, session};
    use crate::verify::testing::{node, object, pod};

    #[test]
    fn pods_that_the_policy_was_not_told_are_not_asked_about() {
        let policy = Scripted::deciding(&[]).counting(99_000, 999_000);
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        // The pod requests more than the policy can count.
        session.apply([pod("huge", 100, 0), pod("b", 1, 0)].map(object).to_vec()).unwrap_err();
        let members = session.memberships().unwrap();
        let names: Vec<Option<&str>> = members.keys().map(|pod| session.mirror().pod_name(*pod)).collect();
        assert_eq!(names, [Some("default/a"), Some("default/b")]);
        assert!(policy.log().contains(&"memberships of 2".to_owned()));
    }

    #[test]
    fn many_pods_are_asked_about_in_parts() {
        let policy = Scripted::deciding(&[]);
        let mut session = session(&policy, (0..=EVENTS_PER_CALL).map(|number| pod(&format!("p{number}"), 1, 0)));
        assert_eq!(session.memberships().unwrap().len(), EVENTS_PER_CALL + 1);
        let asked: Vec<String> = policy.log().into_iter().filter(|line| line.starts_with("memberships")).collect();
        assert_eq!(asked, [format!("memberships of {EVENTS_PER_CALL}"), "memberships of 1".to_owned()]);
    }
}
