//! The running process's knowledge of each pod: the source of the answers over the socket.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lictor_contract::{Phase, Pod};
use lictor_host::cluster::Mirror;
use lictor_host::reason::{NamedFact, NamedReason, render};
use lictor_host::session::{Attempt, AttemptResult, EvictionRecord, Session, StepOutput};
use serde_json::Value;

use super::explain::{ExplainRequest, LiveExplanation, LivePodState, SocketResponse, StateReason};
use crate::decide::RecordableSession;
use crate::report::cause;

/// The number of pods that are named where a name matches several.
const NAMED: usize = 5;

/// The last reasons for each pod.
#[derive(Debug, Default)]
pub struct PodReasons {
    system: String,
    pods: BTreeMap<String, PodRecord>,
}

#[derive(Debug, Default)]
struct PodRecord {
    last_attempt: Option<(i64, Attempt)>,
    evicted: Option<EvictionRecord>,
    /// The text of our annotation on a victim: its plan, and since when. The annotation is there after a restart, too.
    victim_annotation: Option<String>,
    /// The failed constraint of the pod in a cycle of the policy's own.
    explained: Option<NamedReason>,
    /// The node that the pod was let go for, and the message of kube-scheduler, where kube-scheduler refuses the pod.
    refused: Option<(String, String)>,
    /// The place that was held for the pod and is lost, and why.
    released: Option<StateReason>,
}

impl PodReasons {
    /// Makes a store that knows no pods. The answers name the system.
    pub fn new(system: impl Into<String>) -> PodReasons {
        PodReasons { system: system.into(), pods: BTreeMap::new() }
    }

    /// Takes the results of an input at `now`, in nanoseconds since 1970. The cost is proportional to the size of the step.
    pub fn record_step(&mut self, now: i64, step: &StepOutput) {
        let happened = &step.happened;
        for attempt in &happened.attempts {
            match attempt.result {
                // Most pods are placed at once: nothing is kept of them.
                AttemptResult::Scheduled => drop(self.pods.remove(&attempt.pod)),
                _ => self.record_mut(&attempt.pod).last_attempt = Some((now, attempt.clone())),
            }
        }
        for (pod, refusal) in &happened.refusals {
            self.record_mut(pod).explained = Some(refusal.clone());
        }
        for (pod, evicted) in &happened.victims {
            self.record_mut(pod).evicted = Some(evicted.clone());
        }
        for released in &happened.released {
            let message = format!("it lost its place on `{}`: {}", released.node, cause(released.cause));
            self.record_mut(&released.pod).released = Some(StateReason { law: String::new(), message });
        }
        for pod in happened.bound.keys().chain(happened.nominated.keys()) {
            if let Some(about) = self.pods.get_mut(pod) {
                (about.released, about.explained) = (None, None);
            }
        }
    }

    fn record_mut(&mut self, pod: &str) -> &mut PodRecord {
        self.pods.entry(pod.to_owned()).or_default()
    }

    /// Forgets a pod that is gone, or whose name another pod has now: `namespace/name`.
    pub fn forget(&mut self, pod: &str) {
        self.pods.remove(pod);
    }

    /// Takes the text of our annotation on a pod. Empty: the pod is no victim, or not any more.
    pub fn marked(&mut self, pod: &str, marked: &str) {
        match (marked, self.pods.get_mut(pod)) {
            ("", Some(about)) if about.victim_annotation.is_some() => {
                (about.victim_annotation, about.evicted) = (None, None)
            }
            ("", _) => {}
            (marked, _) => self.record_mut(pod).victim_annotation = Some(marked.to_owned()),
        }
    }

    /// Records for which node kube-scheduler refuses a pod that was let go, and its message. `None`: the pod is not refused any more.
    pub fn refused(&mut self, pod: &str, refused: Option<(&str, &str)>) {
        let refused = refused.map(|(node, message)| (node.to_owned(), message.to_owned()));
        match (refused, self.pods.get_mut(pod)) {
            (None, Some(about)) => about.refused = None,
            (None, None) => {}
            (refused, _) => self.record_mut(pod).refused = refused,
        }
    }

