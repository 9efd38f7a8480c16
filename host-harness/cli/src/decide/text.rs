//! The decisions as text.

use super::super::failure::format_problem;
use super::super::page::TextPage;
use super::super::screen::Screen;
use super::{bound, nominated, refused, standing, usage, why};
use lictor_decide::jobs::Jobs;
use lictor_decide::record::{CycleReport, DecisionReport, GATED, OTHER_SCHEDULER};
use lictor_host::session::AttemptResult;

/// Makes the page of a record, without empty sections. `cluster` adds the view of the cluster before any decision.
pub(crate) fn page(record: &DecisionReport, jobs: &Jobs, cluster: impl FnOnce(&mut TextPage)) -> TextPage {
    let screen = Screen::stdout();
    let mut page = TextPage::new(screen);
    head(&mut page, record);
    cluster(&mut page);
    for cycle in &record.cycles {
        if record.cycles.len() > 1 {
            page.heading(&format!("Cycle {}", cycle.cycle));
        }
        bound::render_bound(&mut page, cycle, jobs);
        bound::render_waiting(&mut page, cycle, jobs);
        nominated::render_nominated(&mut page, cycle, jobs);
        bound::render_released(&mut page, cycle, jobs);
        refused::render_refused(&mut page, cycle, jobs);
        refused::render_without_attempt(&mut page, cycle, jobs);
        refused::render_gated(&mut page, cycle, jobs);
        refused::render_other_schedulers(&mut page, cycle);
        refused::render_refused_plans(&mut page, cycle);
        why::render_explanations(&mut page, cycle, jobs);
    }
    standing::render_standings(&mut page, &record.standings, jobs, usize::MAX);
    usage::render_usage(&mut page, &record.accounts);
    if !record.findings.is_empty() {
        page.heading("Findings");
        for finding in &record.findings {
            page.styled(&format_problem(finding));
        }
    }
    let ignored = record.ignored.iter().filter(|(kind, _)| !record.warned.contains(*kind));
    let ignored: Vec<String> = ignored.map(|(kind, count)| format!("{count} {kind}")).collect();
    if !ignored.is_empty() {
        page.line("");
        page.paragraph("Ignored, because the system does not use them: ", 2, &ignored.join(", "));
    }
    page.line("");
    for cycle in &record.cycles {
        page.paragraph("", 2, &summary(cycle, record.cycles.len() > 1));
    }
    page
}

/// Shows the header: the cluster, the system and the policy.
pub(crate) fn head(page: &mut TextPage, record: &DecisionReport) {
    let (cluster, policy) = (&record.cluster, &record.policy);
    let nodes = counted(cluster.nodes, "node");
    let (placed, pending) = (counted(cluster.placed, "pod"), cluster.pending);
    let time = cluster.now.as_ref().map(|now| format!(", as of {now}")).unwrap_or_default();
    page.paragraph("", 2, &format!("{nodes}, {placed} on nodes, {pending} pending{time}"));
    let given: Vec<String> = policy.arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let arguments = if given.is_empty() { String::new() } else { format!(" with {}", given.join(", ")) };
    let source = policy.source.short();
    page.paragraph(
        "",
        2,
        &format!("system {}{arguments}; policy {} {}, {source}", policy.laws, policy.name, policy.version),
    );
}

/// Returns the counts of a cycle as one sentence.
fn summary(cycle: &CycleReport, numbered: bool) -> String {
    let happened = &cycle.happened;
    let gave_up = cycle.unplaced_attempts(AttemptResult::Waiting).count();
    let parts = [
        (happened.bound.len(), "bound"),
        (cycle.waiting.len(), "held"),
        (happened.nominated.len(), "nominated"),
        (gave_up, "held but released"),
        (cycle.unplaced_attempts(AttemptResult::Rejected).count(), "refused"),
        (cycle.unplaced_attempts(AttemptResult::Unschedulable).count(), "unschedulable"),
        (cycle.without_attempt().count(), "still pending"),
        (cycle.not_tried_for(GATED).count(), "gated"),
        (cycle.not_tried_for(OTHER_SCHEDULER).count(), "left to other schedulers"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let results = if parts.is_empty() { "nothing was pending".to_owned() } else { parts.join(", ") };
    let victims = match happened.victims.len() {
        0 => "no victims".to_owned(),
        1 => "1 victim".to_owned(),
        count => format!("{count} victims"),
    };
    let lead = if numbered { format!("cycle {}: ", cycle.cycle) } else { String::new() };
    format!("{lead}{results}; {victims}")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
