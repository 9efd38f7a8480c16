//! The standing of running pods: which pods are safe, which may be evicted, by which preemptors and by which law. No decision needs it: it serves
//! callers that show and explain.

use std::collections::BTreeMap;

use lictor_contract::{Interface, PodId, Threat, by};
use serde::Serialize;

use super::core::EVENTS_PER_CALL;
use super::{FailureCause, ProtocolError, Session, SessionError};
use crate::policy::Policy;
use crate::reason::NamedReason;

/// A kind of preemptors, and whether they may evict a running pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Threat"))]
#[serde(rename_all = "camelCase")]
pub struct NamedThreat {
    /// The kind: `pod`, `same-queue`, `other-queue`, `daemon-set` or `over-max`.
    pub by: String,
    /// The lowest priority of such a preemptor that may evict the pod. `None`: the priority does not matter, or the pod is protected.
    pub priority: Option<i32>,
    /// The law that protects the pod from each of them. `None`: they may evict the pod.
    pub spared: Option<NamedReason>,
}

/// The standing of a running pod: whether it is safe from eviction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Standing"))]
#[serde(rename_all = "camelCase")]
pub struct PodStanding {
    /// Whether no preemptor may evict the pod, by the laws in force and the current cluster.
    pub safe: bool,
    /// The standing in a sentence: the preemptors that may evict the pod, or the laws that protect it.
    pub sentence: String,
    /// The threats of preemptors of each kind.
    pub threats: Vec<NamedThreat>,
}

impl PodStanding {
    /// Returns the standing of a pod with these threats.
    fn of(threats: Vec<NamedThreat>) -> PodStanding {
        let safe = threats.iter().all(|threat| threat.spared.is_some());
        PodStanding { safe, sentence: PodStanding::describe_threats(&threats), threats }
    }

    /// Returns a sentence with the preemptors that may evict a pod, or with the laws that protect it.
    fn describe_threats(threats: &[NamedThreat]) -> String {
        let taken = threats.iter().filter(|threat| threat.spared.is_none()).map(NamedThreat::phrase);
        let taken: Vec<String> = taken.collect();
        if !taken.is_empty() {
            return format!("may be evicted by {}", taken.join(", by "));
        }
        let mut laws: Vec<String> = Vec::new();
        for reason in threats.iter().filter_map(|threat| threat.spared.as_ref()) {
            let law = format!("{}: {}", reason.code, reason.message);
            if !laws.contains(&law) {
                laws.push(law);
            }
        }
        format!("safe, {}", laws.join("; "))
    }
}

impl NamedThreat {
    /// Returns a short phrase for the preemptors.
    fn phrase(&self) -> String {
        let who = match self.by.as_str() {
            by::POD => "a pod",
            by::SAME_QUEUE => "a pod of its own queue",
            by::OTHER_QUEUE => "a pod of another queue",
            by::RESERVATION => "a reservation",
            by::DAEMON_SET => "a DaemonSet pod that may run on its node only",
            by::OVER_MAX => return "its queue, which holds more than its maximum".to_owned(),
            other => other,
        };
        match self.priority {
            Some(priority) => format!("{who} of priority {priority} or higher"),
            None => format!("{who} of any priority"),
        }
    }
}

impl Session {
    /// Returns the standing of each running pod, by name. Empty: the policy lacks the interface.
    ///
    /// # Errors
    /// The policy fails, or its answer is invalid.
    pub fn standings(&mut self) -> Result<BTreeMap<String, PodStanding>, SessionError> {
        self.standings_where(|session| session.mirror.pods().map(|pod| pod.id).collect())
    }

    /// Returns the standing of these pods alone. Pods that are not in the cluster, or do not run, are skipped.
    ///
    /// # Errors
    /// See [`Session::standings`].
    pub fn standings_of(&mut self, pods: &[String]) -> Result<BTreeMap<String, PodStanding>, SessionError> {
        self.standings_where(|session| pods.iter().filter_map(|pod| session.mirror.pod_id(pod)).collect())
    }

    /// Returns the standing of each pod in this list that has a node.
    fn standings_where(
        &mut self,
        list: impl Fn(&Session) -> Vec<PodId>,
    ) -> Result<BTreeMap<String, PodStanding>, SessionError> {
        let input = || "standings".to_owned();
        self.run_input(input, |session| {
            session.ensure_instance()?;
            if !session.policy.has(Interface::Standing) {
                return Ok(BTreeMap::new());
            }
            session.sync()?;
            let has_node = |pod: &PodId| session.mirror.pod(*pod).is_some_and(|pod| pod.node.is_some());
            let running = list(session).into_iter().filter(has_node);
            let running: Vec<PodId> = running.filter(|pod| !session.instance.uncountable.has_pod(*pod)).collect();
            let mut standings = BTreeMap::new();
            // The pods are sent in chunks, so that no answer is larger than the answers that decide.
            for pods in running.chunks(EVENTS_PER_CALL) {
                let answer = session.call_policy(|policy| policy.standings(pods))?;
                if answer.len() != pods.len() {
                    let lie = ProtocolError::StandingCount { asked: pods.len(), answered: answer.len() };
                    return Err(lie.into_cause("standings"));
                }
                for (pod, threats) in pods.iter().zip(answer).filter(|(_, threats)| !threats.is_empty()) {
                    standings.insert(session.pod_name(*pod), session.standing(threats)?);
                }
            }
            Ok(standings)
        })
    }

    /// Returns the threats to a pod in names.
    fn standing(&self, threats: Vec<Threat>) -> Result<PodStanding, FailureCause> {
        let named = |Threat { by, priority, spared }: Threat| {
            let spared = spared.map(|reason| self.checked_reason("standings", reason)).transpose()?;
            Ok(NamedThreat { by, priority, spared })
        };
        let threats = threats.into_iter().map(named).collect::<Result<Vec<NamedThreat>, FailureCause>>()?;
        Ok(PodStanding::of(threats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::{Scripted, session};
    use crate::verify::testing::{node, pod};

    #[test]
    fn a_policy_without_the_interface_says_nothing() {
        let policy = Scripted::deciding(&[]);
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        assert_eq!(session.standings().unwrap(), BTreeMap::new());
    }

    #[test]
    fn a_sentence_names_who_may_evict_a_pod_or_every_law_that_protects_it_once() {
        let law = |text: &str| Some(crate::reason::MessageTemplates::default().render(text, "", Vec::new()));
        let threat = |by: &str, priority, spared| NamedThreat { by: by.to_owned(), priority, spared };
        let both = PodStanding::of(vec![threat(by::SAME_QUEUE, Some(6), None), threat(by::OTHER_QUEUE, None, None)]);
        let sentence = "may be evicted by a pod of its own queue of priority 6 or higher, by a pod of another queue of any priority";
        assert_eq!(both.sentence, sentence);
        let half = PodStanding::of(vec![threat(by::POD, None, law("x/a")), threat(by::OVER_MAX, None, None)]);
        assert_eq!(half.sentence, "may be evicted by its queue, which holds more than its maximum");
        let safe = PodStanding::of(vec![threat(by::POD, None, law("x/a")), threat(by::DAEMON_SET, None, law("x/a"))]);
        assert_eq!(safe.sentence.matches("x/a").count(), 1, "{}", safe.sentence);
        assert!(safe.sentence.starts_with("safe, x/a"));
    }
}