    /// Returns the answer to a question.
    pub fn explain(&self, session: &Session, question: &ExplainRequest) -> SocketResponse {
        match find_pod(session.mirror(), &question.explain) {
            Err((message, hint)) => SocketResponse::Error { message, hint },
            Ok(pod) => SocketResponse::Answer(Box::new(self.explanation(session, pod))),
        }
    }

    fn explanation(&self, session: &Session, pod: &Pod) -> LiveExplanation {
        let mirror = session.mirror();
        let name = mirror.pod_name(pod.id).unwrap_or_default();
        let about = self.pods.get(name);
        let (state, node) = state_and_node(session, pod, name, about);
        let waits = matches!(
            state,
            LivePodState::Refused | LivePodState::Pending | LivePodState::Nominated | LivePodState::Held
        );
        let tried = about.and_then(|about| about.last_attempt.as_ref()).filter(|_| waits);
        let attempt = tried.map(|(_, attempt)| attempt);
        let evicted = about.and_then(|about| about.evicted.as_ref()).filter(|_| state == LivePodState::Evicted);
        let retry = attempt.map(|attempt| attempt.retry.to_string()).filter(|retry| !retry.is_empty());
        LiveExplanation {
            api_version: "lictor.dev/v1alpha1".to_owned(),
            kind: "LiveExplanation".to_owned(),
            pod: name.to_owned(),
            system: self.system.clone(),
            state,
            node,
            tried: tried.and_then(|(at, _)| Some(Timestamp::from_nanosecond((*at).into()).ok()?.to_string())),
            said: state_reasons(session, (pod, state), about, attempt, evicted),
            retry,
            evicted_for: (state == LivePodState::Evicted).then(|| evicted_for(session, pod, about)),
            standing: None,
            attempt: attempt.and_then(|attempt| serde_json::to_value(attempt).ok()),
        }
    }
}

/// Returns for which pod or queue a victim is evicted, by which plan, and since when. After a restart, it names the pods that are nominated to the
/// victim's node instead.
fn evicted_for(session: &Session, victim: &Pod, about: Option<&PodRecord>) -> String {
    let mirror = session.mirror();
    let waits = mirror.pods().filter(|pod| pod.nominated.is_some() && pod.nominated == victim.node);
    let waits: Vec<&str> = waits.filter_map(|pod| mirror.pod_name(pod.id)).take(NAMED).collect();
    let evicted = about.and_then(|about| about.evicted.as_ref());
    let whom = evicted.map_or_else(|| waits.join(", "), |evicted| evicted.for_whom.to_string());
    let plan = evicted.map(|evicted| format!("plan {}", evicted.plan));
    let plan = about.and_then(|about| about.victim_annotation.clone()).or(plan).unwrap_or_default();
    if whom.is_empty() { plan } else { format!("{whom} ({plan})") }
}

/// Returns the state of a pod, and its node.
fn state_and_node(
    session: &Session,
    pod: &Pod,
    name: &str,
    about: Option<&PodRecord>,
) -> (LivePodState, Option<String>) {
    let mirror = session.mirror();
    let node = |id| mirror.node(id).map(|node| node.name.clone());
    if matches!(pod.phase, Phase::Succeeded | Phase::Failed) {
        return (LivePodState::Ended, pod.node.and_then(node));
    }
    if let Some(held) = session.permit_holds().get(name) {
        return (LivePodState::Held, Some(held.node.clone()));
    }
    if let Some(id) = pod.node {
        let state = match about.is_some_and(|about| about.evicted.is_some() || about.victim_annotation.is_some()) {
            true => LivePodState::Evicted,
            false if about.is_some_and(|about| about.refused.is_some()) => LivePodState::RoomTaken,
            false if pod.terminating => LivePodState::Leaving,
            false => LivePodState::Bound,
        };
        return (state, node(id));
    }
    let tried = about.is_some_and(|about| about.last_attempt.is_some() || about.explained.is_some());
    let state = match () {
        () if pod.terminating => LivePodState::Leaving,
        () if pod.template.foreign => LivePodState::OtherScheduler,
        () if pod.gated => LivePodState::Gated,
        () if pod.nominated.is_some() => LivePodState::Nominated,
        () if tried => LivePodState::Refused,
        () => LivePodState::Pending,
    };
    (state, pod.nominated.and_then(node))
}

