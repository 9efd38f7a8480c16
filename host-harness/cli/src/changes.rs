//! Changed decisions, as text.

use super::page::TextPage;
use lictor_host::compare::{Decision, DecisionChange, Differences, EvictionDecision};

/// Returns the decision about a pod in a few words, with the laws behind it.
pub(super) fn decision(decision: Option<&Decision>) -> String {
    let Some(Decision { verdict, node, laws, .. }) = decision else { return "nothing decided".to_owned() };
    let node = node.as_ref().map(|node| format!(" -> {node}")).unwrap_or_default();
    let laws = if laws.is_empty() { String::new() } else { format!(" ({})", laws.join(", ")) };
    format!("{verdict}{node}{laws}")
}

/// Returns the decision about a victim in a few words.
pub(super) fn eviction(eviction: Option<&EvictionDecision>) -> String {
    let Some(EvictionDecision { node, for_whom, .. }) = eviction else { return "stays".to_owned() };
    let node = node.as_ref().map(|node| format!(" from {node}")).unwrap_or_default();
    format!("evicted{node} for {for_whom}")
}

/// Adds a line for each changed pod and each changed victim.
pub(super) fn render_differences(page: &mut TextPage, differences: &Differences) {
    for DecisionChange { pod, then, now } in &differences.pods {
        let (then, now) = (decision(then.as_ref()), decision(now.as_ref()));
        page.paragraph("  ", 6, &format!("{pod}: {then} => {now}"));
    }
    for DecisionChange { pod, then, now } in &differences.victims {
        let (then, now) = (eviction(then.as_ref()), eviction(now.as_ref()));
        page.paragraph("  ", 6, &format!("victim {pod}: {then} => {now}"));
    }
    if let Some(DecisionChange { then, now, .. }) = &differences.error {
        let said = |side: &Option<String>| side.clone().unwrap_or_else(|| "served".to_owned());
        page.paragraph("  ", 6, &format!("the input: {} => {}", said(then), said(now)));
    }
}
