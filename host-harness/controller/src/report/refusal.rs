//! The states that a step gives to pods that wait: refused, nominated, or placed.

use std::collections::BTreeMap;

use lictor_contract::ReleaseCause;
use lictor_host::session::{Attempt, AttemptResult, StepOutput};

use super::ReportMode;
use super::notice::EventRecord;
use super::object::ReportedObject;

/// The state of a pod, with the reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportedState {
    /// The pod was refused.
    Refused(RefusalReason),
    /// The pod receives this node when its victims have left, or when its gang is complete: the node, and the reason why it waits.
    Nominated(String, RefusalReason),
    /// The pod has its node: no constraint fails.
    Placed,
}

/// Why a pod waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RefusalReason {
    /// The code of the law that failed last.
    pub(super) law: String,
    /// All reasons, as one text.
    pub(super) message: String,
}

impl ReportedState {
    pub(super) fn refused(&self) -> Option<&RefusalReason> {
        match self {
            ReportedState::Refused(refusal) => Some(refusal),
            ReportedState::Nominated(..) | ReportedState::Placed => None,
        }
    }

    /// Returns the failed law of the state. `None`: the pod is placed.
    pub(super) fn law(&self) -> Option<&str> {
        match self {
            ReportedState::Refused(refusal) | ReportedState::Nominated(_, refusal) => Some(&refusal.law),
            ReportedState::Placed => None,
        }
    }
}

impl RefusalReason {
    /// Makes the notice of the refusal, in the words of kube-scheduler.
    pub(super) fn notice(&self, mode: ReportMode, regarding: ReportedObject) -> EventRecord {
        let reason = match mode {
            ReportMode::Enforce => "FailedScheduling",
            ReportMode::DryRun => "WouldNotSchedule",
        };
        let (law, note) = (self.law.clone(), self.message.clone());
        EventRecord { regarding, related: None, warns: true, reason, action: "Scheduling", law, note, always: false }
    }
}

/// Returns the states that a step gives to pods that wait: the last one of each pod.
pub(super) fn of(step: &StepOutput) -> BTreeMap<String, ReportedState> {
    let happened = &step.happened;
    let mut told = BTreeMap::new();
    for (pod, refusal) in &happened.refusals {
        let message = format!("{}: {}", refusal.code, refusal.message);
        told.insert(pod.clone(), ReportedState::Refused(RefusalReason { law: refusal.code.clone(), message }));
    }
    for attempt in &happened.attempts {
        let said = match attempt.result {
            AttemptResult::Scheduled => ReportedState::Placed,
            AttemptResult::Waiting => {
                let node = attempt.node.clone().unwrap_or_default();
                let message = format!("it is held on {node} until the others of its gang have nodes, too");
                ReportedState::Nominated(node, RefusalReason { law: String::new(), message })
            }
            AttemptResult::Nominated => {
                ReportedState::Nominated(attempt.node.clone().unwrap_or_default(), refusal(attempt))
            }
            AttemptResult::Unschedulable | AttemptResult::Rejected => ReportedState::Refused(refusal(attempt)),
        };
        told.insert(attempt.pod.clone(), said);
    }
    for plan in &happened.plans {
        for (pod, node) in &plan.nominated {
            let is_told = matches!(told.get(pod), Some(ReportedState::Nominated(..)));
            if !is_told {
                let message = match plan.victims.len() {
                    0 => format!("plan {} promises free capacity on {node} to it", plan.plan),
                    1 => format!("plan {} evicts 1 pod for it", plan.plan),
                    victims => format!("plan {} evicts {victims} pods for it", plan.plan),
                };
                let refusal = RefusalReason { law: String::new(), message };
                told.insert(pod.clone(), ReportedState::Nominated(node.clone(), refusal));
            }
        }
    }
    for pod in happened.bound.keys() {
        told.insert(pod.clone(), ReportedState::Placed);
    }
    for released in &happened.released {
        let message = format!("it lost its place on {}: {}", released.node, cause(released.cause));
        told.insert(released.pod.clone(), ReportedState::Refused(RefusalReason { law: String::new(), message }));
    }
    told
}

/// Returns the cause for which a pod lost the room that was reserved for it at Permit.
pub(crate) fn cause(cause: ReleaseCause) -> &'static str {
    match cause {
        ReleaseCause::Timeout => "the others of its gang did not come in time",
        ReleaseCause::Released => "the policy has taken it back",
        ReleaseCause::Preempted => "another pod has preempted it",
        ReleaseCause::Failed => "it could not be bound",
        ReleaseCause::Removed => "it is gone",
    }
}

/// Returns the reasons of an attempt, each sentence behind its law.
fn refusal(attempt: &Attempt) -> RefusalReason {
    let named = |reason: &lictor_host::reason::NamedReason| match reason.code.as_str() {
        "" => reason.message.clone(),
        code => format!("{code}: {}", reason.message),
    };
    let reason = attempt.reason.as_ref().map(named);
    let nodes = attempt.nodes.as_ref().map(ToString::to_string);
    let preemption = attempt.preemption_reason().map(|reason| format!("preemption: {}", named(reason)));
    let said = [reason, nodes, preemption].into_iter().flatten().filter(|part| !part.is_empty());
    let code = |reason: &Option<lictor_host::reason::NamedReason>| {
        reason.as_ref().map(|reason| reason.code.clone()).filter(|code| !code.is_empty())
    };
    let law = match attempt.result {
        AttemptResult::Nominated => code(&attempt.preemption).or_else(|| code(&attempt.reason)),
        _ => code(&attempt.reason).or_else(|| code(&attempt.preemption)),
    };
    RefusalReason { law: law.unwrap_or_default(), message: said.collect::<Vec<_>>().join("; ") }
}