/// Returns the reasons for the state of a pod, the most direct ones first.
fn state_reasons(
    session: &Session,
    (pod, state): (&Pod, LivePodState),
    about: Option<&PodRecord>,
    attempt: Option<&Attempt>,
    evicted: Option<&EvictionRecord>,
) -> Vec<StateReason> {
    let mut said = Vec::new();
    let mut add = |law: &str, message: String| said.push(StateReason { law: law.to_owned(), message });
    if matches!(state, LivePodState::OtherScheduler | LivePodState::Gated) {
        let (code, fact) = if pod.template.foreign {
            ("host/other-scheduler", NamedFact::name("scheduler", &*pod.template.scheduler))
        } else {
            ("host/gated", NamedFact::name("gates", session.mirror().gates(pod.id).join(", ")))
        };
        add(code, render(code, "", vec![fact]).message);
    }
    if let Some((_, message)) =
        about.and_then(|about| about.refused.as_ref()).filter(|_| state == LivePodState::RoomTaken)
    {
        add("", message.clone());
    }
    if let Some(evicted) = evicted {
        add(&evicted.reason.code, evicted.reason.message.clone());
    }
    if let Some(attempt) = attempt {
        if let Some(reason) = &attempt.reason {
            add(&reason.code, reason.message.clone());
        }
        if let Some(nodes) = &attempt.nodes {
            add("", nodes.to_string());
        }
        if let Some(reason) = attempt.preemption_reason() {
            add(&reason.code, reason.message.clone());
        }
        if let Some(obstacle) = attempt.explanation.as_ref().and_then(|explanation| explanation.obstacle()) {
            add(&obstacle.code, obstacle.message);
        }
    }
    if let Some(reason) = about.and_then(|about| about.explained.as_ref()).filter(|_| state == LivePodState::Refused) {
        add(&reason.code, reason.message.clone());
    }
    said.extend(about.and_then(|about| about.released.clone()).filter(|_| attempt.is_some()));
    said
}

/// Returns the standing of a pod in the state [`State::Bound`]. `None`: the pod is in another state, the policy names no standing for it, or the
/// question failed; the loop reports a failure with the next decision.
pub(super) fn standing(talk: &mut RecordableSession, answer: &LiveExplanation) -> Option<Value> {
    if answer.state != LivePodState::Bound {
        return None;
    }
    let standings = talk.standings_of(std::slice::from_ref(&answer.pod)).ok()?;
    serde_json::to_value(standings.get(&answer.pod)?).ok()
}

/// Finds the pod of a name.
///
/// # Errors
/// What is wrong, and what to do: no pod or several pods have the name.
fn find_pod<'a>(mirror: &'a Mirror, asked: &str) -> Result<&'a Pod, (String, String)> {
    if let Some(pod) = mirror.pod_id(asked).and_then(|id| mirror.pod(id)) {
        return Ok(pod);
    }
    let is_meant = |pod: &&Pod| !asked.contains('/') && pod.name == asked;
    let meant: Vec<&Pod> = mirror.pods().filter(is_meant).take(NAMED).collect();
    match meant.as_slice() {
        [pod] => Ok(pod),
        [] => {
            let hint = "write `namespace/name`, as `kubectl get pods --all-namespaces` shows it";
            Err((format!("there is no pod `{asked}`"), hint.to_owned()))
        }
        several => {
            let names: Vec<&str> = several.iter().filter_map(|pod| mirror.pod_name(pod.id)).collect();
            Err((format!("`{asked}` matches several pods"), format!("name one of them: {}", names.join(" or "))))
        }
    }
}
