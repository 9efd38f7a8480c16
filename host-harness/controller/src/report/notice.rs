//! Notices: what a step means for the authors of objects, as events.

use lictor_contract::Severity;
use lictor_host::session::{Attempt, AttemptResult, CommandAction, EvictionBeneficiary, EvictionMethod, StepOutput};

use super::object::{ObjectLookup, ReportedObject};
use super::{QualifiedName, ReportMode, Warning};

/// The content of an event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventRecord {
    /// The object of the event.
    pub(super) regarding: ReportedObject,
    /// Another object that the event refers to.
    pub(super) related: Option<ReportedObject>,
    pub(super) warns: bool,
    /// One word in camel case.
    pub(super) reason: &'static str,
    pub(super) action: &'static str,
    /// The law: events of two laws are two events.
    pub(super) law: String,
    /// The text.
    pub(super) note: String,
    /// Whether the notice is written however many there are.
    pub(super) always: bool,
}

/// The identity of an event: two events with the same key are one series.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventKey {
    regarding: QualifiedName,
    uid: String,
    related: String,
    reason: &'static str,
    law: String,
}

impl EventRecord {
    /// Makes a warning about a pod, which is written however many there are.
    pub(super) fn of(warning: &Warning, regarding: ReportedObject) -> EventRecord {
        let Warning { reason, action, note, .. } = warning.clone();
        EventRecord { regarding, related: None, warns: true, reason, action, law: String::new(), note, always: true }
    }

    pub(super) fn key(&self) -> EventKey {
        EventKey {
            regarding: self.regarding.name.clone(),
            uid: self.regarding.uid.clone(),
            related: self.related.as_ref().map(|related| related.uid.clone()).unwrap_or_default(),
            reason: self.reason,
            law: self.law.clone(),
        }
    }
}

/// Returns the notices of a step, except for those of [`victims`]. [`super::refusal`] reports refusals, when they have lasted for a while.
pub(super) fn of(step: &StepOutput, mode: ReportMode, objects: &dyn ObjectLookup) -> Vec<EventRecord> {
    let mut notices = plans(step, mode, objects);
    notices.extend(failures(step, objects));
    notices.extend(findings(step, objects));
    notices
}

/// Returns whether a step has a command that evicts this victim. A victim that was only held at permit has none.
pub(super) fn is_carried_out(step: &StepOutput, victim: &str) -> bool {
    step.happened.victims.get(victim).is_some_and(|evicted| evicted.how != EvictionMethod::Unreserved)
}

/// Makes the notices of victims, by name: the preemptor with its group, as the `related` object of the event has it, and the law.
pub(super) fn victims<'s>(
    step: &'s StepOutput,
    mode: ReportMode,
    system: &str,
    objects: &dyn ObjectLookup,
) -> Vec<(&'s String, EventRecord)> {
    let notice = |(pod, evicted): (&'s String, &lictor_host::session::EvictionRecord)| {
        let regarding = objects.pod(pod)?;
        let preemptor = evicted.for_whom.preemptor().and_then(|pod| objects.pod(pod));
        let by = match (&evicted.for_whom, &preemptor) {
            (EvictionBeneficiary::Queue(queue), _) => format!("queue {queue}, which gives back"),
            (EvictionBeneficiary::Preemptor(pod), Some(_)) => pod_with_group(pod, objects),
            (EvictionBeneficiary::Preemptor(pod), None) => format!("pod {pod}, which is gone"),
        };
        let node = evicted.node.as_ref().map(|node| format!(" on node {node}")).unwrap_or_default();
        let how = match evicted.how {
            EvictionMethod::Delete => "",
            EvictionMethod::Soft => " (marked: another controller deletes it)",
            EvictionMethod::Unreserved => " (it loses the node that was held for it)",
        };
        let (would, reason) = match mode {
            ReportMode::Enforce => ("Preempted", "Preempted"),
            ReportMode::DryRun => ("Would be preempted", "WouldPreempt"),
        };
        let law = evicted.reason.code.clone();
        let message = &evicted.reason.message;
        let refusal = evicted.for_whom.preemptor().and_then(|pod| refusal(step, pod));
        let refusal = refusal.map(|refusal| format!(" ({refusal})")).unwrap_or_default();
        // The engine has no law of its own that evicts: its plans follow all laws of the system.
        let note = match law.starts_with("engine/") {
            true => format!("{would} by {by}{node}{how}: {message}{refusal}, by the laws of {system}"),
            false => format!("{would} by {by}{node}{how}: {law}: {message}"),
        };
        let notice = EventRecord {
            regarding,
            related: preemptor,
            warns: false,
            reason,
            action: "Preempting",
            law,
            note,
            always: true,
        };
        Some((pod, notice))
    };
    step.happened.victims.iter().filter_map(notice).collect()
}

