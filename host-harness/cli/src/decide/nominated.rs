//! Nominated pods and their victims.

use std::collections::{BTreeMap, BTreeSet};

use super::super::page::{TextPage, table};
use super::bound::nodes_text;
use super::refused::reason_line;
use lictor_decide::jobs::Jobs;
use lictor_decide::record::CycleReport;
use lictor_host::session::{Attempt, AttemptResult, EvictionBeneficiary, EvictionMethod, EvictionRecord};

/// Shows the nominated pods, their nodes and their victims.
pub(super) fn render_nominated(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    let nominated = &cycle.happened.nominated;
    let mut shown: BTreeSet<u64> = BTreeSet::new();
    if !nominated.is_empty() {
        page.heading("Nominated, to be bound when their victims have left");
    }
    for group in jobs.group(nominated.keys().map(|pod| (pod.as_str(), ()))) {
        page.paragraph("  ", 6, &format!("{} -> {}", group.label(), nodes_text(&group, nominated)));
        if let Some(why) = cycle.happened.attempts.iter().find_map(|attempt| why_not_without(attempt, &group.pods)) {
            page.dimmed("    ", 6, &why);
        }
        let plans = victims(cycle, |evicted| evicted.for_whom.preemptor().is_some_and(|pod| group.pods.contains(&pod)));
        shown.extend(plans.iter().map(|(_, evicted)| evicted.plan));
        render_victims(page, &plans);
    }
    let others = victims(cycle, |evicted| !shown.contains(&evicted.plan));
    if !others.is_empty() {
        page.heading("Evicted");
    }
    for (for_whom, victims) in by_preemptor(&others) {
        page.line(format!("  for {for_whom}"));
        render_victims(page, &victims);
    }
    let withdrawn = &cycle.happened.withdrawn;
    if !withdrawn.is_empty() {
        page.heading("Nomination withdrawn");
        for group in jobs.group(withdrawn.iter().map(|pod| (pod.as_str(), ()))) {
            page.line(format!("  {}", group.label()));
        }
    }
}

/// Returns what stood in the way before the evictions: the law that refused the pod, or what the nodes lack. `None`: the attempt made no plan for
/// one of these pods.
fn why_not_without(attempt: &Attempt, pods: &[&str]) -> Option<String> {
    let is_theirs = attempt.result == AttemptResult::Nominated && pods.contains(&attempt.pod.as_str());
    let nodes = || attempt.nodes.as_ref().map(ToString::to_string);
    is_theirs.then(|| attempt.reason.as_ref().map(reason_line).or_else(nodes)).flatten()
}

/// Returns the victims for which `of` is true, by name.
fn victims(cycle: &CycleReport, of: impl Fn(&EvictionRecord) -> bool) -> Vec<(&str, &EvictionRecord)> {
    let victims = cycle.happened.victims.iter().map(|(pod, evicted)| (pod.as_str(), evicted));
    victims.filter(|(_, evicted)| of(evicted)).collect()
}

/// Groups the victims by preemptor, or by the queue that gives them back.
fn by_preemptor<'a>(
    victims: &[(&'a str, &'a EvictionRecord)],
) -> BTreeMap<&'a EvictionBeneficiary, Vec<(&'a str, &'a EvictionRecord)>> {
    let mut groups: BTreeMap<&EvictionBeneficiary, Vec<(&str, &EvictionRecord)>> = BTreeMap::new();
    for (pod, evicted) in victims {
        groups.entry(&evicted.for_whom).or_default().push((pod, evicted));
    }
    groups
}

fn render_victims(page: &mut TextPage, victims: &[(&str, &EvictionRecord)]) {
    let mut laws: Vec<(&str, &str)> =
        victims.iter().map(|(_, evicted)| (evicted.reason.code.as_str(), evicted.reason.message.as_str())).collect();
    laws.dedup();
    for (law, message) in laws {
        page.paragraph("    ", 6, &format!("{law}: {message}"));
    }
    let mut rows = table(["VICTIM", "NODE", "HOW"]);
    for (pod, evicted) in victims {
        rows.add_row([pod, evicted.node.as_deref().unwrap_or("-"), how(evicted.how)]);
    }
    if !victims.is_empty() {
        page.table(4, rows);
    }
}

fn how(how: EvictionMethod) -> &'static str {
    match how {
        EvictionMethod::Soft => "soft: labelled for eviction",
        EvictionMethod::Delete => "deleted",
        EvictionMethod::Unreserved => "released from permit",
    }
}
