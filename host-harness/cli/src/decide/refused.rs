//! Pods that were refused, and the laws that say why.

use std::collections::BTreeMap;

use super::super::page::TextPage;
use lictor_decide::jobs::Jobs;
use lictor_decide::record::{CycleReport, GATED, OTHER_SCHEDULER};
use lictor_host::reason::NamedReason;
use lictor_host::session::{Attempt, AttemptResult, RetryHint};

/// Shows the pods that were refused before Filter, and those that found no node.
pub(super) fn render_refused(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    section(page, cycle, jobs, AttemptResult::Rejected, "Refused");
    section(page, cycle, jobs, AttemptResult::Unschedulable, "Unschedulable");
}

fn section<'a>(page: &mut TextPage, cycle: &'a CycleReport, jobs: &'a Jobs, result: AttemptResult, title: &str) {
    let told = |attempt: &'a Attempt| (attempt.pod.as_str(), AttemptRow::of(cycle, attempt));
    let groups = jobs.group(cycle.unplaced_attempts(result).map(told));
    let explained = cycle.unplaced_attempts(result).filter(|attempt| attempt.explanation.is_some());
    let hints: BTreeMap<&str, &RetryHint> = explained.map(|attempt| (attempt.pod.as_str(), &attempt.retry)).collect();
    if groups.is_empty() {
        return;
    }
    page.heading(title);
    for group in groups {
        let label = page.strong(&group.label());
        page.line(format!("  {label}"));
        let AttemptRow { standing, reason, nodes, preemption } = group.value;
        for line in standing.iter().chain(&reason) {
            page.paragraph("    ", 6, line);
        }
        if let Some(line) = nodes {
            page.dimmed("    ", 6, &line);
        }
        if let Some(line) = preemption {
            page.paragraph("    ", 6, &line);
        }
        // Pods of one job may have waited for different times.
        let mut retry = RetryHint::default();
        group.pods.iter().filter_map(|pod| hints.get(pod)).for_each(|hint| retry.add((*hint).clone()));
        render_retry(page, &retry);
    }
}

/// Shows when to try again. It belongs to an explanation: it is for the authors of laws, and names what a scheduler waits for.
fn render_retry(page: &mut TextPage, retry: &RetryHint) {
    if !retry.is_empty() {
        page.dimmed("    ", 6, &format!("try again {retry}"));
    }
}

/// The report of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct AttemptRow {
    standing: Option<String>,
    reason: Option<String>,
    nodes: Option<String>,
    preemption: Option<String>,
}

impl AttemptRow {
    fn of(cycle: &CycleReport, attempt: &Attempt) -> AttemptRow {
        let standing = cycle.still_nominated.get(&attempt.pod);
        // The reason that stopped the pod first may also be the one that forbids a preemption: it is shown once.
        let preemption = attempt.preemption.as_ref().filter(|reason| Some(*reason) != attempt.reason.as_ref());
        AttemptRow {
            standing: standing.map(|node| format!("nominated to {node} before, and still is")),
            reason: attempt.reason.as_ref().map(reason_line),
            nodes: attempt.nodes.as_ref().map(ToString::to_string),
            preemption: preemption.map(|reason| format!("no preemption, {}", reason_line(reason))),
        }
    }
}

/// Returns a reason as one line.
pub(super) fn reason_line(reason: &NamedReason) -> String {
    format!("{}: {}", reason.code, reason.message)
}

/// Shows the pods that still wait after a cycle of the policy's own, and the failed constraint of each.
pub(super) fn render_without_attempt(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    let told = |pod| (cycle.still_nominated.get(pod), cycle.reasons.get(pod).map(reason_line));
    let groups = jobs.group(cycle.without_attempt().map(|pod| (pod, told(pod))));
    if groups.is_empty() {
        return;
    }
    page.heading("Still pending");
    for group in groups {
        let label = page.strong(&group.label());
        let (standing, reason) = group.value;
        let standing = standing.map(|node| format!(", nominated to {node} before, and still is"));
        page.line(format!("  {label}{}", standing.unwrap_or_default()));
        if let Some(reason) = reason {
            page.paragraph("    ", 6, &reason);
        }
    }
    if !cycle.happened.explanations.is_empty() {
        render_retry(page, &cycle.happened.retry);
    }
}

/// Shows the pods that were not tried, because they have scheduling gates.
pub(super) fn render_gated(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    let groups = jobs.group(cycle.not_tried_for(GATED));
    if groups.is_empty() {
        return;
    }
    page.heading("Gated, not tried");
    for group in groups {
        let label = page.strong(&group.label());
        page.line(format!("  {label}"));
        page.paragraph("    ", 6, &group.value.message);
    }
}

/// Shows how many pods were not tried, because other schedulers decide about them.
pub(super) fn render_other_schedulers(page: &mut TextPage, cycle: &CycleReport) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, reason) in cycle.not_tried_for(OTHER_SCHEDULER) {
        let count = counts.entry(&reason.message).or_default();
        *count = count.saturating_add(1);
    }
    if counts.is_empty() {
        return;
    }
    page.heading("Not tried");
    for (message, count) in counts {
        let pods = if count == 1 { "pod" } else { "pods" };
        page.paragraph("  ", 4, &format!("{count} {pods}: {message}; `--scheduler` chooses which pods are tried"));
    }
}

/// Shows the plans that the host did not carry out.
pub(super) fn render_refused_plans(page: &mut TextPage, cycle: &CycleReport) {
    let refused = &cycle.happened.refused;
    if refused.is_empty() {
        return;
    }
    page.heading("Plans the host refused");
    for plan in refused {
        page.line(format!("  plan {} for {}", plan.plan, plan.for_whom));
        page.paragraph("    ", 6, &format!("{}: {}", plan.reason.code, plan.reason.message));
    }
}