/// Returns why a pod does not run without the plan that this step has made for it: the law that refuses the pod and its sentence, or what the nodes lack.
/// `None` for a plan of a cycle that tries no pod.
fn refusal(step: &StepOutput, pod: &str) -> Option<String> {
    let is_it = |attempt: &&Attempt| attempt.pod == pod && attempt.result == AttemptResult::Nominated;
    let attempt = step.happened.attempts.iter().rev().find(is_it)?;
    let by_law = attempt.reason.as_ref().map(|reason| format!("{}: {}", reason.code, reason.message));
    by_law.or_else(|| attempt.nodes.as_ref().map(ToString::to_string))
}

/// Returns the name of a pod, with that of its group.
fn pod_with_group(pod: &str, objects: &dyn ObjectLookup) -> String {
    match objects.group_of(pod) {
        Some(group) => format!("pod {pod} of {} {}/{}", group.kind, group.namespace, group.name),
        None => format!("pod {pod}"),
    }
}

/// Returns the notices of plans that the host refused; in a dry run, also those of the pods that plans and bindings are for.
fn plans(step: &StepOutput, mode: ReportMode, objects: &dyn ObjectLookup) -> Vec<EventRecord> {
    let happened = &step.happened;
    let refused = happened.refused.iter().filter_map(|plan| {
        let regarding = objects.pod(plan.for_whom.preemptor()?)?;
        let law = plan.reason.code.clone();
        let note = format!("Plan {} is refused: {law}: {}", plan.plan, plan.reason.message);
        Some(EventRecord {
            regarding,
            related: None,
            warns: true,
            reason: "PlanRefused",
            action: "Preempting",
            law,
            note,
            always: false,
        })
    });
    let would = |pod: &str, node: &str, plan: Option<u64>| {
        let regarding = objects.pod(pod)?;
        let (reason, note) = match plan {
            Some(plan) => ("WouldNominate", format!("Would be nominated to {node} by plan {plan}")),
            None => ("WouldSchedule", format!("Would be assigned to {node}")),
        };
        let law = String::new();
        Some(EventRecord {
            regarding,
            related: None,
            warns: false,
            reason,
            action: "Scheduling",
            law,
            note,
            always: false,
        })
    };
    let nominated = happened.plans.iter().flat_map(|plan| plan.nominated.iter().map(move |it| (it, Some(plan.plan))));
    let placed = happened.bound.iter().map(|it| (it, None)).chain(nominated);
    let placed = placed.filter(|_| mode == ReportMode::DryRun).filter_map(|((pod, node), plan)| would(pod, node, plan));
    refused.chain(placed).collect()
}

/// Returns the notices of commands that were not carried out.
fn failures(step: &StepOutput, objects: &dyn ObjectLookup) -> Vec<EventRecord> {
    let notice = |failed: &lictor_host::session::FailedCommand| {
        let regarding = objects.pod(&failed.pod)?;
        let (reason, action, what) = match &failed.action {
            CommandAction::Bind { node, .. } => ("FailedBinding", "Binding", format!("It was not let go for {node}")),
            CommandAction::Evict { plan, .. } => {
                ("FailedEviction", "Preempting", format!("It was not evicted for plan {plan}"))
            }
            CommandAction::Nominate { .. } => {
                ("FailedNomination", "Scheduling", "The nomination was not written".to_owned())
            }
            CommandAction::Confirm => return None,
        };
        let note = format!("{what}: {}", failed.reason);
        Some(EventRecord {
            regarding,
            related: None,
            warns: true,
            reason,
            action,
            law: String::new(),
            note,
            always: false,
        })
    };
    step.happened.failed.iter().filter_map(notice).collect()
}

/// Returns the notices of the findings of a step: mistakes in objects that their authors should know.
fn findings(step: &StepOutput, objects: &dyn ObjectLookup) -> Vec<EventRecord> {
    let notice = |finding: &lictor_contract::Finding| {
        let regarding = objects.object_by_key(&finding.object)?;
        let reason = match finding.severity {
            Severity::Error => "Misconfigured",
            Severity::Warning => "ConfigurationWarning",
        };
        let place = if finding.path.is_empty() { String::new() } else { format!("{}: ", finding.path) };
        let remedy = if finding.remedy.is_empty() { String::new() } else { format!("; {}", finding.remedy) };
        let note = format!("{place}{}{remedy}", finding.message);
        // Two mistakes of one object are two events.
        let law = format!("{}: {}", finding.path, finding.message);
        Some(EventRecord { regarding, related: None, warns: true, reason, action: "Reading", law, note, always: false })
    };
    step.findings.iter().filter_map(notice).collect()
}
