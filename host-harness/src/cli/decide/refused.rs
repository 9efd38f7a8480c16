//! Pods that nothing could be done for, and the laws that say why.

use super::super::page::Page;
use super::jobs::Jobs;
use super::record::Cycle;
use crate::scheduler::{Attempt, AttemptResult};

/// Who was refused before Filter, and who found no node.
pub(super) fn tell(page: &mut Page, cycle: &Cycle, jobs: &Jobs) {
    section(page, cycle, jobs, AttemptResult::Rejected, "Refused");
    section(page, cycle, jobs, AttemptResult::Unschedulable, "Unschedulable");
}

fn section<'a>(page: &mut Page, cycle: &'a Cycle, jobs: &'a Jobs, result: AttemptResult, title: &str) {
    let told = |attempt: &'a Attempt| (attempt.pod.as_str(), lines(cycle, attempt));
    let groups = jobs.group(cycle.left_over(result).map(told));
    if groups.is_empty() {
        return;
    }
    page.heading(title);
    for group in groups {
        page.line(format!("  {}", group.label()));
        for line in group.told {
            page.paragraph("    ", 6, &line);
        }
    }
}

/// What is said of an attempt, a line for each who said something.
fn lines(cycle: &Cycle, attempt: &Attempt) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(node) = cycle.still_nominated.get(&attempt.pod) {
        lines.push(format!("nominated to {node} before, and still is"));
    }
    lines.extend(attempt.reason.as_ref().map(|reason| format!("{}: {}", reason.law, reason.message)));
    lines.extend(attempt.nodes.as_ref().map(ToString::to_string));
    if let Some(reason) = attempt.preemption.as_ref().filter(|reason| Some(*reason) != attempt.reason.as_ref()) {
        lines.push(format!("no preemption, {}: {}", reason.law, reason.message));
    }
    lines
}

/// Plans that the host did not carry out.
pub(super) fn tell_plans(page: &mut Page, cycle: &Cycle) {
    let refused = &cycle.happened.refused;
    if refused.is_empty() {
        return;
    }
    page.heading("Plans the host refused");
    for plan in refused {
        page.line(format!("  plan {} for {}", plan.plan, plan.preemptor));
        page.paragraph("    ", 6, &format!("{}: {}", plan.reason.law, plan.reason.message));
    }
}
