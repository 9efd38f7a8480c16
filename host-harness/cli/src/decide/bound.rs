//! Bound pods, pods that wait at permit, and released pods.

use std::collections::BTreeMap;

use lictor_contract::ReleaseCause;

use super::super::page::{TextPage, table};
use lictor_decide::jobs::{JobPods, Jobs, nodes};
use lictor_decide::record::CycleReport;
use lictor_host::session::AttemptResult;

/// Shows the bound pods and their nodes.
pub(super) fn render_bound(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    let bound = &cycle.happened.bound;
    if bound.is_empty() {
        return;
    }
    page.heading("Bound");
    let mut rows = table(["POD", "NODE"]);
    for group in jobs.group(bound.keys().map(|pod| (pod.as_str(), ()))) {
        rows.add_row([group.label(), nodes_text(&group, bound)]);
    }
    page.table(2, rows);
}

/// Shows the pods that wait at permit, and why.
pub(super) fn render_waiting(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    if cycle.waiting.is_empty() {
        return;
    }
    page.heading("Held at permit");
    let attempts = cycle.happened.attempts.iter().filter(|attempt| attempt.result == AttemptResult::Waiting);
    let said: BTreeMap<&str, (&str, &str)> = attempts
        .filter_map(|attempt| {
            let reason = attempt.reason.as_ref()?;
            Some((attempt.pod.as_str(), (reason.code.as_str(), reason.message.as_str())))
        })
        .collect();
    for group in jobs.group(cycle.waiting.keys().map(|pod| (pod.as_str(), ()))) {
        page.paragraph("  ", 6, &format!("{} -> {}", group.label(), nodes_text(&group, &cycle.waiting)));
        // The reason of the last pod is closest to what is still missing.
        if let Some((law, message)) = group.pods.iter().rev().find_map(|pod| said.get(pod)) {
            page.paragraph("    ", 6, &format!("waits, {law}: {message}"));
        }
    }
}

/// Shows the pods that lost their reserved node.
pub(super) fn render_released(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    let released = &cycle.happened.released;
    if released.is_empty() {
        return;
    }
    page.heading("Released from permit");
    let held: BTreeMap<String, String> =
        released.iter().map(|release| (release.pod.clone(), release.node.clone())).collect();
    let mut rows = table(["POD", "NODE", "BECAUSE"]);
    for group in jobs.group(released.iter().map(|release| (release.pod.as_str(), release.cause))) {
        rows.add_row([group.label(), nodes_text(&group, &held), because(group.value).to_owned()]);
    }
    page.table(2, rows);
}

fn because(cause: ReleaseCause) -> &'static str {
    match cause {
        ReleaseCause::Timeout => "timed out at permit",
        ReleaseCause::Released => "released by the policy",
        ReleaseCause::Preempted => "preempted",
        ReleaseCause::Failed => "could not be bound",
        ReleaseCause::Removed => "removed",
    }
}

/// Returns the nodes of a group, as text.
pub(super) fn nodes_text<T>(group: &JobPods<'_, T>, nodes_of: &BTreeMap<String, String>) -> String {
    nodes(group.pods.iter().filter_map(|pod| nodes_of.get(*pod)).map(String::as_str))
}
