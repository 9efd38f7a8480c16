//! What a cycle did in addition to the decisions about pending pods: evictions for no pod, withdrawn nominations, refused plans.

use std::collections::{BTreeMap, BTreeSet};

use super::{Line, ResultEntry, Section, victim};
use crate::data::CycleView;

/// Returns the sections, some of which may be empty.
pub(super) fn sections(cycle: &CycleView) -> [Section; 3] {
    [
        Section { word: "evicted", title: "Evicted", entries: evicted(cycle) },
        Section { word: "withdrawn", title: "Nomination withdrawn", entries: withdrawn(cycle) },
        Section { word: "refused-plan", title: "Plans that the host refused", entries: refused(cycle) },
    ]
}

/// Returns the victims of plans that nominate no pod, by the queue or pod that they are evicted for.
fn evicted(cycle: &CycleView) -> Vec<ResultEntry> {
    let shown = cycle.plans.iter().filter(|plan| !plan.nominated.is_empty());
    let shown: BTreeSet<u64> = shown.map(|plan| plan.plan).collect();
    let mut entries: BTreeMap<(&Option<String>, &Option<String>), ResultEntry> = BTreeMap::new();
    for (pod, evicted) in cycle.victims.iter().filter(|(_, evicted)| !shown.contains(&evicted.plan)) {
        let entry = entries.entry((&evicted.preemptor, &evicted.queue)).or_default();
        let reason = Line::of(&evicted.reason);
        if !entry.lines.contains(&reason) {
            entry.lines.push(reason);
        }
        entry.victims.push(victim((pod, evicted)));
    }
    let named = |((preemptor, queue), mut entry): ((&Option<String>, &Option<String>), ResultEntry)| {
        entry.explain_name.clone_from(preemptor);
        entry.name = preemptor.clone().or_else(|| queue.clone()).unwrap_or_default();
        if preemptor.is_none() {
            entry.lines.insert(0, Line::plain("gives back what it holds over its maximum".to_owned()));
        }
        entry
    };
    entries.into_iter().map(named).collect()
}

fn withdrawn(cycle: &CycleView) -> Vec<ResultEntry> {
    let entry = |pod: &String| ResultEntry {
        name: pod.clone(),
        explain_name: Some(pod.clone()),
        pods: vec![pod.clone()],
        ..ResultEntry::default()
    };
    cycle.withdrawn.iter().map(entry).collect()
}

fn refused(cycle: &CycleView) -> Vec<ResultEntry> {
    let entry = |refused: &crate::data::RefusedPlanView| ResultEntry {
        name: refused.preemptor.clone().unwrap_or_else(|| format!("plan {}", refused.plan)),
        explain_name: refused.preemptor.clone(),
        lines: vec![Line::of(&refused.reason)],
        ..ResultEntry::default()
    };
    cycle.refused.iter().map(entry).collect()
}
